// Converts an executor's schedule to the core's options.
#ifndef TAKT_SCHEDULE__CORE_OPTIONS_HPP_
#define TAKT_SCHEDULE__CORE_OPTIONS_HPP_

#include "takt_core/executor.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule
{

/// Threads flattened in file order (see src/threads/thread_names.hpp), named for the OS, cores
/// spread. Ignores fallbacks: see fallback.hpp. Set-up only: allocates, does not block.
takt_core::ExecutorOptions core_options(const ExecutorSchedule & executor);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__CORE_OPTIONS_HPP_
