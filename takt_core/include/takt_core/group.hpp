// A callback group: callbacks of a mutually exclusive group never run at the same time.
//
// A callback that finds its group busy is parked in it, in (key, release) order. Leaving hands the
// group to the best parked callback, which is put back into its ready queue and still holds the
// group when a thread picks it; only a callback with a strictly better (key, release) may take it
// from there. So nothing ready is ever dropped, and nothing parked is overtaken by its equals.
//
// A group that never had two members at once is entered without a read-modify-write: whoever enters
// holds the mutex of its one member's thread set. The scheduler lets a second member start only after
// all who may be entering in this way have let go of that mutex (`shared`).
#ifndef TAKT_CORE__GROUP_HPP_
#define TAKT_CORE__GROUP_HPP_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "takt_core/detail/intrusive_heap.hpp"
#include "takt_core/detail/precedence.hpp"
#include "takt_core/pi_mutex.hpp"

namespace takt_core
{

class Callback;
class Executor;
class Scheduler;

enum class GroupKind
{
  mutually_exclusive,
  reentrant
};

/// Set-up only, except for the functions the scheduler calls. Must outlive its callbacks: hold it
/// by shared_ptr (`CallbackOptions::group`).
class Group
{
public:
  explicit Group(GroupKind kind, std::string id = {});
  ~Group();
  Group(const Group &) = delete;
  Group & operator=(const Group &) = delete;

  GroupKind kind() const noexcept { return kind_; }
  const std::string & id() const noexcept { return id_; }
  bool exclusive() const noexcept { return kind_ == GroupKind::mutually_exclusive; }

  /// True while a callback of a mutually exclusive group runs or is about to. Real-time safe.
  bool busy() const noexcept { return (state_.load(std::memory_order_acquire) & kBusy) != 0; }

private:
  friend class Executor;
  friend class Scheduler;
  friend class StockQueue;

  enum class Enter
  {
    entered,
    parked
  };

  // Enters for `callback`, or parks it. Reentrant groups are always entered. With the mutex of the
  // callback's thread set held.
  Enter enter(Callback & callback) noexcept;

  // Enters if nobody is inside, never parks (orders that keep their own waiting members). With the
  // mutex of the callback's thread set held.
  bool try_enter() noexcept;

  // Leaves. Returns the callback that was handed the group and must go back to its ready queue, or
  // nullptr.
  Callback * leave() noexcept;

  // As `leave`, after parking `self`, which has more work. With mutex_ held; mutually exclusive only.
  Callback * park_and_leave(Callback & self) noexcept;

  // Takes `callback` out of the group's books; if the group had been handed to it, hands it on.
  // Sets `was_parked`. Set-up.
  Callback * forget(Callback & callback, bool & was_parked) noexcept;

  // Gives `callback` a new key if it is parked or was handed the group. Returns a parked callback
  // that is better than the one that was handed the group, and now has it instead; or nullptr.
  Callback * rekey(Callback & callback, std::uint64_t key) noexcept;

  // Books a member of `scheduler` in, with room to park it; false if the group has members in
  // another, or a run there that is not over. Set-up; allocates.
  bool join(const Scheduler * scheduler);
  void part();

  // Whether it ever had two members at once.
  bool shared() const noexcept { return shared_.load(std::memory_order_relaxed); }

  Callback * hand_over() noexcept;  // with mutex_ held

  static constexpr std::uint32_t kBusy = 1;     // somebody holds the group
  static constexpr std::uint32_t kWaiters = 2;  // parked_ or granted_ is not empty: take the mutex

  struct Less
  {
    bool operator()(const Callback * a, const Callback * b) const noexcept;
  };
  struct Index
  {
    std::uint32_t & operator()(Callback * c) const noexcept;
  };

  const GroupKind kind_;
  std::atomic<bool> shared_{false};
  std::atomic<std::uint32_t> state_{0};
  const std::string id_;
  PiMutex mutex_;
  IntrusiveHeap<Callback *, Less, Index> parked_;
  std::size_t members_ = 0;
  const Scheduler * owner_ = nullptr;
  std::atomic<bool> across_priorities_{false};  // see Executor::allow_across_priorities
  Callback * granted_ = nullptr;                // holds the group, has not started
  Precedence granted_precedence_;               // when it was handed the group
};

}  // namespace takt_core

#endif  // TAKT_CORE__GROUP_HPP_
