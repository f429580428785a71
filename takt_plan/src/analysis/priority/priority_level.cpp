#include "analysis/priority/priority_level.hpp"

#include <algorithm>
#include <limits>

namespace takt_plan::detail
{

PriorityLevel::PriorityLevel(
  const Model & model, const Segments & segments, const std::vector<Index> & segment,
  const PriorityTerms & terms)
: model_(model),
  segments_(segments),
  terms_(terms),
  core_(segments.core(segment.front())),
  thread_(segments.thread(segment.front())),
  urgency_(model.threads[thread_].priority),
  least_(std::numeric_limits<int>::max())
{
  for (const Index task : segment) {
    const Index thread = segments.thread(task);
    if (model.threads[thread].priority < urgency_) {
      urgency_ = model.threads[thread].priority;
      thread_ = thread;
    }
  }
  for (const Index task : segment) {
    if (segments.thread(task) == thread_) {
      least_ = std::min(least_, segments.level(task));
    }
  }
  if (terms.equals) {
    find_shared();
  }
}

void PriorityLevel::find_shared()
{
  for (const Index index : segments_.threads_on(core_)) {
    const Thread & other = model_.threads[index];
    shared_ = shared_ || (index != thread_ && other.kind == ThreadClass::fixed_priority &&
                          other.priority == urgency_);
  }
  for (const OtherLoad & other : model_.others) {
    shared_ = shared_ || (other.priority == urgency_ && may_be_here(other));
  }
}

bool PriorityLevel::may_be_here(const OtherLoad & other) const
{
  return std::find(other.cores.begin(), other.cores.end(), core_) != other.cores.end();
}

bool PriorityLevel::competes(const Thread & thread) const
{
  return thread.kind == ThreadClass::deadline ||
         (thread.kind == ThreadClass::fixed_priority && thread.priority >= urgency_);
}

bool PriorityLevel::competes(const OtherLoad & other) const
{
  return may_be_here(other) &&
         (other.priority > urgency_ || (terms_.equals && other.priority == urgency_));
}

bool PriorityLevel::contains(Index task) const
{
  if (segments_.core(task) != core_) {
    return false;
  }
  const Thread & thread = model_.threads[segments_.thread(task)];
  if (thread.kind != ThreadClass::fixed_priority) {
    return false;
  }
  if (thread.priority != urgency_) {
    return thread.priority > urgency_;
  }
  if (shared_) {
    return true;
  }
  const int own = segments_.level(task);
  return segments_.thread(task) == thread_ && (own > least_ || (terms_.equals && own == least_));
}

}  // namespace takt_plan::detail
