// Reads watch rules of a schedule: thresholds, limits, alarms, and the boost of callbacks with a
// backlog.
#ifndef TAKT_SCHEDULE__SRC__READ_WATCH_HPP_
#define TAKT_SCHEDULE__SRC__READ_WATCH_HPP_

#include <string>
#include <vector>

#include "takt_schedule/reader/map_reader.hpp"
#include "takt_schedule/schedule.hpp"
#include "watch/read_actions.hpp"

namespace takt_schedule::detail
{

/// The keys of a callback rule: `boost` and those of WatchRule.
std::vector<std::string> rule_watch_keys();
/// Call after reading `match` and `priority` of the rule.
void read_rule_watch(
  MapReader & map, Findings & findings, const ExecutorSchedule & executor,
  const KnownThreads & threads, CallbackRule & rule);

/// The watch keys of a chain. Call the reader, `read_chain_watch`, after the chain's deadline was
/// read.
std::vector<std::string> chain_watch_keys();
void read_chain_watch(
  MapReader & map, Findings & findings, const KnownThreads & threads, ChainSchedule & chain);

/// `watch:` of the schedule, after its executors.
void read_watch_settings(
  MapReader & map, Findings & findings, const KnownThreads & threads, WatchSettings & watch);

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__READ_WATCH_HPP_
