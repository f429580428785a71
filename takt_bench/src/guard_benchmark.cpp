// The guard's costs beside the same code without it, in one run: outside of scopes, in a scope in
// which nothing happens, on a thread that sleeps between its scopes, and for an event.
//
// The program links the guard, so its calls of malloc and free go through it. The C library's own
// names do not.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <optional>
#include <thread>

#include "ratio_reporter.hpp"
#include "takt_rt/guard/guard.hpp"
#include "takt_rt/semaphore.hpp"
#include "takt_rt/thread_attributes.hpp"

extern "C" {
void * __libc_malloc(std::size_t);  // NOLINT: glibc's names
void __libc_free(void *);           // NOLINT
}

namespace
{

using takt_rt::Guard;
using takt_rt::GuardKind;
using takt_rt::GuardName;

constexpr std::size_t kBytes = 64;

const GuardName & name()
{
  static const GuardName kName("benchmark");
  return kName;
}

void work(std::int64_t rounds)
{
  std::uint64_t value = 1;
  for (std::int64_t i = 0; i < rounds; ++i) {
    value = value * 6364136223846793005ULL + 1442695040888963407ULL;
    benchmark::DoNotOptimize(value);
  }
}

double cpu_ns(clockid_t clock)
{
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// Rounds of `work` that take so many microseconds of CPU time here.
std::int64_t rounds_of(int us)
{
  static const double kRoundsPerNs = [] {
    constexpr std::int64_t kRounds = 1'000'000;
    double shortest = 1e18;
    for (int i = 0; i < 10; ++i) {
      const double begin = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
      work(kRounds);
      shortest = std::min(shortest, cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin);
    }
    return static_cast<double>(kRounds) / shortest;
  }();
  return static_cast<std::int64_t>(us * 1000 * kRoundsPerNs);
}

// Runs `round` in the benchmark's loop, and gives the CPU time of a round as its result: other
// programs that have the core meanwhile do not count.
template <typename Round>
void measure_cpu(benchmark::State & state, clockid_t clock, Round round)
{
  const double begin = cpu_ns(clock);
  for (auto _ : state) {
    round();
  }
  state.counters["ns"] = (cpu_ns(clock) - begin) / static_cast<double>(state.iterations());
}

void c_library(benchmark::State & state)
{
  for (auto _ : state) {
    void * const block = __libc_malloc(kBytes);
    benchmark::DoNotOptimize(block);
    __libc_free(block);
  }
}

void outside(benchmark::State & state)
{
  for (auto _ : state) {
    void * const block = std::malloc(kBytes);
    benchmark::DoNotOptimize(block);
    std::free(block);
  }
}

void inside(benchmark::State & state)
{
  const Guard guard(name());
  for (auto _ : state) {
    void * const block = std::malloc(kBytes);
    benchmark::DoNotOptimize(block);
    std::free(block);
  }
  if (guard.counts().of(GuardKind::allocation) < static_cast<std::uint64_t>(state.iterations())) {
    state.SkipWithError("the guard saw no allocations");
  }
  state.SetItemsProcessed(2 * state.iterations());
}

constexpr int kShort = 10;  // us

void callback(benchmark::State & state)
{
  const std::int64_t rounds = rounds_of(kShort);
  measure_cpu(state, CLOCK_THREAD_CPUTIME_ID, [rounds] { work(rounds); });
}

void guarded_callback(benchmark::State & state)
{
  const std::int64_t rounds = rounds_of(kShort);
  measure_cpu(state, CLOCK_THREAD_CPUTIME_ID, [rounds] {
    const Guard guard(name());
    work(rounds);
  });
}

void pin_to_first_core()
{
  takt_rt::ThreadAttributes own;
  own.cores = {takt_rt::usable_cores().front()};
  takt_rt::apply(own);
}

// A callback on a thread that is woken for each of its runs, as executors' threads are. The thread
// that wakes it has the same core and waits for the callback's end, so a round has two switches.
// The CPU time of both threads has all that the kernel does in these. The kernel has more to do for
// a thread of which the guard gets the page faults.
template <bool kGuarded>
void woken(benchmark::State & state, int us)
{
  const std::int64_t rounds = rounds_of(us);
  takt_rt::Semaphore wakes;
  takt_rt::Semaphore ended;
  bool ends = false;
  std::thread callback_thread([&] {
    pin_to_first_core();
    for (;;) {
      wakes.wait();
      if (ends) {
        return;
      }
      {
        std::optional<Guard> guard;
        if (kGuarded) {
          guard.emplace(name());
        }
        work(rounds);
      }
      ended.post();
    }
  });
  std::thread waking_thread([&] {
    pin_to_first_core();
    const auto run = [&] {
      wakes.post();
      ended.wait();
    };
    run();  // the guard prepares the thread
    measure_cpu(state, CLOCK_PROCESS_CPUTIME_ID, run);
    ends = true;
    wakes.post();
  });
  waking_thread.join();
  callback_thread.join();
}

void scope(benchmark::State & state)
{
  for (auto _ : state) {
    const Guard guard(name());
    benchmark::DoNotOptimize(&guard);
  }
}

void free_mutex(benchmark::State & state)
{
  std::mutex mutex;
  for (auto _ : state) {
    mutex.lock();
    mutex.unlock();
  }
}

void guarded_free_mutex(benchmark::State & state)
{
  std::mutex mutex;
  const Guard guard(name());
  for (auto _ : state) {
    mutex.lock();
    mutex.unlock();
  }
}

}  // namespace

int main(int argc, char ** argv)
{
  const auto add = [](const char * title, void (*function)(benchmark::State &)) {
    benchmark::RegisterBenchmark(title, function);
  };
  add("c_library", c_library);
  add("outside", outside);
  add("inside", inside);
  add("callback", callback);
  add("guarded_callback", guarded_callback);
  const auto add_woken = [](const char * title, void (*function)(benchmark::State &, int), int us) {
    benchmark::RegisterBenchmark(title, function, us)->UseRealTime();
  };
  add_woken("woken", woken<false>, kShort);
  add_woken("guarded_woken", woken<true>, kShort);
  add_woken("woken_100us", woken<false>, 100);
  add_woken("guarded_woken_100us", woken<true>, 100);
  add("scope", scope);
  add("free_mutex", free_mutex);
  add("guarded_free_mutex", guarded_free_mutex);
  return takt_bench::run(
    argc, argv,
    {{"guarded_callback", "callback", 1.02, "a callback of 10 us in which nothing happens / alone"},
     {"guarded_woken", "woken", 1.08, "the same on a thread that is woken for each run / alone"},
     {"guarded_woken_100us", "woken_100us", 1.02, "a callback of 100 us on a woken thread / alone"},
     {"guarded_woken", "", 1000.0, "of the guard in a run for which a thread is woken", "woken"},
     {"outside", "", 10.0, "malloc and free outside of scopes, beside the C library", "c_library"},
     {"inside", "", 2000.0, "two events, malloc and free in a scope, beside the C library",
      "c_library"},
     {"scope", "", 200.0, "begin and end of a scope"},
     {"guarded_free_mutex", "", 20.0, "a free lock in a scope, beside the same outside",
      "free_mutex"}});
}
