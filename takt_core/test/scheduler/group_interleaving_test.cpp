// Entering and leaving a callback group: the real code in every interleaving. Beside each promise
// the test must reject a broken twin.
#include <gtest/gtest.h>

#include <array>
#include <mutex>

#include "support/stepped_step.hpp"
#include "support/verdict.hpp"
#include "takt_core/detail/group_gate.hpp"
#include "takt_rt/test/support/stepper.hpp"

namespace takt_core::test
{
namespace
{

using takt_rt::test::SteppedMutex;
using takt_rt::test::SteppedSync;
using takt_rt::test::SteppedWord;
using takt_rt::test::Stepper;

struct Member
{
  enum class Where : std::uint8_t
  {
    nowhere,
    parked
  };
  Precedence precedence_;
  std::uint32_t place_ = 0;
  SteppedWord<Where> where_{Where::nowhere};
  SteppedWord<bool> queued_{true};
  SteppedMutex set_mutex_;  // each member is on a thread set of its own
};

// Members of one exclusive group, each of which runs once.
template <typename Sync>
struct Grouped
{
  using Gate = detail::GroupGate<Member, Sync>;

  Grouped()
  {
    for (std::uint32_t i = 0; i < members.size(); ++i) {
      members[i].precedence_.key = i;
    }
    gate.reserve(members.size());
  }

  void run(Member & member)
  {
    for (bool ran = false; !ran;) {
      Stepper::active()->wait([&member] { return member.queued_.visible(); });
      member.queued_.store(false);
      {
        std::lock_guard lock(member.set_mutex_);
        ran = gate.enter(member) == Gate::Enter::entered;
      }
      if (ran) {
        inside(+1);
        Stepper::active()->wait([] { return true; });
        inside(-1);
        if (Member * const next = gate.leave(); next != nullptr) {
          next->queued_.store(true);
        }
        ++runs;
      }
    }
  }
  void inside(int change)
  {
    now_inside += change;
    if (now_inside > 1) {
      together = true;
      Stepper::active()->remember(now_inside);
    }
  }
  Verdict judge(int expected) const
  {
    return together           ? broken("two members ran at the same time")
           : runs != expected ? broken("a member was left waiting")
           : gate.busy()      ? broken("the group stayed busy with nobody inside")
                              : kept();
  }

  Gate gate{true};
  std::array<Member, 3> members;
  int now_inside = 0, runs = 0;
  bool together = false;
};

// ---- three members of a shared group ----

template <typename Sync>
struct Sharing : Grouped<Sync>
{
  Sharing() { this->gate.share(); }
  std::vector<std::function<void()>> threads()
  {
    return {
      [this] { this->run(this->members[0]); }, [this] { this->run(this->members[1]); },
      [this] { this->run(this->members[2]); }};
  }
  Verdict at_end() const { return this->judge(3); }
};

// Twin: a member enters without checking whether another is inside.
template <typename T>
struct BlindWord : SteppedWord<T>
{
  using SteppedWord<T>::SteppedWord;
  bool compare_exchange_strong(
    T & expected, T next, std::memory_order order = std::memory_order_seq_cst,
    std::memory_order = std::memory_order_seq_cst) noexcept
  {
    if (next == 0) {
      return SteppedWord<T>::compare_exchange_strong(expected, next, order);
    }
    this->exchange(next);
    return true;
  }
};

// Twin: a member leaves without checking whether another has parked meanwhile.
template <typename T>
struct HastyWord : SteppedWord<T>
{
  using SteppedWord<T>::SteppedWord;
  bool compare_exchange_strong(
    T & expected, T next, std::memory_order order = std::memory_order_seq_cst,
    std::memory_order = std::memory_order_seq_cst) noexcept
  {
    if (next != 0) {
      return SteppedWord<T>::compare_exchange_strong(expected, next, order);
    }
    this->exchange(next);
    return true;
  }
};

struct BlindSync : SteppedSync
{
  template <typename T>
  using Word = BlindWord<T>;
};

struct HastySync : SteppedSync
{
  template <typename T>
  using Word = HastyWord<T>;
};

TEST(GroupProtocol, excludes_members_and_leaves_none_waiting_in_any_interleaving)
{
  Stepper stepper;
  const Verdict verdict = stepper.explore<Sharing<SteppedSync>>({});
  EXPECT_TRUE(verdict.good()) << verdict;
}

TEST(GroupProtocol, twin_that_enters_without_comparing_is_rejected)
{
  Stepper stepper;
  EXPECT_FALSE(stepper.explore<Sharing<BlindSync>>({}).good());
}

TEST(GroupProtocol, twin_that_leaves_without_comparing_is_rejected)
{
  Stepper stepper;
  EXPECT_FALSE(stepper.explore<Sharing<HastySync>>({}).good());
}

// ---- a second member joins while the first may be entering without a read-modify-write ----

struct Joining : Grouped<SteppedSync>
{
  explicit Joining(bool pass) : passes_the_mutexes(pass) {}

  void add()
  {
    gate.share();
    if (passes_the_mutexes) {
      std::lock_guard lock(members[0].set_mutex_);
    }
    added.store(true);
  }
  std::vector<std::function<void()>> threads()
  {
    return {
      [this] { run(members[0]); }, [this] { add(); },
      [this] {
        Stepper::active()->wait([this] { return added.visible(); });
        run(members[1]);
      }};
  }
  Verdict at_end() const { return judge(2); }

  const bool passes_the_mutexes;
  SteppedWord<bool> added{false};
};

TEST(GroupProtocol, excludes_the_second_member_in_any_interleaving)
{
  Stepper stepper;
  const Verdict verdict = stepper.explore<Joining>({}, true);
  EXPECT_TRUE(verdict.good()) << verdict;
}

TEST(GroupProtocol, twin_that_does_not_wait_for_the_member_that_may_be_entering_is_rejected)
{
  Stepper stepper;
  EXPECT_FALSE(stepper.explore<Joining>({}, false).good());
}

// ---- a second member joins while the first enters and leaves without a mutex ----

template <typename Sync>
struct JoiningAlone : Grouped<SteppedSync>
{
  explicit JoiningAlone(bool wait) : waits_for_the_step(wait) {}

  // The first member's thread has no other one beside it. It goes through the group twice.
  void run_alone()
  {
    for (int i = 0; i < 2; ++i) {
      step.begin();
      const bool in = gate.enter_if_free(!gate.shared());
      step.end();
      if (!in) {
        run(members[0]);  // its general way parks it
        members[0].queued_.store(true);
        continue;
      }
      inside(+1);
      Stepper::active()->wait([] { return true; });
      inside(-1);
      step.begin();
      Member * const next = !gate.shared() && gate.leave_if_alone() ? nullptr : gate.leave();
      step.end();
      if (next != nullptr) {
        next->queued_.store(true);
      }
      ++runs;
    }
  }
  void add()
  {
    gate.share();
    if (waits_for_the_step) {
      step.await();
    }
    added.store(true);
  }
  std::vector<std::function<void()>> threads()
  {
    return {
      [this] { run_alone(); }, [this] { add(); },
      [this] {
        Stepper::active()->wait([this] { return added.visible(); });
        run(members[1]);
      }};
  }
  Verdict at_end() const { return judge(3); }

  const bool waits_for_the_step;
  Step<Sync> step;
  SteppedWord<bool> added{false};
};

TEST(GroupProtocol, excludes_a_second_member_from_one_without_atomic_steps_in_any_interleaving)
{
  Stepper stepper;
  const Verdict verdict = stepper.explore<JoiningAlone<FencedSync>>({}, true);
  EXPECT_TRUE(verdict.good()) << verdict;
}

TEST(GroupProtocol, twin_that_does_not_wait_for_the_end_of_a_step_is_rejected)
{
  Stepper stepper;
  EXPECT_FALSE(stepper.explore<JoiningAlone<FencedSync>>({}, false).good());
}

TEST(GroupProtocol, twin_whose_steps_begin_unseen_is_rejected)
{
  Stepper stepper;
  EXPECT_FALSE(stepper.explore<JoiningAlone<UnfencedSync>>({}, true).good());
}

}  // namespace
}  // namespace takt_core::test
