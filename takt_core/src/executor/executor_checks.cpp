// What an executor refuses to bind: groups across OS priorities, priorities a following thread
// cannot take. With the set-up mutex held.
#include <algorithm>
#include <unordered_set>

#include "executor/executor_impl.hpp"
#include "takt_core/placement_rules.hpp"

namespace takt_core
{

Faults Executor::Impl::check(const std::vector<Placing> & placed) const
{
  Faults faults;
  for (const Placing & placing : placed) {
    check_following(placing, faults);
  }
  std::unordered_set<const Group *> told;
  for (const Placing & placing : placed) {
    if (told.count(&placing.callback->group()) == 0 && !check_group(placing, placed, faults)) {
      told.insert(&placing.callback->group());
    }
  }
  return faults;
}

void Executor::Impl::check_following(const Placing & placing, Faults & faults) const
{
  for (std::size_t t = 0; t < options.threads.size(); ++t) {
    const ThreadAttributes & attributes = options.threads[t].attributes;
    const bool bound = placing.threads == 0 || (placing.threads >> t & 1) != 0;
    if (bound && options.threads[t].follow && !can_follow(attributes, placing.priority)) {
      faults.push_back(
        placing.callback->id() + ": priority " + std::to_string(placing.priority) +
        " cannot be taken by following thread " + attributes.name + "; use 1 to " +
        std::to_string(attributes.priority));
      return;
    }
  }
}

// The group's other members stand where `placed` puts them, or where they are.
bool Executor::Impl::check_group(
  const Placing & placing, const std::vector<Placing> & placed, Faults & faults) const
{
  const Group & group = placing.callback->group();
  const auto known = members.find(&group);
  if (
    uniform || !group.exclusive() || known == members.end() ||
    group.across_priorities_.load(std::memory_order_relaxed)) {
    return true;
  }
  const std::vector<int> own = urgencies(options.threads, placing.threads, placing.priority);
  for (const Callback * member : known->second) {
    Placing other{member, scheduler.threads(*member), scheduler.priority(*member)};
    for (const Placing & moved : placed) {
      other = moved.callback == member ? moved : other;
    }
    if (
      member != placing.callback &&
      urgencies(options.threads, other.threads, other.priority) != own) {
      faults.push_back(
        "group " + group.id() + " holds " + placing.callback->id() + " and " + member->id() +
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
std::vector<Executor::Impl::Placing> Executor::Impl::placings_after(
  std::string_view name, const ChainOptions * chain) const
{
  std::vector<ChainOptions> chains = scheduler.chains();
  std::erase_if(chains, [&](const ChainOptions & old) { return old.name == name; });
  if (chain != nullptr) {
    chains.push_back(*chain);
  }
  std::vector<Placing> placed;
  for (const auto & [group, callbacks] : members) {
    for (const Callback * callback : callbacks) {
      const int after =
        scheduler.binding(*callback)->priority.value_or(inherited_priority(chains, callback->id()));
      if (after != scheduler.priority(*callback)) {
        placed.push_back({callback, scheduler.threads(*callback), after});
      }
    }
  }
  std::sort(placed.begin(), placed.end(), [](const Placing & a, const Placing & b) {
    return a.callback->number() < b.callback->number();
  });
  return placed;
}

bool Executor::Impl::has(const Callback & callback) const
{
  const auto group = members.find(&callback.group());
  return group != members.end() &&
         std::find(group->second.begin(), group->second.end(), &callback) != group->second.end();
}

}  // namespace takt_core
