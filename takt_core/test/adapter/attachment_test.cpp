// A real-time thread detaches a callback: a thread that uses it continues meanwhile, also if both
// share one core.
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "support/one_core.hpp"
#include "takt_core/adapter/attachment.hpp"
#include "takt_core/executor.hpp"

namespace takt_core::adapter
{

namespace
{

using namespace std::chrono_literals;
using test::cpu_time;
using test::one_core;
using test::set_fifo;

class Nothing : public Callback
{
public:
  Nothing() : Callback(CallbackOptions{}) {}
  void run(const Run &) override {}
};

TEST(Attachment, IsGoneForEverybodyAfterClear)
{
  auto executor = Executor::create();
  ASSERT_TRUE(executor.ok());
  Nothing callback;
  Attachment attachment;
  const auto use = [&] {
    return attachment.use([&](Executor & e, Callback & c) {
      EXPECT_EQ(&e, executor.value().get());
      EXPECT_EQ(&c, &callback);
    });
  };
  EXPECT_FALSE(use());
  attachment.set(*executor.value(), callback);
  EXPECT_TRUE(use());
  attachment.clear();
  EXPECT_FALSE(use());
}

// An ordinary thread is inside; a thread of middle priority keeps their common core busy; a thread
// of high priority detaches the callback, and must lend its priority to the ordinary thread. The
// CPU time of the middle thread counts the time that it gets meanwhile, so other load of the
// machine does not matter.
TEST(Attachment, LendsThePriorityOfWhoTakesAwayToWhoIsInside)
{
  auto executor = Executor::create();
  ASSERT_TRUE(executor.ok());
  Nothing callback;
  Attachment attachment;
  attachment.set(*executor.value(), callback);
  const cpu_set_t core = one_core();
  std::atomic<bool> inside{false};
  std::atomic<bool> leave{false};
  std::atomic<bool> done{false};

  std::thread user([&] {
    ::pthread_setaffinity_np(::pthread_self(), sizeof(core), &core);
    attachment.use([&](Executor &, Callback &) {
      inside = true;
      while (!leave) {
      }
    });
  });
  while (!inside) {
    std::this_thread::sleep_for(1ms);
  }
  std::chrono::nanoseconds hogged{};
  std::chrono::nanoseconds spent{};
  bool allowed = true;
  // A thread that outranks both other threads starts them at their priorities.
  std::thread taker([&] {
    ::pthread_setaffinity_np(::pthread_self(), sizeof(core), &core);
    if (!set_fifo(::pthread_self(), 50)) {
      allowed = false;
      leave = true;
      return;
    }
    // The middle thread has the taker's priority until it gets its own. It must not run before
    // that, since the taker would wait behind it.
    std::atomic<bool> may_hog{false};
    std::thread hog([&] {
      may_hog.wait(false);
      while (!done) {
      }
    });
    set_fifo(hog.native_handle(), 30);
    may_hog = true;
    may_hog.notify_one();
    leave = true;
    const auto hog_before = cpu_time(hog.native_handle());
    const auto own_before = cpu_time(::pthread_self());
    attachment.clear();
    hogged = cpu_time(hog.native_handle()) - hog_before;
    spent = cpu_time(::pthread_self()) - own_before;
    done = true;
    hog.join();
  });
  taker.join();
  user.join();
  if (!allowed) {
    GTEST_SKIP() << "no right to use SCHED_FIFO";
  }
  // Without the lent priority, real-time throttling would let the user run after 950 ms.
  EXPECT_LT(hogged, 200ms);
  EXPECT_LT(spent, 200ms);
}

TEST(Attachment, SurvivesUsersAndTakersAtOnce)
{
  auto executor = Executor::create();
  ASSERT_TRUE(executor.ok());
  Nothing callback;
  Attachment attachment;
  std::atomic<bool> there{false};
  std::atomic<int> wrong{0};
  std::atomic<bool> stop{false};
  std::vector<std::thread> users;
  for (int i = 0; i < 5; ++i) {  // more than gates
    users.emplace_back([&] {
      while (!stop) {
        attachment.use([&](Executor &, Callback &) { wrong += there ? 0 : 1; });
      }
    });
  }
  for (int i = 0; i < 500; ++i) {
    there = true;
    attachment.set(*executor.value(), callback);
    std::this_thread::yield();
    attachment.clear();
    there = false;
  }
  stop = true;
  for (auto & user : users) {
    user.join();
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace takt_core::adapter
