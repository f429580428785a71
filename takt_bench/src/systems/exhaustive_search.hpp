// Tries all plans of a small system. The analysis that judges planners judges each of them. Set-up
// only.
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
    plan;                   ///< the first plan that keeps all deadlines; empty: no plan does
  std::uint64_t plans = 0;  ///< judged plans
};

/// Tries each callback with its own thread, on each core, in each order of urgency, and each timer
/// with each offset of a grid of `steps` per period; the timer with the longest period stays at 0.
/// A timer that is slower than others of its set of newest messages starts a hyperperiod later.
/// Takes seconds if no plan keeps all deadlines.
///
/// `system`: one host, without groups, and without chains that read. Throws std::runtime_error if
/// the system cannot be planned.
Tried exhaustive_search(const takt_schedule::System & system, int steps);

}  // namespace takt_bench

#endif  // TAKT_BENCH__SRC__SYSTEMS__EXHAUSTIVE_SEARCH_HPP_
