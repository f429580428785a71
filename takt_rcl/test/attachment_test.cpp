// A real-time thread takes a callback or an executor away: whoever uses it meanwhile gets on, on one
// core too.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "signals.hpp"
#include "takt_core/executor.hpp"
#include "takt_rcl/attachment.hpp"

namespace takt_rcl::test
{

namespace
{

using namespace std::chrono_literals;

class Nothing : public takt_core::Callback
{
public:
  Nothing() : Callback(takt_core::CallbackOptions{}) {}
  void run(const takt_core::Run &) override {}
};

// One core for all threads of a test; the last one that this process may use.
cpu_set_t one_core()
{
  cpu_set_t allowed;
  ::sched_getaffinity(0, sizeof(allowed), &allowed);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int core = CPU_SETSIZE - 1; core >= 0; --core) {
    if (CPU_ISSET(core, &allowed)) {
      CPU_SET(core, &one);
      break;
    }
  }
  return one;
}

bool set_fifo(pthread_t thread, int priority)
{
  sched_param parameters{};
  parameters.sched_priority = priority;
  return ::pthread_setschedparam(thread, SCHED_FIFO, &parameters) == 0;
}

std::chrono::nanoseconds cpu_time(pthread_t thread)
{
  clockid_t clock = 0;
  timespec time{};
  ::pthread_getcpuclockid(thread, &clock);
  ::clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

TEST(Attachment, IsGoneForEverybodyAfterClear)
{
  auto executor = takt_core::Executor::create();
  ASSERT_TRUE(executor.ok());
  Nothing callback;
  Attachment attachment;
  const auto use = [&] {
    return attachment.use([&](takt_core::Executor & e, takt_core::Callback & c) {
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

// An ordinary thread is inside; a thread of middle priority keeps their common core busy; a thread of
// high priority takes the callback away. It must lend its priority: the time that the middle thread
// gets meanwhile is counted in its own CPU time, so nothing else on the machine matters.
TEST(Attachment, LendsThePriorityOfWhoTakesAwayToWhoIsInside)
{
  auto executor = takt_core::Executor::create();
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
    attachment.use([&](takt_core::Executor &, takt_core::Callback &) {
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
  // Started at their priorities by a thread that outranks them both.
  std::thread taker([&] {
    ::pthread_setaffinity_np(::pthread_self(), sizeof(core), &core);
    if (!set_fifo(::pthread_self(), 50)) {
      allowed = false;
      leave = true;
      return;
    }
    std::thread hog([&] {
      while (!done) {
      }
    });
    set_fifo(hog.native_handle(), 30);
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
  // What real-time throttling would let through to the user otherwise comes after 950 ms of others.
  EXPECT_LT(hogged, 200ms);
  EXPECT_LT(spent, 200ms);
}

// An ordinary thread does nothing but handle signals; a real-time thread on the same core interrupts
// it again and again, mostly inside the handler, and takes an executor away. Whoever spun until the
// handler is done would spin until real-time throttling ends it.
TEST(SignalHandler, GetsOnWhereARealTimeThreadWaitsForIt)
{
  auto executor = takt_core::Executor::create();
  ASSERT_TRUE(executor.ok());
  const cpu_set_t core = one_core();
  std::atomic<bool> done{false};
  signals::acquire();
  std::thread handling([&] {
    ::pthread_setaffinity_np(::pthread_self(), sizeof(core), &core);
    while (!done) {
      ::raise(SIGINT);
    }
  });
  std::chrono::nanoseconds spent{};
  bool allowed = true;
  std::thread remover([&] {
    ::pthread_setaffinity_np(::pthread_self(), sizeof(core), &core);
    allowed = set_fifo(::pthread_self(), 50);
    for (int i = 0; allowed && i < 200; ++i) {
      signals::add(*executor.value());
      std::this_thread::sleep_for(200us);
      signals::remove(*executor.value());
    }
    spent = cpu_time(::pthread_self());
    done = true;
  });
  remover.join();
  handling.join();
  signals::release();
  if (!allowed) {
    GTEST_SKIP() << "no right to use SCHED_FIFO";
  }
  EXPECT_LT(spent, 400ms);
}

TEST(Attachment, SurvivesUsersAndTakersAtOnce)
{
  auto executor = takt_core::Executor::create();
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
        attachment.use(
          [&](takt_core::Executor &, takt_core::Callback &) { wrong += there ? 0 : 1; });
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

}  // namespace takt_rcl::test
