// What an executor refuses to bind: groups across OS priorities, priorities a following thread
// cannot take.
#include <algorithm>

#include "executor_impl.hpp"

namespace takt_core
{

// The OS urgencies a callback of this priority may run with on these threads, sorted.
std::vector<int> Executor::Impl::urgencies(ThreadMask mask, int priority) const
{
  if (mask == 0) {
    mask = scheduler.all_threads();
  }
  std::vector<int> found;
  for (std::size_t t = 0; t < options.threads.size(); ++t) {
    if ((mask >> t & 1) != 0) {
      ThreadAttributes attributes = options.threads[t].attributes;
      if (options.threads[t].follow) {
        attributes.priority = priority;
      }
      found.push_back(urgency(attributes));
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

Faults Executor::Impl::check_following(
  const Callback & callback, ThreadMask mask, int priority) const
{
  if (mask == 0) {
    mask = scheduler.all_threads();
  }
  for (std::size_t t = 0; t < options.threads.size(); ++t) {
    const ThreadAttributes & attributes = options.threads[t].attributes;
    if (
      (mask >> t & 1) != 0 && options.threads[t].follow &&
      (priority < 1 || priority > attributes.priority)) {
      return {
        callback.id() + ": priority " + std::to_string(priority) +
        " cannot be taken by following "
        "thread " +
        attributes.name + "; use 1 to " + std::to_string(attributes.priority)};
    }
  }
  return {};
}

Faults Executor::Impl::check_group(const Callback & callback, ThreadMask mask, int priority) const
{
  const Group & group = callback.group();
  const auto known = members.find(&group);
  if (uniform || !group.exclusive() || known == members.end() || across_priorities.count(&group)) {
    return {};
  }
  const std::vector<int> own = urgencies(mask, priority);
  for (const Callback * member : known->second) {
    if (
      member != &callback &&
      urgencies(scheduler.threads(*member), scheduler.priority(*member)) != own) {
      return {
        "group " + group.id() + " holds " + callback.id() + " and " + member->id() +
        ", which are bound to threads of different OS priority: the less urgent one would block "
        "the other; bind them alike, put them in different groups, or say across_priorities: "
        "allow"};
    }
  }
  return {};
}

// The priority a callback will have once added: its own or that of its most important chain.
int Executor::Impl::expected_priority(const std::string & id, const Binding & binding) const
{
  int inherited = 0;
  for (const ChainOptions & chain : scheduler.chains()) {
    if (std::find(chain.path.begin(), chain.path.end(), id) != chain.path.end()) {
      inherited = std::max(inherited, chain.priority);
    }
  }
  return binding.priority.value_or(inherited);
}

}  // namespace takt_core
