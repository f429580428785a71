// The toolkit of takt_rt beside the physical limit of each part, in one run: a copy, the hop of a
// cache line between cores, a free list, reading the clock, clock_nanosleep and cyclictest.
#include <benchmark/benchmark.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "ratio_reporter.hpp"
#include "takt_rt/application/application.hpp"
#include "takt_rt/box.hpp"
#include "takt_rt/exchange.hpp"
#include "takt_rt/histogram.hpp"
#include "takt_rt/log/logger.hpp"
#include "takt_rt/memory/block_pool.hpp"
#include "takt_rt/memory/inplace_function.hpp"
#include "takt_rt/memory/tlsf_resource.hpp"
#include "takt_rt/monotonic_clock.hpp"
#include "takt_rt/mpsc_ring.hpp"
#include "takt_rt/pi_mutex.hpp"
#include "takt_rt/robust_mutex.hpp"
#include "takt_rt/spsc_ring.hpp"
#include "takt_rt/thread_attributes.hpp"
#include "takt_rt/time.hpp"

namespace
{

using namespace takt_rt;  // NOLINT: a benchmark's own file

struct Sample
{
  std::array<std::uint64_t, 8> words;  // one cache line
};

// ---- one thread: the cost of the instructions ----

void copy(benchmark::State & state)
{
  Sample from{};
  Sample there{};
  Sample to{};
  for (auto _ : state) {
    benchmark::DoNotOptimize(from);
    there = from;
    benchmark::DoNotOptimize(there);
    to = there;
    benchmark::DoNotOptimize(to);
  }
}

// Two swaps of an uncontended word: the least that hands a value over and takes it without a lock.
void copy_and_two_swaps(benchmark::State & state)
{
  Sample from{};
  Sample there{};
  Sample to{};
  std::atomic<std::uint32_t> word{0};
  for (auto _ : state) {
    benchmark::DoNotOptimize(from);
    there = from;
    word.exchange(1, std::memory_order_acq_rel);
    benchmark::DoNotOptimize(there);
    word.exchange(0, std::memory_order_acq_rel);
    to = there;
    benchmark::DoNotOptimize(to);
  }
}

void exchange(benchmark::State & state)
{
  Exchange<Sample> shared;
  Sample from{};
  for (auto _ : state) {
    benchmark::DoNotOptimize(from);
    shared.write(from);
    Sample to = shared.read().value;
    benchmark::DoNotOptimize(to);
  }
}

template <typename Shared>
void set_and_get(benchmark::State & state)
{
  Shared shared;
  Sample from{};
  for (auto _ : state) {
    benchmark::DoNotOptimize(from);
    shared.set(from);
    Sample to = shared.get();
    benchmark::DoNotOptimize(to);
  }
}

template <typename Ring>
void push_and_pop(benchmark::State & state)
{
  Ring ring(64);
  Sample from{};
  Sample to{};
  for (auto _ : state) {
    benchmark::DoNotOptimize(from);
    ring.try_push(from);
    ring.try_pop(to);
    benchmark::DoNotOptimize(to);
  }
}

// One compare-and-swap to lock, one to unlock: the least that a mutex with an owner needs.
void two_compare_and_swaps(benchmark::State & state)
{
  std::atomic<std::uint32_t> word{0};
  for (auto _ : state) {
    std::uint32_t free = 0;
    word.compare_exchange_strong(free, 1, std::memory_order_acquire, std::memory_order_relaxed);
    std::uint32_t own = 1;
    word.compare_exchange_strong(own, 0, std::memory_order_release, std::memory_order_relaxed);
  }
}

template <typename Mutex>
void lock_and_unlock(benchmark::State & state)
{
  Mutex mutex;
  for (auto _ : state) {
    mutex.lock();
    benchmark::ClobberMemory();
    mutex.unlock();
  }
}

// ---- two threads on two cores ----

std::vector<int> two_cores()
{
  const std::vector<int> cores = usable_cores();
  return cores.size() < 2 ? std::vector<int>{} : std::vector<int>{cores[0], cores[1]};
}

void pin(int core)
{
  ThreadAttributes own;
  own.cores = {core};
  apply(own);
}

// One round of `Hop` takes a value to the other core and an answer back.
template <typename Hop>
void there_and_back(benchmark::State & state)
{
  const std::vector<int> cores = two_cores();
  if (cores.empty()) {
    state.SkipWithError("needs two cores");
    return;
  }
  Hop hop;
  std::thread other([&] {
    pin(cores[1]);
    hop.answer();
  });
  std::thread asking([&] {
    pin(cores[0]);
    std::uint64_t round = 0;
    for (auto _ : state) {
      hop.ask(++round);
    }
    hop.ask(0);
  });
  asking.join();
  other.join();
}

struct LineHop
{
  void ask(std::uint64_t round)
  {
    there.store(round, std::memory_order_release);
    while (round != 0 && back.load(std::memory_order_acquire) != round) {
    }
  }
  void answer()
  {
    for (std::uint64_t last = ~std::uint64_t{0};;) {
      const std::uint64_t round = there.load(std::memory_order_acquire);
      if (round != last && round != ~std::uint64_t{0}) {
        back.store(round, std::memory_order_release);
        last = round;
        if (round == 0) {
          return;
        }
      }
    }
  }
  alignas(64) std::atomic<std::uint64_t> there{~std::uint64_t{0}};
  alignas(64) std::atomic<std::uint64_t> back{0};
};

template <template <typename> class Ring>
struct RingHop
{
  void ask(std::uint64_t round)
  {
    there.try_push(round);
    for (std::uint64_t answered = 0; round != 0 && answered != round;) {
      back.try_pop(answered);
    }
  }
  void answer()
  {
    for (std::uint64_t round = 1; round != 0;) {
      if (there.try_pop(round)) {
        back.try_push(round);
      }
    }
  }
  Ring<std::uint64_t> there{64};
  Ring<std::uint64_t> back{64};
};

// ---- wake-up: the median of 300 at 1 kHz, each beside nothing else on its core that is as urgent
// ----

constexpr int kPriority = 80;
constexpr int kWakeUps = 300;
constexpr Duration kPeriod = std::chrono::milliseconds(1);

ThreadAttributes urgent()
{
  ThreadAttributes attributes;
  attributes.policy = Policy::fifo;
  attributes.priority = kPriority;
  attributes.cores = {usable_cores().back()};
  return attributes;
}

bool may_measure(benchmark::State & state)
{
  if (!may_use_realtime(kPriority)) {
    state.SkipWithError("needs real-time rights");
    return false;
  }
  return true;
}

void raw_wake_up(benchmark::State & state)
{
  if (!may_measure(state)) {
    return;
  }
  LogHistogram latencies;
  for (auto _ : state) {
    std::thread([&latencies] {
      apply(urgent());
      Time release = now() + kPeriod;
      for (int i = 0; i < kWakeUps; ++i, release += kPeriod) {
        MonotonicClock::sleep_until(release);
        latencies.record(now() - release);
      }
    }).join();
  }
  state.counters["ns"] = static_cast<double>(latencies.quantile(0.5));
}

void cyclic_wake_up(benchmark::State & state)
{
  if (!may_measure(state)) {
    return;
  }
  std::int64_t median = 0;
  for (auto _ : state) {
    Application application;
    CyclicOptions options;
    options.period = kPeriod;
    options.attributes = urgent();
    int cycles = 0;
    application.add(options, [&cycles](const Cycle &) {
      return ++cycles == kWakeUps ? NextCycle::stop : NextCycle::go_on;
    });
    if (!application.start().ok()) {
      state.SkipWithError("the application did not start");
      return;
    }
    application.wait();
    median = application.threads()[0]->latencies().quantile(0.5);
  }
  state.counters["ns"] = static_cast<double>(median);
}

// cyclictest prints how often it woke up how many microseconds late, with lines such as
// "000007 000123".
std::int64_t median_of_cyclictest(std::FILE * output)
{
  LogHistogram latencies;
  char line[256];
  while (std::fgets(line, sizeof line, output) != nullptr) {
    unsigned long us = 0;
    unsigned long times = 0;
    char rest = 0;
    if (std::sscanf(line, "%6lu %lu %c", &us, &times, &rest) == 2) {
      for (unsigned long i = 0; i < times; ++i) {
        latencies.record(std::chrono::microseconds(static_cast<std::int64_t>(us)));
      }
    }
  }
  return latencies.count() == 0 ? 0 : latencies.quantile(0.5);
}

void cyclictest_wake_up(benchmark::State & state)
{
  if (!may_measure(state)) {
    return;
  }
  const std::string command =
    "cyclictest --policy=fifo --priority=" + std::to_string(kPriority) +
    " --interval=" + std::to_string(kPeriod / std::chrono::microseconds(1)) +
    " --loops=" + std::to_string(kWakeUps) +
    " --affinity=" + std::to_string(usable_cores().back()) +
    " --threads=1 --histogram=100000 --mlockall --default-system --quiet 2>/dev/null";
  std::int64_t median = 0;
  for (auto _ : state) {
    std::FILE * const output = ::popen(command.c_str(), "r");
    median = output == nullptr ? 0 : median_of_cyclictest(output);
    if (output == nullptr || ::pclose(output) != 0 || median == 0) {
      state.SkipWithError("cyclictest (Debian package rt-tests) is not installed, or cannot run");
      return;
    }
  }
  state.counters["ns"] = static_cast<double>(median);
}

// ---- memory ----

struct FreeBlock
{
  FreeBlock * next;
};

// Takes and returns `kHeld` blocks in turn, as a program that has several at once.
constexpr std::size_t kHeld = 16;

template <typename Take, typename Give>
void hold_blocks(benchmark::State & state, Take take, Give give)
{
  std::array<void *, kHeld> held{};
  for (void *& block : held) {
    block = take();
  }
  std::size_t turn = 0;
  void * const * const seen = held.data();
  benchmark::DoNotOptimize(seen);
  for (auto _ : state) {
    give(held[turn]);
    held[turn] = take();
    benchmark::ClobberMemory();
    turn = (turn + 7) % kHeld;
  }
  for (void * const block : held) {
    give(block);
  }
}

void free_list(benchmark::State & state)
{
  std::vector<Sample> memory(64);
  FreeBlock * top = nullptr;
  for (Sample & block : memory) {
    top = new (&block) FreeBlock{top};
  }
  hold_blocks(
    state,
    [&]() -> void * {
      FreeBlock * const block = top;
      top = block->next;
      return block;
    },
    [&](void * block) { top = new (block) FreeBlock{top}; });
}

// A free list for any thread: the same under the cheapest lock with priority inheritance.
void free_list_with_lock(benchmark::State & state)
{
  std::vector<Sample> memory(64);
  FreeBlock * top = nullptr;
  for (Sample & block : memory) {
    top = new (&block) FreeBlock{top};
  }
  PiMutex mutex;
  hold_blocks(
    state,
    [&]() -> void * {
      const std::lock_guard lock(mutex);
      FreeBlock * const block = top;
      top = block->next;
      return block;
    },
    [&](void * block) {
      const std::lock_guard lock(mutex);
      top = new (block) FreeBlock{top};
    });
}

void block_pool(benchmark::State & state)
{
  BlockPool pool(sizeof(Sample), 64);
  hold_blocks(
    state, [&] { return pool.try_allocate(); }, [&](void * block) { pool.release(block); });
}

// Sizes from 64 bytes to 5 kB in turn.
constexpr std::size_t next_size(std::size_t size)
{
  return size > 4000 ? 64 : size * 3 / 2;
}

// A free list for each size, without a lock: 32 to each power of two. Each block has its size in
// front of it.
void free_lists_by_size(benchmark::State & state)
{
  constexpr unsigned kLists = 32;
  const auto list_of = [](std::size_t size) {
    const unsigned bits = 63U - static_cast<unsigned>(__builtin_clzll(size));
    return bits * kLists + (size >> (bits - 5) & (kLists - 1));
  };
  struct SizedBlock
  {
    std::size_t size;
    SizedBlock * next;
  };
  std::array<SizedBlock *, kLists * 16> tops{};
  std::vector<std::vector<std::byte>> memory;
  std::size_t size = 64;
  do {
    size = next_size(size);
    for (std::size_t block = 0; block < kHeld; ++block) {
      memory.emplace_back(size + sizeof(SizedBlock));
      SizedBlock *& top = tops[list_of(size)];
      top = new (memory.back().data()) SizedBlock{size, top};
    }
  } while (size != 64);
  hold_blocks(
    state,
    [&]() -> void * {
      size = next_size(size);
      SizedBlock *& top = tops[list_of(size)];
      SizedBlock * const block = top;
      top = block->next;
      return block;
    },
    [&](void * released) {
      auto * const block = static_cast<SizedBlock *>(released);
      SizedBlock *& top = tops[list_of(block->size)];
      block->next = top;
      top = block;
    });
}

template <typename Resource>
void tlsf(benchmark::State & state)
{
  Resource resource(1U << 20U);
  std::size_t size = 64;
  hold_blocks(
    state,
    [&] {
      size = next_size(size);
      return resource.try_allocate(size);
    },
    [&](void * block) { resource.release(block); });
}

void c_library(benchmark::State & state)
{
  std::size_t size = 64;
  hold_blocks(
    state,
    [&] {
      size = next_size(size);
      return std::malloc(size);
    },
    [](void * block) { std::free(block); });
}

// ---- calls ----

int add_one(int value)
{
  benchmark::DoNotOptimize(value);
  return value + 1;
}

void function_pointer(benchmark::State & state)
{
  int (*function)(int) = add_one;
  for (auto _ : state) {
    benchmark::DoNotOptimize(function);
    benchmark::DoNotOptimize(function(1));
  }
}

void inplace_function(benchmark::State & state)
{
  InplaceFunction<int(int)> function = add_one;
  for (auto _ : state) {
    benchmark::DoNotOptimize(function);
    benchmark::DoNotOptimize(function(1));
  }
}

void clock_read(benchmark::State & state)
{
  for (auto _ : state) {
    benchmark::DoNotOptimize(now());
  }
}

// The median of batches, so that a batch during which the thread lost its core does not count. The
// queue is emptied between batches, outside the measured time, so that no call meets a full one.
void log_call(benchmark::State & state)
{
  constexpr int kBatch = 100;
  LoggerOptions options;
  options.records = 4 * kBatch;
  options.sink = [](const LogLine &) {};
  Logger logger(options);
  LogHistogram batches;
  for (auto _ : state) {
    const Time begin = now();
    for (int i = 0; i < kBatch; ++i) {
      TAKT_RT_LOG(logger, info, "cycle %d: output %f of %s", i, 0.5, "the motor");
    }
    batches.record(now() - begin);
    logger.flush();
  }
  state.counters["ns"] = static_cast<double>(batches.quantile(0.5)) / kBatch;
  if (logger.dropped() > 0) {
    state.SkipWithError("the queue was full");
  }
}

}  // namespace

int main(int argc, char ** argv)
{
  const auto add = [](const char * name, void (*function)(benchmark::State &)) {
    benchmark::RegisterBenchmark(name, function);
  };
  add("copy", copy);
  add("copy_and_two_swaps", copy_and_two_swaps);
  add("exchange", exchange);
  add("box", set_and_get<Box<Sample>>);
  add("spsc_ring", push_and_pop<SpscRing<Sample>>);
  add("mpsc_ring", push_and_pop<MpscRing<Sample>>);
  add("two_compare_and_swaps", two_compare_and_swaps);
  add("pi_mutex", lock_and_unlock<PiMutex>);
  add("robust_mutex", lock_and_unlock<RobustMutex>);
  benchmark::RegisterBenchmark("line_hop", there_and_back<LineHop>)->UseRealTime();
  benchmark::RegisterBenchmark("spsc_hop", there_and_back<RingHop<SpscRing>>)->UseRealTime();
  benchmark::RegisterBenchmark("mpsc_hop", there_and_back<RingHop<MpscRing>>)->UseRealTime();
  benchmark::RegisterBenchmark("raw_wake_up", raw_wake_up)->Iterations(1);
  benchmark::RegisterBenchmark("cyclic_wake_up", cyclic_wake_up)->Iterations(1);
  benchmark::RegisterBenchmark("cyclictest_wake_up", cyclictest_wake_up)->Iterations(1);
  add("free_list", free_list);
  add("free_lists_by_size", free_lists_by_size);
  add("free_list_with_lock", free_list_with_lock);
  add("block_pool", block_pool);
  add("tlsf", tlsf<TlsfResource>);
  add("tlsf_one_thread", tlsf<UnsynchronizedTlsfResource>);
  add("c_library", c_library);
  add("function_pointer", function_pointer);
  add("inplace_function", inplace_function);
  add("clock", clock_read);
  benchmark::RegisterBenchmark("log", log_call)->Iterations(200);
  return takt_bench::run(
    argc, argv,
    {{"exchange", "copy", 20.0, "latest value, write and read / two plain copies"},
     {"exchange", "copy_and_two_swaps", 2.0, "latest value, write and read / copies and two swaps"},
     {"pi_mutex", "two_compare_and_swaps", 1.5,
      "free PiMutex, lock and unlock / two compare-and-swaps"},
     {"robust_mutex", "two_compare_and_swaps", 4.0, "free RobustMutex / two compare-and-swaps"},
     {"spsc_hop", "line_hop", 2.0, "SPSC ring, there and back / cache line, there and back"},
     {"mpsc_hop", "line_hop", 3.0, "MPSC ring, there and back / cache line, there and back"},
     {"cyclic_wake_up", "raw_wake_up", 1.5, "cyclic thread's wake-up / clock_nanosleep alone"},
     {"cyclic_wake_up", "cyclictest_wake_up", 1.5, "cyclic thread's wake-up / cyclictest", "",
      true},
     {"block_pool", "free_list_with_lock", 1.0, "pool, free and allocate / free list with a lock"},
     {"tlsf", "free_list_with_lock", 2.0, "heap, free and allocate / free list with a lock"},
     {"tlsf_one_thread", "free_lists_by_size", 4.0,
      "heap of one thread / a free list for each size"},
     {"tlsf_one_thread", "free_list", 20.0, "heap of one thread / a bare free list of one size"},
     {"inplace_function", "function_pointer", 2.0,
      "function without allocation / function pointer"},
     {"log", "", 50.0, "log call beside reading the clock", "clock"}});
}
