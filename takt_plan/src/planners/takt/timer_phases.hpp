// The offsets that the planner may choose: for which timers, which timers move together, and when
// each starts.
//
// Timers of one period that feed one set of newest messages move together. Otherwise the message of
// one timer would wait for the message of the other. If a source of a set is slower than the
// others, it starts whole hyperperiods later, so that the others already have a message. Then all
// sets are alike from the first one on (job_sets.hpp).
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__PLANNERS__TAKT__TIMER_PHASES_HPP_
#define TAKT_PLAN__SRC__PLANNERS__TAKT__TIMER_PHASES_HPP_

#include <vector>

#include "planners/layout.hpp"
#include "planners/plan_problem.hpp"

namespace takt_plan::detail
{

class TimerPhases
{
public:
  struct Group
  {
    std::vector<Index> timers;
    Ns period = 0;
    Ns step = 0;   ///< phases are multiples of this step
    Ns start = 0;  ///< the start of the group's first period
  };

  explicit TimerPhases(const PlanProblem & problem);

  const std::vector<Group> & groups() const noexcept { return groups_; }
  /// The phase of the group's first timer in its period; 0 if unknown.
  Ns phase(const Layout & layout, Index group) const;
  /// Gives all timers of the group this phase, rounded up to a multiple of the group's step.
  void set(Layout & layout, Index group, Ns phase) const;
  /// Gives each timer its current phase as an offset.
  void set_all(Layout & layout) const;

private:
  void add_groups();
  void find_starts();

  const PlanProblem & problem_;
  std::vector<Group> groups_;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PLANNERS__TAKT__TIMER_PHASES_HPP_
