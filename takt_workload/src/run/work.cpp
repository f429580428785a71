#include "run/work.hpp"

#include <time.h>

#include <algorithm>
#include <cerrno>

#include "takt_rt/thread_cpu_time.hpp"

namespace takt_workload
{

using takt_rt::Duration;

namespace
{

std::uint64_t loop(std::uint64_t value, std::uint64_t iterations) noexcept
{
  for (std::uint64_t i = 0; i < iterations; ++i) {
    value = value * 6364136223846793005ULL + 1442695040888963407ULL;
    asm volatile(""
                 : "+r"(value));  // one dependent multiplication in each iteration; the compiler
                                  // cannot fold it
  }
  return value;
}

}  // namespace

Duration sleep_for(Duration time) noexcept
{
  if (time <= Duration::zero()) {
    return {};
  }
  const takt_rt::Time begin = takt_rt::now();
  const std::int64_t until = takt_rt::to_ns(begin + time);
  const timespec end{until / 1'000'000'000, until % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr) == EINTR) {
  }
  return takt_rt::now() - begin;
}

Work Work::calibrate()
{
  constexpr std::uint64_t kIterations = 1'000'000;
  double best = 0.0;
  std::uint64_t value = 1;
  for (int i = 0; i < 10; ++i) {  // take the fastest, because other threads disturbed the rest
    const Duration begin = takt_rt::thread_cpu_time();
    value = loop(value, kIterations);
    const Duration took = std::max(takt_rt::thread_cpu_time() - begin, Duration{1});
    best =
      std::max(best, static_cast<double>(kIterations) * 1e3 / static_cast<double>(took.count()));
  }
  return Work(best);
}

Work::Done Work::use(Duration cpu_time) const noexcept
{
  Done done;
  if (cpu_time <= Duration::zero()) {
    return done;
  }
  const Duration begin = takt_rt::thread_cpu_time();
  do {
    const Duration left = std::min(cpu_time - done.cpu, kChunk);
    const double iterations = static_cast<double>(left.count()) * 1e-3 * speed_;
    done.result = loop(done.result + 1, static_cast<std::uint64_t>(iterations) + 16);
    done.cpu = takt_rt::thread_cpu_time() - begin;
  } while (done.cpu < cpu_time);
  return done;
}

}  // namespace takt_workload
