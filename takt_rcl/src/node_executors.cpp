// The executors of a node's entities: of the whole node, and of single groups.
//
// A membership lasts from the beginning of a join to the end of a leave. No other join begins
// meanwhile: entities that the leave has not reached would stay in the first executor, and the
// others would be announced in neither.
#include <algorithm>
#include <exception>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include "engine.hpp"
#include "node_state.hpp"
#include "rcutils/logging_macros.h"
#include "takt_rcl/error.hpp"

namespace takt_rcl
{

void NodeState::adopt(const std::shared_ptr<Entity> & entity)
{
  std::lock_guard lock(mutex_);
  entities_.push_back(entity);
  if (const Membership & membership = membership_of(entity->group());
      membership.engine != nullptr && !membership.leaving) {
    entity->attach(membership.engine);
  }
}

void NodeState::forget_ended() noexcept
{
  std::lock_guard lock(mutex_);
  std::erase_if(entities_, [](const auto & weak) { return weak.expired(); });
}

bool NodeState::give_id(const Entity & gone, const takt_core::Run & run) noexcept
{
  Entities held;  // must not release the last hold of an entity under the mutex
  std::lock_guard lock(mutex_);
  held = entities();
  const auto found = std::find_if(
    held.rbegin(), held.rend(), [&](const auto & one) { return gone.is_replaced_by(*one, run); });
  if (found == held.rend()) {
    return false;
  }
  Entity & successor = **found;
  const std::string before = successor.id();
  try {
    successor.rename(gone.id());
    ids_.release(before);
    return true;
  } catch (const std::exception & error) {
    RCUTILS_LOG_WARN_NAMED("takt", "%s keeps this id: %s", before.c_str(), error.what());
  }
  try {
    successor.rename(before);
  } catch (const std::exception & error) {
    RCUTILS_LOG_ERROR_NAMED("takt", "%s ends: %s", before.c_str(), error.what());
  }
  return false;
}

std::vector<std::string> NodeState::ids()
{
  Entities held;  // must not release the last hold of an entity under the mutex
  std::lock_guard lock(mutex_);
  held = entities();
  std::vector<std::string> ids;
  for (const auto & entity : held) {
    ids.push_back(entity->id());
  }
  return ids;
}

NodeState::Entities NodeState::entities()
{
  Entities alive;
  for (const auto & weak : entities_) {
    if (auto entity = weak.lock(); entity != nullptr) {
      alive.push_back(std::move(entity));
    }
  }
  return alive;
}

std::vector<NodeState::Own>::iterator NodeState::own(const CallbackGroup & group) noexcept
{
  return std::find_if(
    own_.begin(), own_.end(), [&](const Own & one) { return one.group.get() == &group; });
}

const NodeState::Membership & NodeState::membership_of(const CallbackGroup & group) noexcept
{
  static const Membership nowhere;
  if (const auto found = own(group); found != own_.end()) {
    return found->membership;
  }
  return group.automatically_add_to_executor_with_node() ? membership_ : nowhere;
}

// Removes the records of groups that stayed out of their node's executor; they belong to the node
// again.
std::vector<NodeState::Own> NodeState::forget_stayed_out()
{
  const auto out = std::partition(
    own_.begin(), own_.end(), [](const Own & own) { return own.membership.engine != nullptr; });
  std::vector<Own> stayed_out(std::make_move_iterator(out), std::make_move_iterator(own_.end()));
  own_.erase(out, own_.end());
  return stayed_out;
}

NodeState::Entities NodeState::entities_of(const CallbackGroup & group, Entities & held)
{
  held = entities();
  Entities chosen;
  std::copy_if(held.begin(), held.end(), std::back_inserter(chosen), [&](const auto & entity) {
    return &entity->group() == &group;
  });
  return chosen;
}

NodeState::Entities NodeState::entities_of_node(Entities & held)
{
  held = entities();
  Entities chosen;
  std::copy_if(held.begin(), held.end(), std::back_inserter(chosen), [&](const auto & entity) {
    return entity->group().automatically_add_to_executor_with_node() &&
           own(entity->group()) == own_.end();
  });
  return chosen;
}

void NodeState::may_join(const Engine & engine) const
{
  if (engine.context() != context_) {
    throw Error(name_ + " belongs to another context than the executor");
  }
}

// Refuses instead of waiting: the leave may wait for the callback that calls this.
void NodeState::must_be_out(const std::string & id, const Membership & membership)
{
  if (membership.leaving) {
    throw Error(id + " is still leaving an executor: removing it there has not returned yet");
  }
  if (membership.engine != nullptr) {
    throw Error(id + " is in an executor already");
  }
}

std::exception_ptr NodeState::attach(
  const Entities & entities, const std::shared_ptr<Engine> & engine) noexcept
{
  // Conditions of groups look once all their callbacks are there.
  std::set<std::shared_ptr<takt_core::Group>> held;
  std::exception_ptr failed;
  try {
    for (const auto & entity : entities) {
      if (const auto [group, is_new] = held.insert(entity->group().in(*engine)); is_new) {
        (*group)->hold_condition();
      }
    }
    for (const auto & entity : entities) {
      entity->attach(engine);
    }
  } catch (...) {
    failed = std::current_exception();
  }
  for (const auto & group : held) {
    engine->core().release_condition(*group);
  }
  return failed;
}

// The end of a join: the schedule sets the attributes of new threads. A fault undoes the join,
// without the mutex.
template <typename Undo>
void NodeState::settle(const Engine & engine, std::exception_ptr failed, Undo undo)
{
  try {
    if (failed != nullptr) {
      std::rethrow_exception(failed);
    }
    if (engine.placer() != nullptr) {
      detail::throw_faults(
        "cannot set threads of the process", engine.placer()->entity_made().faults());
    }
  } catch (...) {
    undo();
    throw;
  }
}

void NodeState::join(const std::shared_ptr<Engine> & engine)
{
  // Declared first: the last hold of an entity, also of an uninvolved one, must not be released
  // under the mutex.
  Entities held, all;
  std::vector<Own> returning;
  std::exception_ptr failed;
  {
    std::lock_guard lock(mutex_);
    must_be_out(name_, membership_);
    for (const Own & own : own_) {
      if (own.membership.leaving && own.group->automatically_add_to_executor_with_node()) {
        must_be_out(own.group->id(), own.membership);
      }
    }
    may_join(*engine);
    returning = forget_stayed_out();
    all = entities_of_node(held);
    membership_.engine = engine;
    failed = attach(all, engine);
  }
  settle(*engine, failed, [&] { leave(*engine); });
}

void NodeState::join(const std::shared_ptr<Engine> & engine, const CallbackGroup::SharedPtr & group)
{
  Entities held, all;
  std::exception_ptr failed;
  {
    std::lock_guard lock(mutex_);
    must_own(*group);
    must_be_out(group->id(), membership_of(*group));
    may_join(*engine);
    if (const auto found = own(*group); found != own_.end()) {
      found->membership.engine = engine;
    } else {
      own_.push_back({group, {engine}});
    }
    all = entities_of(*group, held);
    failed = attach(all, engine);
  }
  settle(*engine, failed, [&] { leave(*engine, *group); });
}

void NodeState::detach(const Entities & entities) noexcept
{
  for (const auto & entity : entities) {
    entity->detach();
  }
}

bool NodeState::leave(const Engine & engine) noexcept
{
  Entities held, all;
  Membership left;
  std::vector<Own> stayed_out;
  {
    std::lock_guard lock(mutex_);
    if (membership_.engine.get() != &engine || membership_.leaving) {
      return false;
    }
    membership_.leaving = true;
    all = entities_of_node(held);
  }
  detach(all);
  std::lock_guard lock(mutex_);
  left = std::exchange(membership_, {});
  stayed_out = forget_stayed_out();
  return true;
}

bool NodeState::leave(const Engine & engine, const CallbackGroup & group) noexcept
{
  Entities held, all;
  Membership left;
  CallbackGroup::SharedPtr keep;
  {
    std::lock_guard lock(mutex_);
    const auto found = own(group);
    if (
      found == own_.end() || found->membership.engine.get() != &engine ||
      found->membership.leaving) {
      return false;
    }
    found->membership.leaving = true;
    keep = found->group;
    all = entities_of(group, held);
  }
  detach(all);
  std::lock_guard lock(mutex_);
  const auto found = own(group);
  if (found == own_.end()) {
    return true;  // the node ended meanwhile
  }
  left = std::exchange(found->membership, {});
  if (membership_.engine == nullptr || !group.automatically_add_to_executor_with_node()) {
    own_.erase(found);
  }
  return true;
}

void NodeState::leave_all(const Engine & engine) noexcept
{
  std::vector<Own> groups;
  {
    std::lock_guard lock(mutex_);
    groups = own_;
  }
  for (const Own & own : groups) {
    leave(engine, *own.group);
  }
  leave(engine);
}

void NodeState::leave_all() noexcept
{
  Entities all;
  std::vector<Own> groups;
  Membership left;
  {
    std::lock_guard lock(mutex_);
    membership_.leaving = membership_.engine != nullptr;
    for (Own & own : own_) {
      own.membership.leaving = own.membership.engine != nullptr;
    }
    all = entities();
  }
  detach(all);
  std::lock_guard lock(mutex_);
  groups.swap(own_);
  left = std::exchange(membership_, {});
}

}  // namespace takt_rcl
