// Why a planned chain misses its deadline, and what would mend it.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__MISFIT_HPP_
#define TAKT_PLAN__MISFIT_HPP_

#include <optional>
#include <vector>

#include "takt_plan/planner.hpp"

namespace takt_plan
{

/// Of one chain. What would mend it is each the smallest change alone, with everything else and the
/// plan as they are (in whole percent; absent: it would not do).
struct Misfit
{
  Index chain = kNone;
  std::optional<Ns> late;  ///< bound - deadline; absent: there is no bound
  Index dominant =
    kNone;       ///< the callback that takes most of the bound; without a bound, of the core
  Ns share = 0;  ///< of the bound, by that callback; 0 without a bound
  std::optional<int> faster_by;   ///< percent of the dominant callback's execution time
  std::optional<int> longer_by;   ///< percent of the period with which that callback is released
  std::optional<int> more_cores;  ///< planned anew: 1 if one more core of its host is enough
};

/// One for each chain that misses its deadline, most important first. Repeats the analysis some dozen
/// times for each, and plans once more.
std::vector<Misfit> misfits(
  const takt_schedule::System & system, const PlanOptions & options, const Planned & planned);

}  // namespace takt_plan

#endif  // TAKT_PLAN__MISFIT_HPP_
