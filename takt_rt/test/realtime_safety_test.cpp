// The functions that headers of the toolkit call real-time safe do not allocate.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <mutex>

#include "takt_rt/allocation_guard.hpp"
#include "takt_rt/atomic_value.hpp"
#include "takt_rt/box.hpp"
#include "takt_rt/condition_variable.hpp"
#include "takt_rt/exchange.hpp"
#include "takt_rt/futex.hpp"
#include "takt_rt/histogram.hpp"
#include "takt_rt/memory/block_pool.hpp"
#include "takt_rt/memory/inplace_function.hpp"
#include "takt_rt/memory/tlsf_resource.hpp"
#include "takt_rt/memory_lock.hpp"
#include "takt_rt/mpsc_ring.hpp"
#include "takt_rt/pi_mutex.hpp"
#include "takt_rt/robust_mutex.hpp"
#include "takt_rt/running_statistics.hpp"
#include "takt_rt/semaphore.hpp"
#include "takt_rt/spsc_ring.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_rt
{

namespace
{

template <typename Function>
std::uint64_t allocations_of(Function function)
{
  const AllocationGuard guard;
  function();
  return guard.allocations();
}

class RealTimeSafety : public ::testing::Test
{
protected:
  void SetUp() override
  {
    if (!kWatches) {
      GTEST_SKIP() << "sanitizers bring an allocator of their own";
    }
  }
};

TEST_F(RealTimeSafety, TheGuardSeesAllocations)
{
  EXPECT_EQ(allocations_of([] { *std::make_unique<volatile int>() = 1; }), 2U);
}

TEST_F(RealTimeSafety, ThreadAttributes)
{
  const ThreadAttributes attributes;
  EXPECT_EQ(allocations_of([&] { (void)urgency(attributes); }), 0U);
  EXPECT_EQ(allocations_of([] { (void)set_own_priority(Policy::other, 0); }), 0U);
}

TEST_F(RealTimeSafety, PiMutexAndFutex)
{
  PiMutex mutex;
  const std::atomic<std::uint32_t> word{0};
  const auto use = [&] {
    mutex.lock();
    (void)futex_wait(word, 1);
    (void)futex_wait(word, 0, now());
    futex_wake(word, 1);
    mutex.unlock();
    if (mutex.try_lock()) {
      mutex.unlock();
    }
  };
  EXPECT_EQ(allocations_of(use), 0U);
}

TEST_F(RealTimeSafety, ExchangeAndStatistics)
{
  Exchange<int> exchange;
  LogHistogram histogram;
  LogHistogram other;
  RunningStatistics statistics;
  const auto use = [&] {
    exchange.write(1);
    (void)exchange.read();
    histogram.record(12345);
    (void)histogram.quantile(0.5);
    histogram.merge(other);
    histogram.clear();
    statistics.record(1.0);
    statistics.merge(statistics);
  };
  EXPECT_EQ(allocations_of(use), 0U);
}

TEST_F(RealTimeSafety, ValuesAndRings)
{
  AtomicValue<double> atomic;
  Box<std::array<double, 3>> box;
  SpscRing<int> spsc(2);
  MpscRing<int> mpsc(2);
  const auto use = [&] {
    atomic.set(1.0);
    (void)atomic.modify([](double old) { return old + 1.0; });
    std::array<double, 3> gains{};
    box.set(gains);
    (void)box.try_set(gains);
    (void)box.try_get(gains);
    for (int value = 0; value < 4; ++value) {
      (void)spsc.try_push(value);
      (void)mpsc.try_push(value);
    }
    int value = 0;
    (void)spsc.try_pop(value);
    (void)mpsc.try_pop(value);
  };
  EXPECT_EQ(allocations_of(use), 0U);
}

TEST_F(RealTimeSafety, LocksAndWaiting)
{
  PiMutex mutex;
  RobustMutex robust;
  ConditionVariable condition;
  Semaphore semaphore;
  const auto use = [&] {
    (void)robust.acquire();
    (void)robust.release();
    std::unique_lock lock(mutex);
    (void)condition.wait_until(lock, now());
    condition.notify_all();
    (void)semaphore.wait_until(now());
    semaphore.post();
    semaphore.wait();
  };
  EXPECT_EQ(allocations_of(use), 0U);
}

TEST_F(RealTimeSafety, PoolsAndFunctions)
{
  BlockPool pool(64, 4);
  TlsfResource heap(1U << 16U);
  const auto use = [&] {
    pool.release(pool.try_allocate());
    heap.release(heap.try_allocate(1000, 64));
    std::array<char, 40> large{};
    InplaceFunction<int(int)> function = [large](int value) { return value + large[0]; };
    InplaceFunction<int(int)> moved = std::move(function);
    (void)moved(1);
  };
  EXPECT_EQ(allocations_of(use), 0U);
}

TEST_F(RealTimeSafety, PageFaultCounters)
{
  EXPECT_EQ(allocations_of([] { (void)thread_page_faults(); }), 0U);
  EXPECT_EQ(allocations_of([] { (void)process_page_faults(); }), 0U);
}

}  // namespace
}  // namespace takt_rt
