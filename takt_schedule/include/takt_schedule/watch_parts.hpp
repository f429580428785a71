// What becomes of a schedule's watch rules where a process is watched by other ones.
#ifndef TAKT_SCHEDULE__WATCH_PARTS_HPP_
#define TAKT_SCHEDULE__WATCH_PARTS_HPP_

#include <string_view>
#include <vector>

#include "takt_core/executor.hpp"
#include "takt_schedule/applied_part.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule
{

/// Whether some rule or chain of the schedule, or its `watch`, has a key of watching or a boost. A schedule without one,
/// as `takt template` writes it, leaves the watching and the boosts of running executors as they are.
bool says_watching(const Schedule & schedule);

/// For an executor that is watched by `watched` and is to be watched by `schedule`: one part for each of its callbacks,
/// each chain and the settings (`watch`) of which one of the two says something; it is unchanged where both say the same.
/// `apply_schedule` cannot tell, because executors do not know watch rules. Where a schedule has no such executor, its
/// rules count as none. If only `watched` says something of watching, all stays: one part, which says why. Set-up only; any thread; allocates.
std::vector<AppliedPart> watch_parts(
  const Schedule & schedule, const Schedule & watched, std::string_view executor_name,
  const takt_core::Executor & executor);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__WATCH_PARTS_HPP_
