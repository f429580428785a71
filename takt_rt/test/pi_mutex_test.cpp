#include "takt_rt/pi_mutex.hpp"

#include <gtest/gtest.h>
#include <sys/types.h>

#include <atomic>
#include <latch>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/thread_state.hpp"
#include "takt_rt/robust_mutex.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_rt
{

namespace
{

using test::own_tid;
using test::stat_fields;
using test::wait_until_sleeping;

TEST(PiMutex, AdmitsOneThreadAtATime)
{
  constexpr int kThreads = 4;
  constexpr int kRounds = 20000;
  PiMutex mutex;
  int plain = 0;
  std::atomic<int> inside{0};
  std::atomic<bool> overlapped{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        const std::lock_guard lock(mutex);
        overlapped = overlapped || inside.fetch_add(1) != 0;
        ++plain;
        inside.fetch_sub(1);
      }
    });
  }
  for (std::thread & thread : threads) {
    thread.join();
  }
  EXPECT_FALSE(overlapped);
  EXPECT_EQ(plain, kThreads * kRounds);
}

TEST(PiMutex, TryLockFailsOnlyWhileHeld)
{
  PiMutex mutex;
  std::unique_lock lock(mutex, std::try_to_lock);
  ASSERT_TRUE(lock.owns_lock());
  std::thread([&] { EXPECT_FALSE(std::unique_lock(mutex, std::try_to_lock).owns_lock()); }).join();
  lock.unlock();
  std::thread([&] { EXPECT_TRUE(std::unique_lock(mutex, std::try_to_lock).owns_lock()); }).join();
}

TEST(PiMutex, TellsWhetherTheCallingThreadHasIt)
{
  PiMutex mutex;
  EXPECT_FALSE(mutex.held());
  mutex.lock();
  EXPECT_TRUE(mutex.held());
  std::thread([&] { EXPECT_FALSE(mutex.held()); }).join();
  const std::uint64_t before = PiMutex::waits();
  std::thread waiting([&] {
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(mutex.held());
  });
  while (PiMutex::waits() == before) {
    std::this_thread::yield();
  }
  EXPECT_TRUE(mutex.held()) << "also while another thread waits";
  mutex.unlock();
  EXPECT_FALSE(mutex.held());
  waiting.join();
}

TEST(PiMutexDeathTest, MisuseEndsTheProcessWithAMessage)
{
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
    {
      PiMutex mutex;
      mutex.unlock();
    },
    "PiMutex unlock");
  EXPECT_DEATH(
    {
      PiMutex mutex;
      mutex.lock();
      mutex.lock();
    },
    "PiMutex lock");
}

/// The priority the thread runs with now, boosts included: field 18 is -1 - priority.
int effective_priority(pid_t tid)
{
  return -1 - std::stoi(stat_fields(tid).at(18 - 3));
}

struct Inversion
{
  int low_before = 0;       ///< low's effective priority without a waiter
  int low_waited = 0;       ///< while high waits for low
  int low_after = 0;        ///< after its unlock
  bool high_first = false;  ///< high had entered before middle ran
};

/// Low holds the mutex and high waits for it when middle becomes ready, all on one core. The
/// controller is above all of them, so each step is complete before the next begins.
template <typename Mutex>
Inversion provoke_inversion()
{
  constexpr int kLow = 10;
  constexpr int kMiddle = 20;
  constexpr int kHigh = 30;
  constexpr int kController = 40;
  const std::vector<int> core{usable_cores().back()};
  const auto set_priority = [&core](int priority, pid_t tid = 0) {
    const AttributeReport report =
      apply({.policy = Policy::fifo, .priority = priority, .cores = core}, tid);
    EXPECT_TRUE(report.granted_all());
  };

  Inversion seen;
  Mutex mutex;
  std::atomic<bool> release{false};
  std::atomic<bool> high_entered{false};
  std::thread controller([&] {
    set_priority(kController);
    std::atomic<pid_t> low_tid{0};
    std::latch low_holds(1);
    std::thread low([&] {
      set_priority(kLow);
      mutex.lock();
      low_tid = own_tid();
      low_holds.count_down();
      while (!release) {
      }
      mutex.unlock();
      seen.low_after = effective_priority(own_tid());
    });
    low_holds.wait();
    seen.low_before = effective_priority(low_tid);

    std::atomic<pid_t> high_tid{0};
    std::thread high([&] {
      set_priority(kHigh);
      high_tid = own_tid();
      mutex.lock();  // the only remaining place where it can sleep
      high_entered = true;
      mutex.unlock();
    });
    wait_until_sleeping(high_tid);
    seen.low_waited = effective_priority(low_tid);

    std::atomic<pid_t> middle_tid{0};
    std::latch middle_go(1);
    std::thread middle([&] {
      middle_tid = own_tid();
      middle_go.wait();
      seen.high_first = high_entered;
    });
    wait_until_sleeping(middle_tid);
    set_priority(kMiddle, middle_tid);
    middle_go.count_down();
    release = true;
    low.join();  // leaves the core to low and middle: the kernel chooses between them
    middle.join();
    high.join();
  });
  controller.join();
  return seen;
}

template <typename Mutex>
class Boosting : public ::testing::Test
{
};
using BoostingMutexes = ::testing::Types<PiMutex, RobustMutex>;
TYPED_TEST_SUITE(Boosting, BoostingMutexes);

TYPED_TEST(Boosting, LiftsTheHolderAboveThreadsInBetween)
{
  if (!may_use_realtime(50)) {
    GTEST_SKIP() << "needs the right to set real-time priorities (CAP_SYS_NICE or rtprio 50)";
  }
  const Inversion seen = provoke_inversion<TypeParam>();
  EXPECT_EQ(seen.low_before, 10);
  EXPECT_EQ(seen.low_waited, 30);
  EXPECT_EQ(seen.low_after, 10);
  EXPECT_TRUE(seen.high_first);
}

// The broken twin: the test above must detect it.
TEST(PiMutex, APlainMutexLetsTheMiddleThreadGoFirst)
{
  if (!may_use_realtime(50)) {
    GTEST_SKIP() << "needs the right to set real-time priorities (CAP_SYS_NICE or rtprio 50)";
  }
  const Inversion seen = provoke_inversion<std::mutex>();
  EXPECT_EQ(seen.low_waited, 10);
  EXPECT_FALSE(seen.high_first);
}

}  // namespace
}  // namespace takt_rt
