// Condition variable and semaphore with real threads.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "support/thread_state.hpp"
#include "takt_rt/condition_variable.hpp"
#include "takt_rt/pi_mutex.hpp"
#include "takt_rt/semaphore.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_rt
{
namespace
{

using namespace std::chrono_literals;

TEST(ConditionVariable, HandsABallBackAndForthWithoutALostNotification)
{
  constexpr std::uint64_t kRounds = 20000;
  PiMutex mutex;
  ConditionVariable condition;
  std::uint64_t ball = 0;
  const auto play = [&](std::uint64_t parity) {
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      std::unique_lock lock(mutex);
      condition.wait(lock, [&] { return ball % 2 == parity; });
      ++ball;
      condition.notify_one();
    }
  };
  std::thread other(play, 1U);
  play(0U);
  other.join();
  EXPECT_EQ(ball, 2 * kRounds);
}

TEST(ConditionVariable, NotifiesAll)
{
  PiMutex mutex;
  ConditionVariable condition;
  bool go = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      std::unique_lock lock(mutex);
      condition.wait(lock, [&] { return go; });
      EXPECT_TRUE(mutex.held());
    });
  }
  {
    const std::lock_guard lock(mutex);
    go = true;
  }
  condition.notify_all();
  for (std::thread & thread : threads) {
    thread.join();
  }
}

TEST(ConditionVariable, ReturnsAtItsDeadlineWithTheMutex)
{
  PiMutex mutex;
  ConditionVariable condition;
  std::unique_lock lock(mutex);
  const Time deadline = now() + 2ms;
  EXPECT_FALSE(condition.wait_until(lock, deadline, [] { return false; }));
  EXPECT_GE(now(), deadline);
  EXPECT_TRUE(mutex.held());
  EXPECT_TRUE(condition.wait_until(lock, now(), [] { return true; }));
}

TEST(Semaphore, CountsItsPosts)
{
  Semaphore semaphore(2);
  EXPECT_TRUE(semaphore.try_wait());
  semaphore.wait();
  EXPECT_FALSE(semaphore.try_wait());
  EXPECT_FALSE(semaphore.wait_until(now()));
  const Time deadline = now() + 2ms;
  EXPECT_FALSE(semaphore.wait_until(deadline));
  EXPECT_GE(now(), deadline);
  semaphore.post();
  EXPECT_TRUE(semaphore.wait_until(now())) << "a post is there, so the deadline does not count";
}

TEST(Semaphore, HandsWritesOverWithEachPost)
{
  constexpr std::uint64_t kRounds = 20000;
  Semaphore full;
  Semaphore empty(1);
  std::uint64_t plain = 0;  // only the semaphores order it; ThreadSanitizer checks
  std::thread consumer([&] {
    for (std::uint64_t i = 1; i <= kRounds; ++i) {
      full.wait();
      EXPECT_EQ(plain, i);
      empty.post();
    }
  });
  for (std::uint64_t i = 1; i <= kRounds; ++i) {
    empty.wait();
    plain = i;
    full.post();
  }
  consumer.join();
}

/// Three threads of different priority on one core go to sleep, the least urgent first; `notify`
/// then wakes one at a time. Returns their priorities in the order in which they woke.
std::vector<int> order_of_wake_ups(
  const std::function<void()> & sleep, const std::function<void()> & notify)
{
  const std::vector<int> core{usable_cores().back()};
  const auto become = [&core](int priority) {
    EXPECT_TRUE(apply({.policy = Policy::fifo, .priority = priority, .cores = core}).granted_all());
  };
  std::vector<int> order;  // written by one thread at a time: all are real-time threads of one core
  std::thread controller([&] {
    become(5);  // less urgent than the others: each woken thread ends before it runs on
    std::vector<std::thread> threads;
    for (const int priority : {10, 30, 20}) {
      std::atomic<pid_t> tid{0};
      threads.emplace_back([&, priority] {
        become(priority);
        tid = test::own_tid();
        sleep();
        order.push_back(priority);
      });
      test::wait_until_sleeping(tid);
    }
    for (std::size_t i = 0; i < threads.size(); ++i) {
      notify();
    }
    for (std::thread & thread : threads) {
      thread.join();
    }
  });
  controller.join();
  return order;
}

class MostUrgentFirst : public ::testing::Test
{
protected:
  void SetUp() override
  {
    if (!may_use_realtime(30)) {
      GTEST_SKIP() << "needs the right to set real-time priorities (CAP_SYS_NICE or rtprio 30)";
    }
  }
};

TEST_F(MostUrgentFirst, ConditionVariable)
{
  PiMutex mutex;
  ConditionVariable condition;
  int posts = 0;
  const std::vector<int> order = order_of_wake_ups(
    [&] {
      std::unique_lock lock(mutex);
      condition.wait(lock, [&] { return posts > 0; });
      --posts;
    },
    [&] {
      {
        const std::lock_guard lock(mutex);
        ++posts;
      }
      condition.notify_one();
    });
  EXPECT_EQ(order, (std::vector<int>{30, 20, 10}));
}

TEST_F(MostUrgentFirst, Semaphore)
{
  takt_rt::Semaphore semaphore;
  const std::vector<int> order =
    order_of_wake_ups([&] { semaphore.wait(); }, [&] { semaphore.post(); });
  EXPECT_EQ(order, (std::vector<int>{30, 20, 10}));
}

}  // namespace
}  // namespace takt_rt
