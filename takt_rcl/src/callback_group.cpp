#include "takt_rcl/callback_group.hpp"

#include <utility>

#include "takt_rcl/error.hpp"

namespace takt_rcl
{

CallbackGroup::CallbackGroup(
  CallbackGroupType type, const std::string & id,
  std::shared_ptr<takt_core::adapter::IdRegistry> ids, bool automatically_add_to_executor_with_node)
: type_(type),
  ids_(std::move(ids)),
  id_(ids_ != nullptr ? ids_->claim(id) : id),
  automatic_(automatically_add_to_executor_with_node)
{
}

CallbackGroup::~CallbackGroup()
{
  if (ids_ != nullptr) {
    ids_->release(id_);
  }
}

void CallbackGroup::set_condition(const takt_core::Condition & condition)
{
  std::lock_guard lock(mutex_);
  if (const auto group = group_.lock(); group != nullptr && group->members() > 0) {
    throw Error(id_ + " has callbacks in an executor already: give it its condition before");
  }
  condition_ = condition;
  condition_->of_program = true;
}

std::optional<takt_core::Condition> CallbackGroup::condition() const
{
  std::lock_guard lock(mutex_);
  return condition_;
}

std::shared_ptr<takt_core::Group> CallbackGroup::in(const Engine & engine)
{
  std::lock_guard lock(mutex_);
  std::shared_ptr<takt_core::Group> group = group_.lock();
  if (group != nullptr && engine_ != &engine && group->busy()) {
    // The core's group has members in one executor only: in another executor this would become a
    // second group, whose callbacks could run beside the unfinished one.
    throw Error(
      id_ +
      ": a callback of this group still runs in the executor that it was removed from; until "
      "it has returned, the group can only be added there");
  }
  if (group == nullptr || engine_ != &engine) {
    group = std::make_shared<takt_core::Group>(
      exclusive() ? takt_core::GroupKind::mutually_exclusive : takt_core::GroupKind::reentrant,
      id_);
    group_ = group;
    engine_ = &engine;
  }
  return group;
}

}  // namespace takt_rcl
