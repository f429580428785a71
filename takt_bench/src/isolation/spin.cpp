#include "isolation/spin.hpp"

#include <algorithm>
#include <cmath>

#include "takt_rt/thread_cpu_time.hpp"

namespace takt_bench::isolation
{

double calibrate_spin()
{
  constexpr std::uint64_t kIterations = 1'000'000;
  double best = 0.0;
  for (int tries = 0; tries < 10; ++tries) {
    const std::int64_t begin = takt_rt::thread_cpu_time().count();
    spin(kIterations);
    const std::int64_t took = std::max<std::int64_t>(takt_rt::thread_cpu_time().count() - begin, 1);
    best = std::max(best, static_cast<double>(kIterations) * 1e3 / static_cast<double>(took));
  }
  return best;
}

std::uint64_t spin_iterations(takt_rt::Duration time, double iterations_per_us) noexcept
{
  const double iterations = static_cast<double>(time.count()) * 1e-3 * iterations_per_us;
  return static_cast<std::uint64_t>(std::max(1.0, std::round(iterations)));
}

void spin(std::uint64_t iterations) noexcept
{
  std::uint64_t value = iterations;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    value = value * 6364136223846793005ULL + 1442695040888963407ULL;
    asm volatile(""
                 : "+r"(value));  // each multiplication waits for the one before; the compiler
                                  // cannot remove it
  }
}

}  // namespace takt_bench::isolation
