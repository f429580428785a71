#include "takt_schedule/watch_parts.hpp"

#include <string>
#include <unordered_map>

#include "takt_schedule/resolver.hpp"

namespace takt_schedule
{
namespace
{

using takt_core::Result;

AppliedPart at_next_start(std::string what)
{
  return {
    std::move(what), AppliedPart::Outcome::skipped, "it counts when the program starts again"};
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

std::vector<AppliedPart> watch_parts(
  const Schedule & schedule, const Schedule & watched, std::string_view executor_name,
  const takt_core::Executor & executor)
{
  std::vector<AppliedPart> parts;
  auto wanted = Resolver::create(schedule, executor_name);
  auto has = Resolver::create(watched, executor_name);
  for (const auto & callback : executor.callbacks()) {
    if (
      !callback->id().starts_with("/takt:") &&
      rule_of(wanted, *callback) != rule_of(has, *callback)) {
      parts.push_back(at_next_start("watching of " + callback->id()));
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
    if (find(before, chain.options.name) != chain.watch) {
      parts.push_back(at_next_start("watching of chain " + chain.options.name));
    }
  }
  for (const ChainSchedule & chain : watched.chains) {
    if (!now.contains(chain.options.name) && chain.watch != none) {
      parts.push_back(at_next_start("watching of chain " + chain.options.name));
    }
  }
  if (schedule.watch != watched.watch) {
    parts.push_back(at_next_start("watch"));
  }
  return parts;
}

}  // namespace takt_schedule
