// Creates the executor of a schedule.
#ifndef TAKT_SCHEDULE__MAKE_EXECUTOR_HPP_
#define TAKT_SCHEDULE__MAKE_EXECUTOR_HPP_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "takt_core/executor.hpp"
#include "takt_schedule/fallback.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule
{

/// Creates an executor with the schedule's threads and chains, not started. Add callbacks with the
/// bindings of a `Resolver` (resolver.hpp). Threads without the rights get their fallbacks;
/// `notes`, if given, reports each. `setter` sets the threads' attributes and tells which rights
/// are missing (null: the process's own rights). Faults: an unknown executor, and the core's.
/// Set-up only; may block.
takt_rt::Result<std::unique_ptr<takt_core::Executor>> make_executor(
  const Schedule & schedule, std::string_view executor_name, takt_rt::Faults * notes = nullptr,
  std::shared_ptr<takt_rt::AttributeSetter> setter = nullptr);

/// `schedule` with the fallbacks of its executor `executor_name`, including those of isolated
/// groups.
Schedule with_fallbacks(
  Schedule schedule, std::string_view executor_name, takt_rt::AttributeSetter * setter);

/// `executor` with the fallbacks of the attributes that `setter` would refuse (null: the process's
/// own rights).
WithFallbacks with_fallbacks(const ExecutorSchedule & executor, takt_rt::AttributeSetter * setter);

/// The executor of that name, or one fault that lists the known ones. The result points into
/// `schedule`.
takt_rt::Result<const ExecutorSchedule *> find_executor(
  const Schedule & schedule, std::string_view executor_name);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__MAKE_EXECUTOR_HPP_
