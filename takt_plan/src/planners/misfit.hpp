// Why a planned chain misses its deadline, and what would fix it.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__MISFIT_HPP_
#define TAKT_PLAN__SRC__MISFIT_HPP_

#include <optional>
#include <vector>

#include "takt_plan/planner.hpp"

namespace takt_plan
{

/// Time that a chain passes waiting although nobody runs.
struct Wait
{
  enum class For
  {
    jitter,  ///< until a timer, or what comes from outside, is released
    set,     ///< until the set that it enters by the task is complete, and what it starts has ended
    reader   ///< until the task, which reads what was published, is due
  };
  For what = For::jitter;
  Index task = kNone;
  Ns time = 0;
};

/// Of one chain. What would fix it is each the smallest change alone that was found, in whole percent, by
/// which this chain is met, and no chain and no callback loses what it has: with everything else as it is
/// in this plan, and of systems that are planned quickly also planned anew (without restarts, but what is
/// found does with them, too), since another plan may do with less. Absent: none was found.
struct Misfit
{
  Index chain = kNone;
  std::optional<Ns> late;  ///< bound - deadline; absent: there is no bound
  /// The callback without which the bound would be smallest, of those that load the chain's cores most;
  /// kNone: not looked for, because there are many more important misfits.
  Index dominant = kNone;
  Ns share = 0;  ///< what the bound would be less without it; 0 if there is no bound
  std::optional<int> faster_by;  ///< percent of the dominant callback's execution time, up to 95
  std::vector<Index> sources;    ///< what starts it in the end: timers, and what comes from outside
  /// Percent of the periods of these; where not all above would do in this plan, of multiples of 5, beyond
  /// 100 of 25.
  std::optional<int> longer_by;
  /// Less of these two may do: planning anew to look for it would have taken too long.
  bool cut_short = false;
  std::optional<Wait> wait;  ///< the longest; absent: there is none, or no bound
  /// What starts the longest waited for of the callbacks on its path that read; empty: none reads.
  std::vector<Index> reader_sources;
  std::optional<int> sooner_by;  ///< percent of the periods of these, a multiple of 5
  Index more_cores_of = kNone;   ///< planned anew, one more core of this host would be enough
  bool planned_again = false;    ///< to see that; not of very many callbacks
};

/// One for each chain that misses its deadline, most important first. Of the first few it repeats the
/// analysis some dozen times each, and plans once more for each host, and as often as it takes about two
/// seconds.
std::vector<Misfit> misfits(
  const takt_schedule::System & system, const PlanOptions & options, const Planned & planned);

}  // namespace takt_plan

#endif  // TAKT_PLAN__SRC__MISFIT_HPP_
