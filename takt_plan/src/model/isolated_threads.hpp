// The threads of isolated groups, listed as if somebody had written them: analysis and simulation know threads only.
#ifndef TAKT_PLAN__SRC__MODEL__ISOLATED_THREADS_HPP_
#define TAKT_PLAN__SRC__MODEL__ISOLATED_THREADS_HPP_

#include <vector>

#include "takt_rt/result.hpp"
#include "takt_schedule/check.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_plan
{

/// Each isolated group of `callbacks` becomes an entry of threads, and each of its callbacks gets a rule that binds it
/// there. Faults: with them an executor would have more threads than analysis and simulation know.
void list_isolated_threads(
  takt_schedule::Schedule & schedule, const std::vector<takt_schedule::ListedCallback> & callbacks,
  takt_rt::Faults & faults);

}  // namespace takt_plan

#endif  // TAKT_PLAN__SRC__MODEL__ISOLATED_THREADS_HPP_
