// Checks a schedule against a list of callbacks, without running any: what start-up would say.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_SCHEDULE__CHECK_HPP_
#define TAKT_SCHEDULE__CHECK_HPP_

#include <string>
#include <string_view>
#include <vector>

#include "takt_core/callback.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule
{

/// A callback that a graph will have.
struct ListedCallback
{
  std::string id;
  takt_core::Kind kind = takt_core::Kind::waitable;
  std::string group{};     ///< id of its callback group; empty: an own one
  bool reentrant = false;  ///< the group is reentrant
  std::string executor{};  ///< empty: not known
};

/// Where a callback will run.
struct CallbackThreads
{
  std::string id;
  std::string executor;
  std::vector<std::string> threads;  ///< words of the schedule: "hot", "rest.0", "all"
  int line = 0;                      ///< of the rule; 0: by default
};

struct CheckReport
{
  takt_rt::Faults faults;  ///< "FILE:LINE:COL: ..." like those of parsing
  takt_rt::Faults warnings;
  std::vector<std::string> defaulted_callbacks;
  std::vector<CallbackThreads> callbacks;
};

/// Faults: ids listed twice, ties, priorities no following pool can take, groups across OS
/// priorities, chains that name unknown ids, and under `strict: true` patterns that match nothing.
/// Warnings: exclusive groups that rules spread over threads of one OS priority, and patterns that match
/// nothing.
///
/// `only_executor`: leaves the others out, and so does the list of callbacks then; ids of chains
/// may be theirs and are judged as `Resolver::unmatched_chain_ids` does. A callback whose executor is
/// not known belongs to each executor that has a rule for it, or to the only one there is.
///
/// Too many patterns for so many callbacks are one fault, the only one.
CheckReport check(
  const Schedule & schedule, const std::vector<ListedCallback> & callbacks,
  std::string_view only_executor = {});

/// Of a schedule with faults (`readable` of `parse_schedule`): what `check` would find whatever those are. These are
/// patterns that match nothing, ties, chains that name unknown ids, and executors that there are not.
CheckReport check_names(
  const Schedule & readable, const std::vector<ListedCallback> & callbacks,
  std::string_view only_executor = {});

/// Rules for what only a name given in code can be, and is most likely a slip: `sub(images)`, since topics begin with a
/// slash, and `timer(100 ms)`, since ids have no spaces in durations. None for an id that is one of `callbacks`.
takt_rt::Faults unlikely_ids(
  const Schedule & schedule, const std::vector<ListedCallback> & callbacks);

/// Why this would take minutes: each pattern with stars is compared with each callback of its
/// executor, tens of millions of times at most. Empty: it would not.
takt_rt::Faults too_many_patterns(
  const Schedule & schedule, const std::vector<ListedCallback> & callbacks);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__CHECK_HPP_
