// Going to sleep, waking and queueing: the real code in every interleaving. Beside each promise the
// test must reject broken twins.
#include <gtest/gtest.h>

#include <array>

#include "scheduler/arrival_ring_impl.hpp"
#include "support/arrival.hpp"
#include "support/verdict.hpp"
#include "takt_core/detail/callback_state.hpp"
#include "takt_core/detail/intake.hpp"
#include "takt_core/detail/sleepers.hpp"
#include "takt_rt/test/support/stepper.hpp"

namespace takt_core::test
{
namespace
{

using takt_rt::test::SteppedMutex;
using takt_rt::test::SteppedSync;
using takt_rt::test::SteppedWord;
using takt_rt::test::Stepper;
using takt_rt::test::Weakness;

using Sleepers = detail::Sleepers<SteppedSync>;

struct Node
{
  enum class Where : std::uint8_t
  {
    nowhere,
    intake
  };
  Node * next_ = nullptr;
  struct
  {
    void store(Where, std::memory_order) noexcept {}
  } where_;
};

struct Set : detail::SetSigns<SteppedSync>
{
  Intake<Node, SteppedSync> intake;
  SteppedMutex mutex;
  // These members are guarded by the mutex.
  struct
  {
    Time earliest = kNever;
    Time next() const noexcept { return earliest; }
  } timers;
  int queue = 0;

  // The part of a dispatch with the mutex held. True if it picked a callback.
  bool pick() noexcept
  {
    for (Node * node = intake.take_all(); node != nullptr; node = node->next_) {
      ++queue;
    }
    const bool picked = queue > 0;
    queue -= picked ? 1 : 0;
    show(queue > 0, to_ns(timers.earliest));
    return picked;
  }
};

struct Sets
{
  Set * set;
  std::uint32_t count = 1;
  std::uint32_t size() const noexcept { return count; }
  Set & operator[](std::uint32_t) const noexcept { return *set; }
};

// One set of up to three threads. `urgencies`: one for each thread.
struct Pool : Waker
{
  explicit Pool(const std::vector<int> & urgencies) : sleepers(urgencies, *this)
  {
    set.wake_members.store(~detail::WakeMask{0});
  }

  void wake(std::uint32_t thread) noexcept override { woken[thread].store(1); }

  bool pick() noexcept
  {
    std::lock_guard lock(set.mutex);
    return set.pick();
  }

  // Sleeps if the thread may sleep, until a wake-up.
  void sleep(std::uint32_t thread, const Sets & looks_at) noexcept
  {
    Time until;
    if (sleepers.begin(thread, Time{}, looks_at, until)) {
      sleeps_until[thread] = until;
      Stepper::active()->wait([this, thread] { return woken[thread].visible() != 0; });
      sleeps_until[thread] = kAwake;
      woken[thread].store(0);
      sleepers.end(thread);
    }
  }

  Verdict nothing_waits() const
  {
    return set.intake.empty() && set.queue == 0 ? kept() : broken("work waits beside a sleeper");
  }

  static constexpr Time kAwake = from_ns(-1);

  Set set;
  Sets sets{&set};
  Sleepers sleepers;
  std::array<SteppedWord<int>, 3> woken;
  std::array<Time, 3> sleeps_until{kAwake, kAwake, kAwake};
};

// ---- idle mark against announcement ----

enum class IdleTwin
{
  none,
  does_not_look_again,
  looks_for_sleepers_first,
};

struct Idle : Pool
{
  explicit Idle(IdleTwin which) : Pool({0}), twin(which) {}

  void consume()
  {
    const Sets looks_at{&set, twin == IdleTwin::does_not_look_again ? 0U : 1U};
    for (int consumed = 0; consumed < 2;) {
      if (pick()) {
        ++consumed;
      } else {
        sleep(0, looks_at);
      }
    }
  }
  void produce(Node & node)
  {
    if (twin == IdleTwin::looks_for_sleepers_first) {
      sleepers.wake_one(set);
      set.intake.push(node);
    } else {
      set.intake.push(node);
      sleepers.wake_one(set);
    }
  }
  std::vector<std::function<void()>> threads()
  {
    return {[this] { consume(); }, [this] { produce(nodes[0]); }, [this] { produce(nodes[1]); }};
  }
  Verdict at_end() const { return nothing_waits(); }

  const IdleTwin twin;
  std::array<Node, 2> nodes;
};

Verdict check_idle(IdleTwin twin)
{
  Stepper stepper;
  return stepper.explore<Idle>({}, twin);
}

TEST(IdleProtocol, loses_no_wake_up_in_any_interleaving)
{
  const Verdict verdict = check_idle(IdleTwin::none);
  EXPECT_TRUE(verdict.good()) << verdict;
}

TEST(IdleProtocol, twin_that_does_not_look_again_after_its_mark_is_rejected)
{
  EXPECT_FALSE(check_idle(IdleTwin::does_not_look_again).good());
}

TEST(IdleProtocol, twin_that_looks_for_sleepers_before_it_publishes_is_rejected)
{
  EXPECT_FALSE(check_idle(IdleTwin::looks_for_sleepers_first).good());
}

// ---- passing on what a dispatch leaves behind ----

enum class PassTwin
{
  none,
  relies_on_the_woken,
};

// Thread 0 announces one callback and wakes no thread for it, because it looks itself; it picks a
// callback and runs on. Thread 1 was woken for another callback, but its core is held, so it never
// runs. Thread 2 is going to sleep.
struct Passing : Pool
{
  explicit Passing(PassTwin which) : Pool({0, 0, 0}), twin(which)
  {
    Time until;
    sleepers.begin(1, Time{}, Sets{&set, 0}, until);
  }
  void announce()
  {
    set.intake.push(nodes[0]);
    sleepers.wake_one(set);
  }
  void pick_and_run()
  {
    set.intake.push(nodes[1]);
    Stepper::active()->wait([this] { return woken[1].visible() != 0; });
    pick();
    sleepers.pass_on(sets, twin == PassTwin::relies_on_the_woken ? sleepers.bit(1) : 0);
  }
  void idle()
  {
    while (!pick()) {
      sleep(2, sets);
    }
  }
  std::vector<std::function<void()>> threads()
  {
    return {[this] { pick_and_run(); }, [this] { announce(); }, [this] { idle(); }};
  }
  Verdict at_end() const { return nothing_waits(); }

  const PassTwin twin;
  std::array<Node, 2> nodes;
};

Verdict check_passing(PassTwin twin, Weakness weakness = {})
{
  Stepper stepper;
  return stepper.explore<Passing>(weakness, twin);
}

TEST(PassingOn, leaves_no_work_beside_a_sleeper_in_any_interleaving)
{
  const Verdict verdict = check_passing(PassTwin::none);
  EXPECT_TRUE(verdict.good()) << verdict;
}

TEST(PassingOn, twin_that_relies_on_a_thread_that_was_woken_is_rejected)
{
  EXPECT_FALSE(check_passing(PassTwin::relies_on_the_woken).good());
}

TEST(PassingOn, twin_without_the_fence_after_showing_work_is_rejected)
{
  EXPECT_FALSE(check_passing(PassTwin::none, {true, false}).good());
}

// ---- the role of sleeping until the next timer ----

enum class TimerTwin
{
  none,
  does_not_attend,
  does_not_look_again,
};

// Two members go to sleep, the second one more urgent, while an earlier timer is armed.
struct Timing : Pool
{
  explicit Timing(TimerTwin which) : Pool({10, 20}), twin(which)
  {
    set.timers.earliest = kFar;
    set.show(false, to_ns(kFar));
  }
  void idle(std::uint32_t thread)
  {
    for (;;) {
      sleep(thread, Sets{&set, twin == TimerTwin::does_not_look_again ? 0U : 1U});
      std::lock_guard lock(set.mutex);
      sleepers.give_up_timers(set, thread);
    }
  }
  void arm()
  {
    {
      std::lock_guard lock(set.mutex);
      set.timers.earliest = kNear;
      set.show(false, to_ns(kNear));
      sleepers.armed(set, kNear);
    }
    if (twin != TimerTwin::does_not_attend) {
      sleepers.attend(set);
    }
  }
  std::vector<std::function<void()>> threads()
  {
    return {[this] { idle(0); }, [this] { idle(1); }, [this] { arm(); }};
  }
  Verdict at_end() const
  {
    return sleeps_until[1] == kNear ? kept() : broken("the most urgent sleeper misses the timer");
  }

  static constexpr Time kNear = from_ns(5), kFar = from_ns(10);
  const TimerTwin twin;
};

// As Timing, but without an earlier timer, and with one thread.
struct FirstTimer : Timing
{
  explicit FirstTimer(TimerTwin which) : Timing(which)
  {
    set.timers.earliest = kNever;
    set.show(false, to_ns(kNever));
  }
  std::vector<std::function<void()>> threads()
  {
    return {[this] { idle(1); }, [this] { arm(); }};
  }
};

template <typename Model>
Verdict check_timing(TimerTwin twin, Weakness weakness = {})
{
  Stepper stepper;
  return stepper.explore<Model>(weakness, twin);
}

TEST(TimerRole, is_with_the_most_urgent_sleeper_for_the_earliest_timer_in_any_interleaving)
{
  const Verdict verdict = check_timing<Timing>(TimerTwin::none);
  EXPECT_TRUE(verdict.good()) << verdict;
  const Verdict first = check_timing<FirstTimer>(TimerTwin::none);
  EXPECT_TRUE(first.good()) << first;
}

TEST(TimerRole, twin_that_does_not_wake_for_the_first_timer_is_rejected)
{
  EXPECT_FALSE(check_timing<FirstTimer>(TimerTwin::does_not_attend).good());
}

TEST(TimerRole, twin_that_does_not_look_again_after_its_mark_is_rejected)
{
  EXPECT_FALSE(check_timing<FirstTimer>(TimerTwin::does_not_look_again).good());
}

TEST(TimerRole, twin_without_the_fence_after_showing_the_timer_is_rejected)
{
  EXPECT_FALSE(check_timing<FirstTimer>(TimerTwin::none, {true, false}).good());
}

// ---- queued once: announcing against the end of a run ----

enum class QueueTwin
{
  none,
  looks_before_it_unmarks,
};

struct Queued
{
  using State = detail::CallbackState<SteppedSync>;

  explicit Queued(QueueTwin which) : twin(which) { state.fetch_or(State::kAdded); }

  void enqueue()
  {
    if (state.mark_queued()) {
      doubled = doubled || in_queue.visible() != 0;
      in_queue.store(1);
    }
  }
  void announce()
  {
    ring.push(from_ns(1), 1, nullptr);
    enqueue();
  }
  void run()
  {
    for (;;) {
      Stepper::active()->wait([this] { return in_queue.visible() != 0; });
      in_queue.store(0);
      Arrival arrival;
      runs += arrival.pop_from(ring) ? 1 : 0;
      const bool more = twin == QueueTwin::looks_before_it_unmarks && !ring.empty();
      state.start(false);
      if (twin == QueueTwin::looks_before_it_unmarks ? more : !ring.empty()) {
        enqueue();
      }
      state.end();
    }
  }
  std::vector<std::function<void()>> threads()
  {
    return {[this] { announce(); }, [this] { announce(); }, [this] { run(); }};
  }
  Verdict at_end() const
  {
    return doubled                      ? broken("queued twice")
           : runs != 2 || !ring.empty() ? broken("a message was left waiting")
                                        : kept();
  }

  const QueueTwin twin;
  State state;
  BasicArrivalRing<SteppedSync> ring{2};
  SteppedWord<int> in_queue{0};
  int runs = 0;
  bool doubled = false;
};

TEST(QueuedOnce, leaves_no_message_waiting_in_any_interleaving)
{
  Stepper stepper;
  const Verdict verdict = stepper.explore<Queued>({}, QueueTwin::none);
  EXPECT_TRUE(verdict.good()) << verdict;
}

TEST(QueuedOnce, twin_that_looks_before_it_unmarks_is_rejected)
{
  Stepper stepper;
  EXPECT_FALSE(stepper.explore<Queued>({}, QueueTwin::looks_before_it_unmarks).good());
}

}  // namespace
}  // namespace takt_core::test
