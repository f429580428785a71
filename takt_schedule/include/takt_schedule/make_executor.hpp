// Creates the executor that a schedule describes.
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

/// An executor with the schedule's threads and chains, not started. Callbacks are added with the
/// bindings of a `Resolver` (resolver.hpp). Fallbacks are used where the rights are missing; each
/// is told in `notes`, if given. `setter`: through whom its threads get their attributes; it also says which rights are
/// missing (null: the process's own). Faults: no executor of that name, and the core's. Set-up only; may block.
takt_rt::Result<std::unique_ptr<takt_core::Executor>> make_executor(
  const Schedule & schedule, std::string_view executor_name, takt_rt::Faults * notes = nullptr,
  std::shared_ptr<takt_rt::AttributeSetter> setter = nullptr);

/// `schedule` with the fallbacks of its executor `executor_name`, as below: isolated groups have some, too.
Schedule with_fallbacks(
  Schedule schedule, std::string_view executor_name, takt_rt::AttributeSetter * setter);

/// `executor` with the fallbacks of what `setter` says would be refused (null: the process's own rights).
WithFallbacks with_fallbacks(const ExecutorSchedule & executor, takt_rt::AttributeSetter * setter);

/// The executor of that name, or one fault that lists those there are. The result points into
/// `schedule`.
takt_rt::Result<const ExecutorSchedule *> find_executor(
  const Schedule & schedule, std::string_view executor_name);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__MAKE_EXECUTOR_HPP_
