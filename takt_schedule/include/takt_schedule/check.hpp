// Checks a schedule against a list of callbacks without running them: gives the findings of a
// start-up.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_SCHEDULE__CHECK_HPP_
#define TAKT_SCHEDULE__CHECK_HPP_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "takt_core/callback.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule
{

/// A callback of a planned graph.
struct ListedCallback
{
  std::string id;
  takt_core::Kind kind = takt_core::Kind::waitable;
  std::string group{};     ///< id of its callback group; empty: a group of its own
  bool reentrant = false;  ///< the group is reentrant
  std::string executor{};  ///< empty: unknown
};

/// The threads of a callback.
struct CallbackThreads
{
  std::string id;
  std::string executor;
  std::vector<std::string> threads;  ///< words of the schedule: "hot", "rest.0", "all"
  int line = 0;                      ///< of the rule; 0: default threads
};

/// The result of `check`.
struct CheckReport
{
  takt_rt::Faults faults;  ///< "FILE:LINE:COL: ..." as in parsing
  takt_rt::Faults warnings;
  std::vector<std::string> defaulted_callbacks;
  std::vector<CallbackThreads> callbacks;
};

/// Faults: ids listed twice, ties, priorities that no following pool can take, groups across OS
/// priorities, subscriptions of a group with `spread` on different threads, chains with unknown
/// ids, and under `strict: true` patterns without a match. Warnings: exclusive groups that rules
/// spread over threads of one OS priority, and patterns without a match.
///
/// `only_executor`: leaves out the other executors and their callbacks. Ids of chains may belong to
/// those and are judged as in `Resolver::unmatched_chain_ids`. A callback with an unknown executor
/// belongs to each executor that has a rule for it, or to the only executor.
///
/// Too many patterns for the number of callbacks are the only fault.
CheckReport check(
  const Schedule & schedule, const std::vector<ListedCallback> & callbacks,
  std::string_view only_executor = {});

/// For a schedule with faults (`readable` of `parse_schedule`): the findings of `check` that do not
/// depend on these faults. They are patterns without a match, ties, chains with unknown ids, and
/// unknown executors.
CheckReport check_names(
  const Schedule & readable, const std::vector<ListedCallback> & callbacks,
  std::string_view only_executor = {});

/// The fault of a schedule for another system: more than half of the callbacks that its rules and
/// chains name in full, and at least five, are not among `callbacks`. Nothing if fewer are missing
/// or the list is empty.
std::optional<takt_rt::Fault> other_system(
  const Schedule & schedule, const std::vector<ListedCallback> & callbacks);

/// Warns of rules that match only names given in code, and are most likely slips: `sub(images)`,
/// since topics begin with a slash, and `timer(100 ms)`, since durations in ids have no spaces. Ids
/// of `callbacks` get no warning.
takt_rt::Faults unlikely_ids(
  const Schedule & schedule, const std::vector<ListedCallback> & callbacks);

/// The fault of a check that would take minutes: each pattern with stars is compared with each
/// callback of its executor, which is limited to tens of millions of comparisons. Empty: within the
/// limit.
takt_rt::Faults too_many_patterns(
  const Schedule & schedule, const std::vector<ListedCallback> & callbacks);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__CHECK_HPP_
