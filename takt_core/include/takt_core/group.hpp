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

#include "takt_core/detail/group_gate.hpp"
#include "takt_core/isolation.hpp"

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
class Group : private detail::GroupGate<Callback>
{
public:
  explicit Group(GroupKind kind, std::string id = {});
  ~Group();
  Group(const Group &) = delete;
  Group & operator=(const Group &) = delete;

  GroupKind kind() const noexcept
  {
    return exclusive() ? GroupKind::mutually_exclusive : GroupKind::reentrant;
  }
  const std::string & id() const noexcept { return id_; }
  /// Callbacks of it that are in an executor. Set-up.
  std::size_t members() const;
  using GroupGate::exclusive;

  /// True while a callback of a mutually exclusive group runs or is about to. Real-time safe.
  using GroupGate::busy;

private:
  friend class Executor;
  friend class Scheduler;
  friend class StockQueue;

  // Books a member of `scheduler` in, with room to park it; false if the group has members in
  // another, or a run there that is not over. Set-up; allocates.
  bool join(const Scheduler * scheduler);
  void part();

  const std::string id_;
  std::size_t members_ = 0;
  const Scheduler * owner_ = nullptr;
  std::atomic<bool> across_priorities_{false};  // see Executor::allow_across_priorities
  std::shared_ptr<const Isolation> isolation_;  // see Executor::isolate; set-up of the executor
};

}  // namespace takt_core

#endif  // TAKT_CORE__GROUP_HPP_
