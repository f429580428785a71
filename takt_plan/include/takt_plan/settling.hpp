// The time after which bounds that rest on phases hold again after a disturbance.
//
// After a skipped period or a lost message, a set of newest messages may take other messages than
// the analysis assumes. If the topics of the set have different periods, the set is back in step
// after a hyperperiod. If they have one period, the set may take other messages for good. That
// matters if the bounds are larger for sets that may begin with any messages.
//
// Set-up only: allocates, does not block; takes as long as an analysis for each set.
#ifndef TAKT_PLAN__SETTLING_HPP_
#define TAKT_PLAN__SETTLING_HPP_

#include <optional>
#include <string>
#include <vector>

#include "takt_plan/bounds.hpp"
#include "takt_plan/model.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_plan
{

/// The settling of one model.
struct Settling
{
  /// The time from a disturbance until bounds hold again: a hyperperiod, and the hyperperiods by
  /// which a slow source begins later, as after a start. Not proven (job_windows.hpp). Absent: no
  /// bound rests on phases.
  std::optional<Ns> after;
  /// Tasks whose skipped periods or lost messages leave a set out of step for good; rising. The
  /// bounds then hold again after a new start.
  std::vector<Index> for_good;
};

/// For the bounds of `model`.
Settling settling(const Model & model, const Bounds & bounds);

/// Writes the settling into a schedule that has a rule for each task of `model`.
void say(const Settling & settling, const Model & model, takt_schedule::Schedule & schedule);

/// One sentence: when the bounds hold. Empty: no bound rests on phases.
std::string when_bounds_hold(const Settling & settling, const Model & model);

}  // namespace takt_plan

#endif  // TAKT_PLAN__SETTLING_HPP_
