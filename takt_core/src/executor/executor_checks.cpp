// Bindings that an executor refuses: groups across OS priorities, priorities that a following
// thread cannot take, threads for callbacks of isolated groups. With the set-up mutex held.
#include <algorithm>
#include <unordered_set>

#include "executor/executor_impl.hpp"
#include "takt_core/binding_rules.hpp"

namespace takt_core
{

std::string has_own_threads(const Callback & callback)
{
  return callback.id() + ": group " + callback.group().id() +
         " is isolated, so its callbacks run on its own threads";
}

// Checks callbacks on the threads of the options; an isolated group's threads are always alike.
Faults Executor::Impl::check(
  const std::vector<NewBinding> & bindings,
  const std::vector<ExecutorThreadOptions> & threads) const
{
  Faults faults;
  for (const NewBinding & binding : bindings) {
    check_following(binding, threads, faults);
  }
  if (takt_core::uniform(threads)) {
    return faults;
  }
  std::unordered_set<const Group *> told;
  for (const NewBinding & binding : bindings) {
    const Group & group = binding.callback->group();
    if (told.count(&group) == 0 && !check_group(binding, bindings, threads, faults)) {
      told.insert(&group);
    }
  }
  return faults;
}

void Executor::Impl::check_following(
  const NewBinding & binding, const std::vector<ExecutorThreadOptions> & threads, Faults & faults)
{
  for (std::size_t t = 0; t < threads.size(); ++t) {
    const ThreadAttributes & attributes = threads[t].attributes;
    const bool bound = binding.threads == 0 || (binding.threads >> t & 1) != 0;
    if (bound && threads[t].follow && !can_follow(attributes, binding.priority)) {
      faults.push_back(
        binding.callback->id() + ": priority " + std::to_string(binding.priority) +
        " cannot be taken by following thread " + attributes.name + "; use 1 to " +
        std::to_string(attributes.priority));
      return;
    }
  }
}

// Judges the group's other members by `bindings`, or else by their present bindings.
bool Executor::Impl::check_group(
  const NewBinding & binding, const std::vector<NewBinding> & bindings,
  const std::vector<ExecutorThreadOptions> & threads, Faults & faults) const
{
  const Group & group = binding.callback->group();
  const auto known = members.find(&group);
  if (
    !group.exclusive() || known == members.end() || binding.across_priorities ||
    group.across_priorities_.load(std::memory_order_relaxed)) {
    return true;
  }
  const std::vector<int> own = urgencies(threads, binding.threads, binding.priority);
  for (const Callback * member : known->second) {
    if (member->non_triggering()) {
      continue;  // it runs on the thread of a taker, which does not wait for it
    }
    NewBinding other{member, main.scheduler.threads(*member), main.scheduler.priority(*member)};
    for (const NewBinding & moved : bindings) {
      other = moved.callback == member ? moved : other;
    }
    if (member != binding.callback && urgencies(threads, other.threads, other.priority) != own) {
      faults.push_back(
        "group " + group.id() + " holds " + binding.callback->id() + " and " + member->id() +
        ", which are bound to threads of different OS priority: the less urgent one would block "
        "the other; bind them alike, put them in different groups, or say across_priorities: "
        "allow");
      return false;
    }
  }
  return true;
}

bool Executor::Impl::has(const Callback & callback) const
{
  const auto group = members.find(&callback.group());
  return group != members.end() &&
         std::find(group->second.begin(), group->second.end(), &callback) != group->second.end();
}

// The crew's own scheduler checks the ids of its callbacks; this checks against those of the other
// crews.
Faults Executor::Impl::check_id(const Callback & callback) const
{
  const bool isolated = callback.group().isolation_ != nullptr;
  const bool used =
    isolated_ids.count(callback.id()) != 0 || (isolated && main.scheduler.find(callback.id()));
  if (!used) {
    return {};
  }
  return {"callback id " + callback.id() + " is used already; ids are unique in an executor"};
}

}  // namespace takt_core
