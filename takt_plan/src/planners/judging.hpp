// Judges layouts for a search, and counts the cost.
//
// Job windows (job_windows.hpp) take long where a hyperperiod has many jobs. Once one judgement has shown this, a
// search that only asks whether a place is good enough is first answered by the analyses without phases. Their bounds
// are never smaller than those of all analyses together. So what is good enough for them is good enough. Job windows
// judge the other places until a limit of cost, which all of these judgements share. Beyond it such a place counts as
// the analyses without phases say.
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
  /// Keeps a reference.
  explicit Judging(const PlanProblem & problem) : problem_(problem) {}

  /// `score`.
  Score judged(const Layout & layout, const std::vector<Index> & touched);
  /// A score that is not better than that of `judged`, and less costly with many jobs. `enough`: true if a score is so
  /// good that the caller takes the layout.
  Score judged(
    const Layout & layout, const std::vector<Index> & touched,
    const std::function<bool(const Score &)> & enough);

  /// In the unit of Score::cost.
  double spent() const noexcept { return spent_; }
  /// True if job windows took much longer than the other analyses.
  bool many_jobs() const noexcept { return many_jobs_; }

private:
  Score without_phases(const Layout & layout, const std::vector<Index> & touched);
  void learn(const Layout & layout, const std::vector<Index> & touched, double cost);

  const PlanProblem & problem_;
  double spent_ = 0;
  double costly_ = 1e5;    // a judgement that costs more is compared with one without job windows
  double by_windows_ = 0;  // cost of judgements after an answer that was not good enough
  bool many_jobs_ = false;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PLANNERS__JUDGING_HPP_
