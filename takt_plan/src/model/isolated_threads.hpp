// Lists the threads of isolated groups in the schedule, because analysis and simulation know only
// listed threads.
#ifndef TAKT_PLAN__SRC__MODEL__ISOLATED_THREADS_HPP_
#define TAKT_PLAN__SRC__MODEL__ISOLATED_THREADS_HPP_

#include <vector>

#include "takt_rt/result.hpp"
#include "takt_schedule/check.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_plan
{

/// Each isolated group of `callbacks` becomes an entry of threads, and each of its callbacks gets a
/// rule that binds it there. Fault: an executor would then have more threads than analysis and
/// simulation can have.
void list_isolated_threads(
  takt_schedule::Schedule & schedule, const std::vector<takt_schedule::ListedCallback> & callbacks,
  takt_rt::Faults & faults);

}  // namespace takt_plan

#endif  // TAKT_PLAN__SRC__MODEL__ISOLATED_THREADS_HPP_
