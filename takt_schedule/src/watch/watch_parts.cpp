#include "takt_schedule/watch_parts.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "takt_schedule/resolver.hpp"

namespace takt_schedule
{
namespace
{

using takt_rt::Result;

template <typename Rule>
void add_part(
  std::vector<AppliedPart> & parts, const std::string & what, const Rule & wanted, const Rule & has)
{
  const Rule none;
  if (wanted != none || has != none) {
    parts.push_back(
      {what, wanted == has ? AppliedPart::Outcome::unchanged : AppliedPart::Outcome::applied});
  }
}

WatchRule rule_of(Result<Resolver> & resolver, const takt_core::Callback & callback)
{
  if (!resolver) {
    return {};
  }
  const auto resolved = resolver->resolve(callback.chain_id(), callback.kind(), true);
  return resolved ? resolved->watch : WatchRule();
}

std::unordered_map<std::string_view, const ChainWatchRule *> chains_of(const Schedule & schedule)
{
  std::unordered_map<std::string_view, const ChainWatchRule *> chains;
  for (const ChainSchedule & chain : schedule.chains) {
    chains.emplace(chain.options.name, &chain.watch);
  }
  return chains;
}

}  // namespace

bool says_watching(const Schedule & schedule)
{
  const auto rule_says = [](const CallbackRule & rule) {
    return !rule.watch.empty() || rule.boost.has_value();
  };
  return schedule.watch != WatchSettings() ||
         std::any_of(
           schedule.chains.begin(), schedule.chains.end(),
           [](const ChainSchedule & chain) { return chain.watch != ChainWatchRule(); }) ||
         std::any_of(
           schedule.executors.begin(), schedule.executors.end(), [&](const auto & executor) {
             return std::any_of(executor.callbacks.begin(), executor.callbacks.end(), rule_says);
           });
}

std::vector<AppliedPart> watch_parts(
  const Schedule & schedule, const Schedule & watched, std::string_view executor_name,
  const takt_core::Executor & executor)
{
  std::vector<AppliedPart> parts;
  if (!says_watching(schedule)) {
    if (says_watching(watched)) {
      parts.push_back(
        {"watching", AppliedPart::Outcome::unchanged,
         "the file has no key for watching, so thresholds, actions and boosts stay as they are"});
    }
    return parts;
  }
  auto wanted = Resolver::create(schedule, executor_name);
  auto has = Resolver::create(watched, executor_name);
  for (const auto & callback : executor.callbacks()) {
    if (!callback->id().starts_with("/takt:")) {
      add_part(
        parts, "watching of " + callback->id(), rule_of(wanted, *callback),
        rule_of(has, *callback));
    }
  }
  const auto before = chains_of(watched);
  const auto now = chains_of(schedule);
  const ChainWatchRule none;
  const auto find = [&](const auto & chains, std::string_view name) -> const ChainWatchRule & {
    const auto found = chains.find(name);
    return found == chains.end() ? none : *found->second;
  };
  for (const ChainSchedule & chain : schedule.chains) {
    const std::string & name = chain.options.name;
    add_part(parts, "watching of chain " + name, chain.watch, find(before, name));
  }
  for (const ChainSchedule & chain : watched.chains) {
    const std::string & name = chain.options.name;
    if (!now.contains(name)) {
      add_part(parts, "watching of chain " + name, none, chain.watch);
    }
  }
  add_part(parts, "watch", schedule.watch, watched.watch);
  return parts;
}

}  // namespace takt_schedule
