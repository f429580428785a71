// From when bounds that rest on phases hold again after a disturbance.
//
// A skipped period or a lost message leaves a set of newest messages with other messages than the analysis says. Of
// topics with different periods the set is back in step after a hyperperiod. Of topics with one period it may take other
// messages from then on, for good: that matters where bounds grow if the set may begin with any messages.
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

struct Settling
{
  /// So long after a disturbance bounds hold again: a hyperperiod, and those by which a slow source begins later, as after
  /// a start. Not proven (job_windows.hpp). Absent: no bound rests on phases.
  std::optional<Ns> after;
  /// Tasks whose skipped periods and lost messages leave a set out of step for good; rising. Bounds then hold again after
  /// a new start.
  std::vector<Index> for_good;
};

/// Of the bounds of `model`.
Settling settling(const Model & model, const Bounds & bounds);

/// Writes it into a schedule whose rules name the tasks of `model` one by one.
void say(const Settling & settling, const Model & model, takt_schedule::Schedule & schedule);

/// When bounds hold, in one sentence; empty: they rest on no phases.
std::string when_bounds_hold(const Settling & settling, const Model & model);

}  // namespace takt_plan

#endif  // TAKT_PLAN__SETTLING_HPP_
