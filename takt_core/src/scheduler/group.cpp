#include "takt_core/group.hpp"

#include <mutex>

#include "scheduler/group_condition.hpp"
#include "takt_core/callback.hpp"

namespace takt_core
{

Group::Group(GroupKind kind, std::string id)
: GroupGate(kind == GroupKind::mutually_exclusive),
  id_(std::move(id))
{
}
Group::~Group() = default;

bool Group::set_condition(const Condition & condition)
{
  std::lock_guard lock(mutex_);
  if (members_ > 0) {
    return false;
  }
  condition_ = std::make_unique<GroupCondition>();
  condition_->rule = condition;
  return true;
}

std::optional<Condition> Group::condition() const
{
  std::lock_guard lock(mutex_);
  return condition_ == nullptr ? std::nullopt : std::optional(condition_->rule);
}

bool Group::set_logical_time(LateOutputs late)
{
  std::lock_guard lock(mutex_);
  if (members_ > 0) {
    return false;
  }
  logical_time_ = std::make_shared<LogicalTime>(late);
  return true;
}

std::shared_ptr<const LogicalTime> Group::logical_time() const
{
  std::lock_guard lock(mutex_);
  return logical_time_;
}

std::size_t Group::members() const
{
  std::lock_guard lock(mutex_);
  return members_;
}

bool Group::join(const Scheduler * scheduler)
{
  std::size_t members = 0;
  {
    std::lock_guard lock(mutex_);
    // A group without members is busy if a member that was removed from inside itself still runs.
    if (owner_ != scheduler && (members_ > 0 || busy())) {
      return false;
    }
    owner_ = scheduler;
    members = ++members_;
    if (members > 1 || busy()) {  // busy: with a member that was removed from inside itself
      share();                    // published by the mutexes that `add` locks
    }
  }
  reserve(members);  // only this scheduler, which owns the group now, makes room
  return true;
}

void Group::part()
{
  std::lock_guard lock(mutex_);
  --members_;
}

}  // namespace takt_core
