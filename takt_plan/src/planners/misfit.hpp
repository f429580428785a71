// Explains why a planned chain misses its deadline, and which changes would fix it.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__MISFIT_HPP_
#define TAKT_PLAN__SRC__MISFIT_HPP_

#include <optional>
#include <vector>

#include "takt_plan/planner.hpp"

namespace takt_plan
{

/// A part of a chain's time in which it waits and none of its callbacks could run.
struct Wait
{
  enum class For
  {
    jitter,  ///< until a timer or an external message is released
    set,  ///< until the set that it enters by the task is complete, and the callback that the set starts has ended
    reader  ///< until the next run of the task, which reads the published value
  };
  For what = For::jitter;
  Index task = kNone;
  Ns time = 0;
};

/// One chain that misses its deadline. Each remedy is the smallest single change that was found, in whole percent,
/// with which this chain meets its deadline and no other chain or callback loses a bound or deadline. The changes are
/// tried with this plan. Systems that are planned quickly are also planned again with the change, since another plan
/// may need a smaller one; this is done without restarts, and the result is checked with them. Absent: no change was
/// found.
struct Misfit
{
  Index chain = kNone;
  std::optional<Ns> late;  ///< bound - deadline; absent: no bound
  /// The callback whose removal would make the bound smallest, among those with the largest loads on the chain's
  /// cores. kNone: not searched, because there are many more important misfits.
  Index dominant = kNone;
  Ns share = 0;  ///< how much smaller the bound would be without it; 0 if there is no bound
  std::optional<int> faster_by;  ///< percent of the dominant callback's execution time, up to 95
  std::vector<Index> sources;    ///< the timers and external messages that start it, over all steps
  /// Percent by which the periods of `sources` would have to be longer. If longer is not always better in this plan,
  /// only multiples of 5 are tried, and beyond 100 of 25.
  std::optional<int> longer_by;
  /// Smaller values of these two may suffice: planning again to find out would have taken too long.
  bool cut_short = false;
  std::optional<Wait> wait;  ///< the longest wait; absent: none, or no bound
  /// The sources of the reader on the chain's path that it waits for longest; empty: no callback reads.
  std::vector<Index> reader_sources;
  std::optional<int> sooner_by;  ///< percent that their periods are too long, a multiple of 5
  Index more_cores_of = kNone;   ///< with one more core of this host a new plan would suffice
  bool planned_again = false;    ///< the changed systems were planned again; false with very many
                                 ///< callbacks
};

/// One misfit for each chain that misses its deadline, the most important chain first. For the first few chains the
/// function repeats the analysis some dozen times, plans once more for each host, and plans changed systems for about
/// two seconds. With `options.time_used` the function ends at 1.25 times the time limit, and sets `cut_short`.
std::vector<Misfit> misfits(
  const takt_schedule::System & system, const PlanOptions & options, const Planned & planned);

}  // namespace takt_plan

#endif  // TAKT_PLAN__SRC__MISFIT_HPP_
