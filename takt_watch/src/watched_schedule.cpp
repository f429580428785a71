#include "takt_watch/watched_schedule.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "takt_schedule/resolver.hpp"

namespace takt_watch
{
namespace
{

/// The resolver of a schedule, with a mutex, because several threads may add callbacks.
struct Rules
{
  explicit Rules(takt_schedule::Resolver r) : resolver(std::move(r)) {}

  takt_schedule::WatchRule of(const takt_core::Callback & callback)
  {
    const std::lock_guard lock(mutex);
    // The call reads only the watch rule, so it does not need the default threads.
    const auto resolved = resolver.resolve(callback.chain_id(), callback.kind(), true);
    return resolved.ok() ? resolved->watch : takt_schedule::WatchRule();
  }

  std::mutex mutex;
  takt_schedule::Resolver resolver;
};

}  // namespace

WatchRules watch_rules(const takt_schedule::Schedule & schedule, const std::string & executor_name)
{
  WatchRules result;
  result.settings = schedule.watch;
  if (auto resolver = takt_schedule::Resolver::create(schedule, executor_name); resolver.ok()) {
    result.rule = [rules = std::make_shared<Rules>(std::move(*resolver))](
                    const takt_core::Callback & callback) { return rules->of(callback); };
  }
  std::map<std::string, takt_schedule::ChainWatchRule> chains;
  for (const auto & chain : schedule.chains) {
    chains.emplace(chain.options.name, chain.watch);
  }
  result.chain_rule = [chains = std::move(chains)](const std::string & name) {
    const auto found = chains.find(name);
    return found == chains.end() ? takt_schedule::ChainWatchRule() : found->second;
  };
  return result;
}

WatchedExecutor watched(
  const takt_schedule::Schedule & schedule, const std::string & executor_name,
  takt_core::Executor & executor)
{
  WatchedExecutor result;
  static_cast<WatchRules &>(result) = watch_rules(schedule, executor_name);
  result.name = executor_name;
  result.executor = &executor;
  result.schedule = std::make_shared<const takt_schedule::Schedule>(schedule);
  return result;
}

}  // namespace takt_watch
