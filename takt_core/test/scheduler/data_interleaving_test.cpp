// The lock-free containers (intake, arrival ring): the real code in every interleaving. Beside each
// promise the test must reject broken twins.
#include <gtest/gtest.h>

#include <array>
#include <initializer_list>

#include "scheduler/arrival_ring_impl.hpp"
#include "scheduler/sequence_slots.hpp"
#include "support/arrival.hpp"
#include "support/stepped_step.hpp"
#include "support/verdict.hpp"
#include "takt_core/detail/intake.hpp"
#include "takt_rt/test/support/stepper.hpp"

namespace takt_core::test
{
namespace
{

using takt_rt::test::SteppedSync;
using takt_rt::test::SteppedWord;
using takt_rt::test::Stepper;

// Twin: stores without comparing first.
template <typename T>
struct UncomparedWord : SteppedWord<T>
{
  using SteppedWord<T>::SteppedWord;
  bool compare_exchange_weak(
    T &, T next, std::memory_order = std::memory_order_seq_cst,
    std::memory_order = std::memory_order_seq_cst) noexcept
  {
    this->exchange(next);
    return true;
  }
  bool compare_exchange_strong(
    T & expected, T next, std::memory_order = std::memory_order_seq_cst,
    std::memory_order = std::memory_order_seq_cst) noexcept
  {
    return compare_exchange_weak(expected, next);
  }
};

struct UncomparedSync : SteppedSync
{
  template <typename T>
  using Word = UncomparedWord<T>;
};

// ---- intake: compare-and-swap push against take-all ----

struct Node
{
  enum class Where : std::uint8_t
  {
    nowhere,
    intake
  };
  struct Link : SteppedWord<Node *>
  {
    Link & operator=(Node * node) noexcept
    {
      store(node, std::memory_order_relaxed);
      return *this;
    }
  };
  Link next_;
  SteppedWord<Where> where_;
  int taken = 0;
};

template <typename Sync>
struct Filled
{
  void push(std::initializer_list<std::size_t> which)
  {
    for (const std::size_t i : which) {
      intake.push(nodes[i]);
    }
  }
  void take()
  {
    for (Node * node = intake.take_all(); node != nullptr;
         node = node->next_.load(std::memory_order_relaxed)) {
      ++node->taken;
    }
  }
  std::vector<std::function<void()>> threads()
  {
    return {
      [this] {
        push({0, 1});
      },
      [this] { push({2}); },
      [this] {
        take();
        take();
      }};
  }
  Verdict at_end()
  {
    take();
    for (const Node & node : nodes) {
      if (node.taken != 1) {
        return broken(node.taken == 0 ? "a node got lost" : "a node was taken twice");
      }
    }
    return kept();
  }

  Intake<Node, Sync> intake;
  std::array<Node, 3> nodes;
};

TEST(IntakeProtocol, loses_and_doubles_nothing_in_any_interleaving)
{
  Stepper stepper;
  const Verdict verdict = stepper.explore<Filled<SteppedSync>>({});
  EXPECT_TRUE(verdict.good()) << verdict;
}

TEST(IntakeProtocol, twin_that_stores_without_comparing_is_rejected)
{
  Stepper stepper;
  EXPECT_FALSE(stepper.explore<Filled<UncomparedSync>>({}).good());
}

// ---- arrival ring: producers and a consumer on the same slot ----

// Twin: each producer assumes that it is alone.
template <typename T>
struct LonelyWord : SteppedWord<T>
{
  using SteppedWord<T>::SteppedWord;
  T fetch_add(T n, std::memory_order order = std::memory_order_seq_cst) noexcept
  {
    constexpr T kUnderWay = (T{1} << 12) - 1;
    return SteppedWord<T>::fetch_add(n, order) & ~kUnderWay;
  }
};

struct LonelySync : SteppedSync
{
  template <typename T>
  using Word = LonelyWord<T>;
};

// Arrival n is announced at n, with the sequence n and the message n. With a depth of 1 there are
// two slots, so that arrivals 1 and 3 meet in one.
template <typename Sync>
struct Rung
{
  static constexpr std::uint64_t kArrivals = 3;

  void push(std::initializer_list<std::uint64_t> numbers)
  {
    for (const std::uint64_t n : numbers) {
      ring.push(from_ns(static_cast<std::int64_t>(n)), n, nullptr, n);
    }
  }
  void look()
  {
    Time ready;
    std::uint64_t sequence = 0;
    ActivationSet activations;
    if (ring.peek(ready, sequence, activations)) {
      note(ready, sequence, sequence);
    }
  }
  bool pop()
  {
    Arrival arrival;
    if (!arrival.pop_from(ring)) {
      return false;
    }
    note(arrival.ready, arrival.sequence, arrival.message);
    ++runs;
    return true;
  }
  void note(Time ready, std::uint64_t sequence, std::uint64_t message)
  {
    if (static_cast<std::uint64_t>(to_ns(ready)) != sequence || message != sequence) {
      torn = true;
    }
  }
  std::vector<std::function<void()>> threads()
  {
    return {[this] { push({1}); }, [this] { push({2, 3}); }, [this] { pop(); }};
  }
  Verdict at_end()
  {
    while (pop()) {
    }
    return torn ? broken("a stamp made of two arrivals was read")
           : runs + ring.overwritten() != kArrivals
             ? broken("an arrival was not counted, or counted twice")
             : kept();
  }

  BasicArrivalRing<Sync> ring{1};
  std::uint64_t runs = 0;
  bool torn = false;
};

TEST(ArrivalRingProtocol, reads_no_torn_stamp_and_counts_every_arrival_in_any_interleaving)
{
  Stepper stepper;
  const Verdict verdict = stepper.explore<Rung<SteppedSync>>({});
  EXPECT_TRUE(verdict.good()) << verdict;
}

TEST(ArrivalRingProtocol, twin_whose_writers_do_not_exclude_each_other_is_rejected)
{
  Stepper stepper;
  EXPECT_FALSE(stepper.explore<Rung<LonelySync>>({}).good());
}

TEST(ArrivalRingProtocol, twin_that_does_not_check_the_version_again_is_rejected)
{
  Stepper stepper;
  EXPECT_FALSE(stepper.explore<Rung<SteppedSync>>({.stale_relaxed_loads = true}).good());
}

// ---- arrival ring: a run catches up with the message that it took, while others peek ----

// Message 1 was popped; messages 2 and 3 replace it in a history that holds one message.
template <typename Sync>
struct Overtaken : Rung<Sync>
{
  Overtaken()
  {
    this->push({1});
    this->pop();
  }
  void publish()
  {
    for (const std::uint64_t n : {2U, 3U}) {
      history.store(n);
      this->push({n});
    }
  }
  void take()
  {
    const std::uint64_t message = history.load();
    Time ready;
    ActivationSet activations;
    if (message != 1 && this->ring.catch_up(0, message, ready, activations)) {
      this->note(ready, message, message);
      passed = passed || this->ring.oldest_is(message - 1);
    }
  }
  std::vector<std::function<void()>> threads()
  {
    return {[this] { publish(); }, [this] { take(); }, [this] { this->look(); }};
  }
  Verdict at_end()
  {
    return passed ? broken("the message that was taken still waits") : Rung<Sync>::at_end();
  }

  SteppedWord<std::uint64_t> history{1};
  bool passed = false;
};

TEST(ArrivalRingProtocol, run_that_catches_up_counts_every_arrival_once_in_any_interleaving)
{
  Stepper stepper;
  const Verdict verdict = stepper.explore<Overtaken<SteppedSync>>({});
  EXPECT_TRUE(verdict.good()) << verdict;
}

TEST(ArrivalRingProtocol, twin_whose_peek_moves_on_without_comparing_is_rejected)
{
  Stepper stepper;
  EXPECT_FALSE(stepper.explore<Overtaken<UncomparedSync>>({}).good());
}

// ---- arrival ring: an arrival beside the ring, and a producer that announces meanwhile ----

// The thread that is the consumer puts arrival 1 beside the ring and pops; another one pushes 2 and
// 3. With a depth of 1 each push overwrites what waits.
struct Aside : Rung<SteppedSync>
{
  void run()
  {
    ring.put_aside(from_ns(1), 1, nullptr, 1);
    pop();
  }
  void count()
  {
    const std::uint32_t size = ring.size();
    const std::uint64_t arrived = ring.arrived();
    wrong = wrong || size > 1 || arrived > kArrivals;
  }
  std::vector<std::function<void()>> threads()
  {
    return {[this] { run(); }, [this] { push({2, 3}); }, [this] { count(); }};
  }
  Verdict at_end()
  {
    return wrong                         ? broken("a thread counted more arrivals than there were")
           : ring.arrived() != kArrivals ? broken("the number of arrivals is wrong")
                                         : Rung<SteppedSync>::at_end();
  }
  bool wrong = false;
};

TEST(ArrivalRingProtocol, counts_an_arrival_beside_the_ring_once_in_any_interleaving)
{
  Stepper stepper;
  const Verdict verdict = stepper.explore<Aside>({});
  EXPECT_TRUE(verdict.good()) << verdict;
}

// ---- slots of a sequence: the thread and set-up take the same callback ----

template <typename Sync>
struct Slotted
{
  explicit Slotted(bool wait) : waits_for_the_step(wait) {}

  // The callback comes into its slot a second time only after it was taken out.
  void walk()
  {
    slots.put(0, callback);
    step.begin();
    if (slots.take(0) != nullptr) {
      ++taken;
    }
    step.end();
  }
  void take_out()
  {
    if (!slots.has(0, callback)) {
      return;
    }
    slots.set_taking(true);
    if (waits_for_the_step) {
      step.await();
    }
    if (slots.take(0, callback)) {
      ++taken;
    }
    slots.set_taking(false);
  }
  std::vector<std::function<void()>> threads()
  {
    return {[this] { walk(); }, [this] { take_out(); }};
  }
  Verdict at_end() const
  {
    return taken == 0   ? broken("the callback got lost")
           : taken != 1 ? broken("the callback was taken out twice")
                        : kept();
  }

  const bool waits_for_the_step;
  Node callback;
  BasicSequenceSlots<Node, SteppedSync, 1> slots;
  Step<Sync> step;
  int taken = 0;
};

TEST(SequenceSlotsProtocol, one_takes_the_callback_in_any_interleaving)
{
  Stepper stepper;
  const Verdict verdict = stepper.explore<Slotted<FencedSync>>({}, true);
  EXPECT_TRUE(verdict.good()) << verdict;
}

TEST(SequenceSlotsProtocol, twin_that_does_not_wait_for_the_end_of_a_step_is_rejected)
{
  Stepper stepper;
  EXPECT_FALSE(stepper.explore<Slotted<FencedSync>>({}, false).good());
}

TEST(SequenceSlotsProtocol, twin_whose_steps_begin_unseen_is_rejected)
{
  Stepper stepper;
  EXPECT_FALSE(stepper.explore<Slotted<UnfencedSync>>({}, true).good());
}

}  // namespace
}  // namespace takt_core::test
