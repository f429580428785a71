// What an executor refuses to bind: groups across OS priorities, priorities a following thread
// cannot take. With the set-up mutex held.
#include <algorithm>
#include <unordered_set>

#include "executor/executor_impl.hpp"
#include "takt_core/binding_rules.hpp"

namespace takt_core
{

Faults Executor::Impl::check(const std::vector<NewBinding> & bindings) const
{
  Faults faults;
  for (const NewBinding & binding : bindings) {
    check_following(binding, faults);
  }
  std::unordered_set<const Group *> told;
  for (const NewBinding & binding : bindings) {
    if (told.count(&binding.callback->group()) == 0 && !check_group(binding, bindings, faults)) {
      told.insert(&binding.callback->group());
    }
  }
  return faults;
}

void Executor::Impl::check_following(const NewBinding & binding, Faults & faults) const
{
  for (std::size_t t = 0; t < options.threads.size(); ++t) {
    const ThreadAttributes & attributes = options.threads[t].attributes;
    const bool bound = binding.threads == 0 || (binding.threads >> t & 1) != 0;
    if (bound && options.threads[t].follow && !can_follow(attributes, binding.priority)) {
      faults.push_back(
        binding.callback->id() + ": priority " + std::to_string(binding.priority) +
        " cannot be taken by following thread " + attributes.name + "; use 1 to " +
        std::to_string(attributes.priority));
      return;
    }
  }
}

// The group's other members stand where `bindings` puts them, or where they are.
bool Executor::Impl::check_group(
  const NewBinding & binding, const std::vector<NewBinding> & bindings, Faults & faults) const
{
  const Group & group = binding.callback->group();
  const auto known = members.find(&group);
  if (
    uniform || !group.exclusive() || known == members.end() ||
    group.across_priorities_.load(std::memory_order_relaxed)) {
    return true;
  }
  const std::vector<int> own = urgencies(options.threads, binding.threads, binding.priority);
  for (const Callback * member : known->second) {
    NewBinding other{member, scheduler.threads(*member), scheduler.priority(*member)};
    for (const NewBinding & moved : bindings) {
      other = moved.callback == member ? moved : other;
    }
    if (
      member != binding.callback &&
      urgencies(options.threads, other.threads, other.priority) != own) {
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

// Where the members would stand whose priority changes when `chain` takes the place of the one of
// that name; null: when that one goes.
std::vector<Executor::Impl::NewBinding> Executor::Impl::bindings_after(
  std::string_view name, const ChainOptions * chain) const
{
  std::vector<ChainOptions> chains = scheduler.chains();
  std::erase_if(chains, [&](const ChainOptions & old) { return old.name == name; });
  if (chain != nullptr) {
    chains.push_back(*chain);
  }
  std::vector<NewBinding> bindings;
  for (const auto & [group, callbacks] : members) {
    for (const Callback * callback : callbacks) {
      const int after = scheduler.binding(*callback)->priority.value_or(
        inherited_priority(chains, callback->chain_id()));
      if (after != scheduler.priority(*callback)) {
        bindings.push_back({callback, scheduler.threads(*callback), after});
      }
    }
  }
  std::sort(bindings.begin(), bindings.end(), [](const NewBinding & a, const NewBinding & b) {
    return a.callback->number() < b.callback->number();
  });
  return bindings;
}

bool Executor::Impl::has(const Callback & callback) const
{
  const auto group = members.find(&callback.group());
  return group != members.end() &&
         std::find(group->second.begin(), group->second.end(), &callback) != group->second.end();
}

}  // namespace takt_core
