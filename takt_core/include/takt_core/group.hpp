// A callback group: callbacks of a mutually exclusive group never run at the same time.
//
// A busy group parks a callback that wants to enter, in (key, release) order. A leaving callback
// hands the group to the best parked callback. That callback returns to its ready queue and holds
// the group until a thread picks it. Before the pick, only a callback with a strictly better (key,
// release), or one with the same key in its turn of a sequence, may take the group. So the group
// never drops a ready callback, and outside sequences an equal callback never overtakes a parked
// one.
//
// A group that never had two members at once is entered without a read-modify-write: the entering
// thread holds the mutex of the only member's thread set. The scheduler lets a second member start
// only after every thread that may be entering in this way has released that mutex (`shared`).
#ifndef TAKT_CORE__GROUP_HPP_
#define TAKT_CORE__GROUP_HPP_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "takt_core/condition.hpp"
#include "takt_core/detail/group_gate.hpp"
#include "takt_core/isolation.hpp"
#include "takt_core/logical_time.hpp"

namespace takt_core
{

class CallbackEntry;
class Executor;
class Scheduler;
struct GroupCondition;

/// Whether callbacks of one group may run at the same time.
enum class GroupKind
{
  mutually_exclusive,  ///< at most one callback of the group runs at any time
  reentrant            ///< runs of different callbacks, and of one callback, may overlap
};

/// Set-up only, except the functions that the scheduler calls. Must outlive its callbacks: hold it
/// by shared_ptr (`CallbackOptions::group`).
class Group : private detail::GroupGate<CallbackEntry>
{
public:
  /// `id`: the group's name in reports; may be empty. Any thread; set-up only.
  explicit Group(GroupKind kind, std::string id = {});
  /// Call when the group has no callbacks left. Any thread.
  ~Group();
  Group(const Group &) = delete;
  Group & operator=(const Group &) = delete;

  /// The kind that the constructor got. Any thread; real-time safe.
  GroupKind kind() const noexcept
  {
    return exclusive() ? GroupKind::mutually_exclusive : GroupKind::reentrant;
  }
  /// The id that the constructor got. Any thread; real-time safe.
  const std::string & id() const noexcept { return id_; }
  /// Lets the group have members that are bound to threads of different OS priority, as long as the
  /// group lives.
  void allow_across_priorities() noexcept
  {
    across_priorities_.store(true, std::memory_order_relaxed);
  }
  /// The number of the group's callbacks in executors. Set-up.
  std::size_t members() const;
  using GroupGate::exclusive;

  /// Makes the group's triggering callbacks wait for `condition` (condition.hpp). Returns false and
  /// changes nothing if the group has callbacks in an executor. Set-up only: allocates.
  bool set_condition(const Condition & condition);
  /// Keeps the condition from releasing messages, until `Executor::release_condition` was called
  /// once for each call of this function. Adapters hold the condition while they add several
  /// callbacks of the group. Before the executor starts, no condition releases messages. Set-up.
  void hold_condition() noexcept { condition_holds_.fetch_add(1); }
  /// The group's condition; absent: none. Set-up.
  std::optional<Condition> condition() const;
  bool has_condition() const { return condition().has_value(); }

  /// Gives the group logical execution time (logical_time.hpp). Returns false and changes nothing
  /// if the group has callbacks in an executor. Set-up only: allocates.
  bool set_logical_time(LateOutputs late);
  /// The group's logical execution time; null: none. Set-up.
  std::shared_ptr<const LogicalTime> logical_time() const;

  /// True while a callback of a mutually exclusive group runs or is about to. Real-time safe.
  using GroupGate::busy;

private:
  friend class Executor;
  friend class Scheduler;
  friend class StockQueue;

  // Adds a member of `scheduler`, with room to park it. False if the group has members in another
  // scheduler, or an unfinished run there. Set-up; allocates.
  bool join(const Scheduler * scheduler);
  void part();

  const std::string id_;
  std::size_t members_ = 0;
  const Scheduler * owner_ = nullptr;
  std::atomic<bool> across_priorities_{false};  // see allow_across_priorities
  std::atomic<std::uint32_t> condition_holds_{0};
  std::unique_ptr<GroupCondition> condition_;   // null: none; changes only without members
  std::shared_ptr<LogicalTime> logical_time_;   // null: none; changes only without members
  std::shared_ptr<const Isolation> isolation_;  // see Executor::isolate; set-up of the executor
};

}  // namespace takt_core

#endif  // TAKT_CORE__GROUP_HPP_
