// Compares a new schedule's watch rules with those in force.
#ifndef TAKT_SCHEDULE__WATCH_PARTS_HPP_
#define TAKT_SCHEDULE__WATCH_PARTS_HPP_

#include <string_view>
#include <vector>

#include "takt_core/executor.hpp"
#include "takt_schedule/applied_part.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule
{

/// Whether a rule or chain of the schedule, or its `watch`, has a key of watching or a boost. A
/// schedule without one, as `takt template` writes it, leaves watching and boosts of running
/// executors unchanged.
bool says_watching(const Schedule & schedule);

/// The changes for an executor from the watch rules of `watched` to those of `schedule`: one part
/// for each callback, each chain and the settings (`watch`) that either schedule mentions; it is
/// unchanged if both agree. `apply_schedule` cannot give these, because executors do not know watch
/// rules. A schedule without this executor has no rules. If only `watched` mentions watching,
/// nothing changes: one part gives the reason. Set-up only; any thread; allocates.
std::vector<AppliedPart> watch_parts(
  const Schedule & schedule, const Schedule & watched, std::string_view executor_name,
  const takt_core::Executor & executor);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__WATCH_PARTS_HPP_
