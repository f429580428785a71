// Condition variable and semaphore: the real code in every interleaving. Beside each promise the
// test must reject broken twins.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "support/promise.hpp"
#include "support/stepper.hpp"
#include "takt_rt/condition_variable.hpp"
#include "takt_rt/semaphore.hpp"

namespace takt_rt::test
{
namespace
{

/// The kernel's sleep on one word, of which each model has one: it compares the word and goes to
/// sleep in one step, and wakes only threads that sleep.
struct Kernel
{
  Kernel()
  {
    Stepper::active()->add(&asleep);
    Stepper::active()->add(&woken);
    active = this;
  }

  /// True after a wake-up; false if the thread did not sleep, because not `condition()`.
  bool sleep_if(const std::function<bool()> & condition)
  {
    Stepper & stepper = *Stepper::active();
    bool sleeps = false;
    stepper.modify(&asleep, [&](std::uint64_t old) {
      sleeps = condition();
      return old + (sleeps ? 1 : 0);
    });
    stepper.remember(sleeps ? 1 : 0);
    if (sleeps) {
      stepper.modify(
        &woken, [](std::uint64_t old) { return old - 1; }, [this] { return woken > 0; });
    }
    return sleeps;
  }

  void wake(std::uint64_t most)
  {
    Stepper::active()->modify(&asleep, [&](std::uint64_t old) {
      const std::uint64_t now_woken = old < most ? old : most;
      woken += now_woken;
      return old - now_woken;
    });
  }

  std::uint64_t asleep = 0;
  std::uint64_t woken = 0;
  inline static Kernel * active = nullptr;
};

struct SteppedWaiting
{
  using Word = SteppedWord<std::uint32_t>;
  using Mutex = SteppedMutex;

  static WaitResult wait(Word & word, std::uint32_t expected, Time)
  {
    return Kernel::active->sleep_if([&] { return word.visible() == expected; })
             ? WaitResult::woken
             : WaitResult::changed;
  }
  static void wake(Word &, int count) { Kernel::active->wake(static_cast<std::uint64_t>(count)); }
};

// ---- condition variable: threads that wait for one flag each, and one that sets the flags ----

using RightCondition = detail::BasicConditionVariable<SteppedWaiting>;

/// Broken: looks at the notifications after it has released the mutex.
struct LooksAfterTheMutex
{
  void wait(std::unique_lock<SteppedMutex> & lock)
  {
    lock.unlock();
    const std::uint32_t seen = notifications.load(std::memory_order_relaxed);
    static_cast<void>(SteppedWaiting::wait(notifications, seen, kNever));
    lock.lock();
  }
  template <typename Condition>
  void wait(std::unique_lock<SteppedMutex> & lock, Condition condition)
  {
    while (!condition()) {
      wait(lock);
    }
  }
  void notify_all()
  {
    notifications.fetch_add(1, std::memory_order_relaxed);
    SteppedWaiting::wake(notifications, 100);
  }
  SteppedWord<std::uint32_t> notifications{0};
};

/// Broken: wakes without a count, so that a thread about to sleep sleeps on.
struct CountsNoNotification : RightCondition
{
  void notify_all() { SteppedWaiting::wake(unused, 100); }
  SteppedWord<std::uint32_t> unused{0};
};

template <typename Condition, int Waiters>
struct Meeting
{
  std::vector<std::function<void()>> threads()
  {
    std::vector<std::function<void()>> all;
    for (int i = 0; i < Waiters; ++i) {
      all.emplace_back([this] {
        std::unique_lock lock(mutex);
        condition.wait(lock, [this] { return flag.load(std::memory_order_relaxed) != 0; });
        lock.unlock();
        ended.fetch_add(1);
      });
    }
    all.emplace_back([this] {
      {
        const std::lock_guard lock(mutex);
        flag.store(1, std::memory_order_relaxed);
      }
      condition.notify_all();
    });
    return all;
  }
  Promise at_end() const
  {
    return ended.visible() == Waiters ? Promise{} : Promise{"a thread sleeps for ever"};
  }

  Kernel kernel;
  SteppedMutex mutex;
  Condition condition;
  SteppedWord<int> flag{0};
  SteppedWord<int> ended{0};
};

template <typename Model>
Promise explored(std::size_t least_states = 0)
{
  Stepper stepper;
  Promise promise = stepper.explore<Model>(Weakness{});
  EXPECT_GE(stepper.states(), least_states);
  return promise;
}

TEST(ConditionVariableInterleavings, LoseNoNotification)
{
  EXPECT_TRUE((explored<Meeting<RightCondition, 1>>(20)));
  EXPECT_TRUE((explored<Meeting<RightCondition, 2>>(200)));
}

TEST(ConditionVariableInterleavings, RejectBrokenTwins)
{
  EXPECT_FALSE((explored<Meeting<LooksAfterTheMutex, 1>>()));
  EXPECT_FALSE((explored<Meeting<CountsNoNotification, 1>>()));
}

// ---- semaphore ----

using RightSemaphore = detail::BasicSemaphore<SteppedWaiting>;

/// Broken: looks for sleepers before it adds the post.
struct LooksForSleepersFirst
{
  void post()
  {
    const bool sleeps = sleepers.load() > 0;
    count.fetch_add(1);
    if (sleeps) {
      SteppedWaiting::wake(count, 1);
    }
  }
  void wait()
  {
    sleepers.fetch_add(1);
    for (;;) {
      std::uint32_t seen = count.load();
      while (seen > 0) {
        if (count.compare_exchange_weak(seen, seen - 1)) {
          sleepers.fetch_sub(1);
          return;
        }
      }
      static_cast<void>(SteppedWaiting::wait(count, 0, kNever));
    }
  }
  SteppedWord<std::uint32_t> count{0};
  SteppedWord<std::uint32_t> sleepers{0};
};

/// Broken: takes a post without compare-and-swap, so that two waiters take one post.
struct TakesOneTwice
{
  void post()
  {
    count.fetch_add(1);
    SteppedWaiting::wake(count, 1);
  }
  void wait()
  {
    for (;;) {
      const std::uint32_t seen = count.load();
      if (seen > 0) {
        count.store(seen - 1);
        return;
      }
      static_cast<void>(SteppedWaiting::wait(count, 0, kNever));
    }
  }
  SteppedWord<std::uint32_t> count{0};
};

/// `Waiters` threads wait once; other threads post `Posts` times. As many threads end as there are
/// posts.
template <typename Semaphore, int Waiters, int Posts>
struct Handing
{
  std::vector<std::function<void()>> threads()
  {
    std::vector<std::function<void()>> all;
    for (int i = 0; i < Waiters; ++i) {
      all.emplace_back([this] {
        semaphore.wait();
        ended.fetch_add(1);
      });
    }
    for (int i = 0; i < Posts; ++i) {
      all.emplace_back([this] { semaphore.post(); });
    }
    return all;
  }
  Promise at_end() const
  {
    const int expected = Waiters < Posts ? Waiters : Posts;
    return ended.visible() == expected
             ? Promise{}
             : Promise{
                 ended.visible() < expected ? "a thread sleeps beside a post"
                                            : "one post let two threads go"};
  }

  Kernel kernel;
  Semaphore semaphore{};
  SteppedWord<int> ended{0};
};

TEST(SemaphoreInterleavings, EachPostLetsOneThreadGo)
{
  EXPECT_TRUE((explored<Handing<RightSemaphore, 1, 1>>(20)));
  EXPECT_TRUE((explored<Handing<RightSemaphore, 2, 1>>(100)));
  EXPECT_TRUE((explored<Handing<RightSemaphore, 2, 2>>(1000)));
}

TEST(SemaphoreInterleavings, RejectBrokenTwins)
{
  EXPECT_FALSE((explored<Handing<LooksForSleepersFirst, 1, 1>>()));
  EXPECT_EQ((explored<Handing<TakesOneTwice, 2, 1>>()).fault, "one post let two threads go");
}

}  // namespace
}  // namespace takt_rt::test
