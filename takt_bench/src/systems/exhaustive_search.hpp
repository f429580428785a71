// All plans of a small system, each judged by the analysis that judges planners. Set-up only.
#ifndef TAKT_BENCH__SRC__SYSTEMS__EXHAUSTIVE_SEARCH_HPP_
#define TAKT_BENCH__SRC__SYSTEMS__EXHAUSTIVE_SEARCH_HPP_

#include <cstdint>
#include <optional>

#include "takt_plan/assignment.hpp"
#include "takt_schedule/system.hpp"

namespace takt_bench
{

struct Tried
{
  std::optional<takt_plan::Assignment>
    plan;                   ///< the first that meets all deadlines; none: no plan does
  std::uint64_t plans = 0;  ///< that were judged
};

/// Each callback has a thread of its own, on each core, in each order of urgency, and each timer each offset of a grid of
/// `steps` to its period, the one with the longest period apart, which stays at 0. Timers that are slower than others of
/// their set of newest messages start a hyperperiod later. Takes seconds where no plan does.
///
/// `system`: of one host; no groups, and no chain that reads. Throws std::runtime_error where it cannot be planned at all.
Tried exhaustive_search(const takt_schedule::System & system, int steps);

}  // namespace takt_bench

#endif  // TAKT_BENCH__SRC__SYSTEMS__EXHAUSTIVE_SEARCH_HPP_
