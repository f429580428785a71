// The guard's costs beside the same code without it, in one run: outside of scopes, in a scope in
// which nothing happens, and for an event.
//
// The program links the guard, so its calls of malloc and free go through it. The C library's own
// names do not.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>

#include "ratio_reporter.hpp"
#include "takt_rt/guard/guard.hpp"

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

// 10 us: a short callback.
void work()
{
  std::uint64_t value = 1;
  for (int i = 0; i < 2500; ++i) {
    value = value * 6364136223846793005ULL + 1442695040888963407ULL;
    benchmark::DoNotOptimize(value);
  }
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

void callback(benchmark::State & state)
{
  for (auto _ : state) {
    work();
  }
}

void guarded_callback(benchmark::State & state)
{
  for (auto _ : state) {
    const Guard guard(name());
    work();
  }
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
  add("scope", scope);
  add("free_mutex", free_mutex);
  add("guarded_free_mutex", guarded_free_mutex);
  return takt_bench::run(
    argc, argv,
    {{"guarded_callback", "callback", 1.02, "a callback of 10 us in which nothing happens / alone"},
     {"outside", "", 10.0, "malloc and free outside of scopes, beside the C library", "c_library"},
     {"inside", "", 2000.0, "two events, malloc and free in a scope, beside the C library",
      "c_library"},
     {"scope", "", 200.0, "begin and end of a scope"},
     {"guarded_free_mutex", "", 20.0, "a free lock in a scope, beside the same outside",
      "free_mutex"}});
}
