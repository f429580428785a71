// Judges changes of a plan: by its bounds, its simulation, its histories and its timers.
#ifndef TAKT_PLAN__SRC__PROGRAMS__PLAN_JUDGE_HPP_
#define TAKT_PLAN__SRC__PROGRAMS__PLAN_JUDGE_HPP_

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "planners/simulated_plan.hpp"
#include "takt_plan/model.hpp"
#include "takt_plan/planner.hpp"
#include "takt_schedule/schedule.hpp"
#include "takt_schedule/system.hpp"

namespace takt_plan::program
{

/// Holds a plan, and replaces it by changed ones that are no worse. Set-up only: allocates; each
/// simulation takes up to about a second.
class PlanJudge
{
public:
  /// `keep_slack`: a chain may get a larger bound, and a longer response in simulation, while this
  /// share of its deadline stays by its bound, as where threads are merged. Absent: no chain may.
  PlanJudge(
    const takt_schedule::System & system, Planned & planned, SimulatedPlan & simulated,
    std::optional<double> keep_slack);

  struct Verdict
  {
    bool taken = false;  ///< the plan is the changed one now
    /// The first thing that is worse, for a sentence that begins with "with it". Of a taken change:
    /// the chain whose response in simulation is longest beside the one before; empty: none is
    /// longer.
    std::string worse;
  };

  /// Takes the changed plan if no chain has a larger bound (see `keep_slack`) or a longer response
  /// in the same simulation, no timer skips more periods, no more messages are lost, no further
  /// callback is without a bound, no further timer may end at its next release, and no further
  /// history may be too short. `model` is one for analyses (inputs.hpp), with the tasks of the
  /// plan.
  Verdict take(Model model, takt_schedule::Schedule schedule);

private:
  using Histories = std::set<std::pair<Index, Index>>;  // tasks, and topics of them

  Histories short_histories(const Model & model) const;

  const takt_schedule::System & system_;
  Planned & planned_;
  SimulatedPlan & simulated_;
  const std::optional<double> keep_slack_;
  const Histories short_;  // those of the first plan
};

}  // namespace takt_plan::program

#endif  // TAKT_PLAN__SRC__PROGRAMS__PLAN_JUDGE_HPP_
