// Sorts times of one hyperperiod, each with its cost.
//
// The windows of a hyperperiod with many jobs sort the same times for each level of urgency and in
// each round. So this takes time in proportion to their number.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__ANALYSIS__JOBS__SORT_BY_TIME_HPP_
#define TAKT_PLAN__SRC__ANALYSIS__JOBS__SORT_BY_TIME_HPP_

#include <utility>
#include <vector>

#include "takt_plan/nanoseconds.hpp"

namespace takt_plan::detail
{

using TimeAndCost = std::pair<Ns, Ns>;

/// By time, which is not negative. The order among equal times is not specified. `scratch`: any
/// content, which is lost.
void sort_by_time(std::vector<TimeAndCost> & values, std::vector<TimeAndCost> & scratch);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ANALYSIS__JOBS__SORT_BY_TIME_HPP_
