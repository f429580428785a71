// Gives an executor that may spin what a schedule says of it.
#ifndef TAKT_SCHEDULE__APPLY_SCHEDULE_HPP_
#define TAKT_SCHEDULE__APPLY_SCHEDULE_HPP_

#include <string_view>
#include <vector>

#include "takt_core/executor.hpp"
#include "takt_schedule/applied_part.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule
{

/// Chains, the bindings, priorities and deadlines of all callbacks, and the attributes of all threads become those of
/// the schedule's executor `executor_name`; all or nothing, and judged by the whole, as Executor::reconfigure.
/// Faults: a file that names other threads or another order than the executor has, which only a start can give it; what
/// the executor refuses; under missing_rights: fail what the kernel refuses. Then nothing has changed.
/// Set-up only; any thread; may block as the executor's setter does.
takt_core::Result<std::vector<AppliedPart>> apply_schedule(
  const Schedule & schedule, std::string_view executor_name, takt_core::Executor & executor);

/// The same answer, as far as it can be known without doing it; changes nothing.
takt_core::Result<std::vector<AppliedPart>> check_schedule(
  const Schedule & schedule, std::string_view executor_name, takt_core::Executor & executor);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__APPLY_SCHEDULE_HPP_
