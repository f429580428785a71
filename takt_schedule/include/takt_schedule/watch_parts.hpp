// What of a schedule's watch rules a process takes only when it starts again.
#ifndef TAKT_SCHEDULE__WATCH_PARTS_HPP_
#define TAKT_SCHEDULE__WATCH_PARTS_HPP_

#include <string_view>
#include <vector>

#include "takt_core/executor.hpp"
#include "takt_schedule/applied_part.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule
{

/// For a process that watches by `watched`, the schedule it started with, and is given `schedule`: one skipped part for
/// each callback of the executor, each chain and the settings (`watch`) whose rules differ. `apply_schedule` cannot tell,
/// because executors do not know watch rules. Where a schedule has no such executor, its rules count as none.
/// Set-up only; any thread; allocates.
std::vector<AppliedPart> watch_parts(
  const Schedule & schedule, const Schedule & watched, std::string_view executor_name,
  const takt_core::Executor & executor);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__WATCH_PARTS_HPP_
