#include "planners/judging.hpp"

namespace takt_plan::detail
{
namespace
{

// A system has many jobs if judging a layout with job windows costs more than this many times as
// much as without.
constexpr double kManyTimes = 4;
// After a comparison, `costly_` becomes this many times the cost, so that comparisons are rare.
constexpr double kNextTime = 4;
// Limit of the cost of job windows for places that were not good enough without phases: a second or
// two.
constexpr double kMostByWindows = 1e6;

}  // namespace

Score Judging::judged(const Layout & layout, const std::vector<Index> & touched)
{
  Score found = score(problem_, layout, touched);
  spent_ += found.cost;
  learn(layout, touched, found.cost);
  return found;
}

Score Judging::judged(
  const Layout & layout, const std::vector<Index> & touched,
  const std::function<bool(const Score &)> & enough)
{
  if (!many_jobs_) {
    return judged(layout, touched);
  }
  Score found = without_phases(layout, touched);
  if (by_windows_ < kMostByWindows && !enough(found)) {
    found = judged(layout, touched);
    by_windows_ += found.cost;
  }
  return found;
}

Score Judging::without_phases(const Layout & layout, const std::vector<Index> & touched)
{
  Score found = score_without_phases(problem_, layout, touched);
  spent_ += found.cost;
  return found;
}

void Judging::learn(const Layout & layout, const std::vector<Index> & touched, double cost)
{
  if (!many_jobs_ && cost > costly_) {
    many_jobs_ = cost > kManyTimes * without_phases(layout, touched).cost;
    costly_ = kNextTime * cost;
  }
}

}  // namespace takt_plan::detail
