// Judges layouts for a search, and counts the cost.
//
// Job windows (job_windows.hpp) take long if a hyperperiod has many jobs. Once one judgement has
// shown this, and if a search only asks whether a place is good enough, the analyses without phases
// judge first. Their bounds are never smaller than the bounds of all analyses together. So if a
// place is good enough by their bounds, the search takes it. Job windows judge the other places,
// until the cost of these judgements reaches a limit. After that, only the analyses without phases
// judge.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__PLANNERS__JUDGING_HPP_
#define TAKT_PLAN__SRC__PLANNERS__JUDGING_HPP_

#include <functional>
#include <vector>

#include "planners/layout.hpp"
#include "planners/score.hpp"

namespace takt_plan::detail
{

class Judging
{
public:
  /// Keeps a reference to `problem`.
  explicit Judging(const PlanProblem & problem) : problem_(problem) {}

  /// Judges the layout by `score`.
  Score judged(const Layout & layout, const std::vector<Index> & touched);
  /// Returns a score that is not better than that of `judged` above, and costs less if the system
  /// has many jobs. `enough`: returns true if the caller takes a layout with this score.
  Score judged(
    const Layout & layout, const std::vector<Index> & touched,
    const std::function<bool(const Score &)> & enough);

  /// The cost of judging so far, in the unit of Score::cost.
  double spent() const noexcept { return spent_; }
  /// True if job windows took much longer than the other analyses.
  bool many_jobs() const noexcept { return many_jobs_; }

private:
  Score without_phases(const Layout & layout, const std::vector<Index> & touched);
  void learn(const Layout & layout, const std::vector<Index> & touched, double cost);

  const PlanProblem & problem_;
  double spent_ = 0;
  double costly_ = 1e5;  // if a judgement costs more, `learn` repeats it without job windows
  // The cost of job windows for places that were not good enough without phases.
  double by_windows_ = 0;
  bool many_jobs_ = false;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PLANNERS__JUDGING_HPP_
