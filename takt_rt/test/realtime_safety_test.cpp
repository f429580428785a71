// The functions that headers of the toolkit call real-time safe do not allocate.
#include <gtest/gtest.h>

#include <memory>

#include "takt_rt/allocation_guard.hpp"
#include "takt_rt/exchange.hpp"
#include "takt_rt/futex.hpp"
#include "takt_rt/histogram.hpp"
#include "takt_rt/memory_lock.hpp"
#include "takt_rt/pi_mutex.hpp"
#include "takt_rt/running_statistics.hpp"
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

TEST_F(RealTimeSafety, PageFaultCounters)
{
  EXPECT_EQ(allocations_of([] { (void)thread_page_faults(); }), 0U);
  EXPECT_EQ(allocations_of([] { (void)process_page_faults(); }), 0U);
}

}  // namespace
}  // namespace takt_rt
