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

/// A part of a chain's time in which the chain waits and none of its callbacks could run.
struct Wait
{
  enum class For
  {
    jitter,  ///< until a timer or an external message is released
    /// Until the set that the chain enters by `task` is complete, and the callback that the set
    /// starts has ended.
    set,
    reader  ///< until the next run of `task`, which reads the published value
  };
  For what = For::jitter;
  Index task = kNone;
  Ns time = 0;
};

/// One chain that misses its deadline. Each remedy is the smallest single change that the search
/// found, in whole percent. With this change the chain meets its deadline, and no other chain or
/// callback loses a bound or deadline. The search tries changes within this plan. If planning is
/// quick, it also plans the changed system again, because another plan may need a smaller change.
/// It makes these plans without restarts, and checks the result with them. Absent: the search found
/// no change.
struct Misfit
{
  Index chain = kNone;
  std::optional<Ns> late;  ///< bound - deadline; absent: no bound
  /// Among the callbacks with the largest loads on the chain's cores, the one whose removal would
  /// make the bound smallest. kNone: not searched, because many misfits are more important or the
  /// search would have taken too long.
  Index dominant = kNone;
  /// How much the removal of `dominant` reduces the bound. 0: no bound, or no removal reduces it.
  Ns share = 0;
  std::optional<int> faster_by;  ///< percent of `dominant`'s execution time to save, up to 95
  /// The timers and external messages that start the chain, over all steps.
  std::vector<Index> sources;
  /// Percent by which the periods of `sources` would have to be longer. If longer is not always
  /// better in this plan, the search tries only multiples of 5, and above 100 only multiples of 25.
  std::optional<int> longer_by;
  /// Smaller values of `faster_by` and `longer_by` may suffice, because there was no time to plan
  /// again and find out.
  bool cut_short = false;
  bool out_of_time = false;  ///< `options.time_used` ended the search for changes
  std::optional<Wait> wait;  ///< the longest wait; absent: none, or no bound
  /// The sources of the reader for which the chain waits longest. Empty: no callback of the chain
  /// reads.
  std::vector<Index> reader_sources;
  /// Percent by which the periods of `reader_sources` are too long, a multiple of 5.
  std::optional<int> sooner_by;
  /// Callbacks of the chain that would each need a callback group of their own: callbacks of no use
  /// to the chain are in their mutually exclusive groups, so that all have one thread. Empty: that
  /// would not be enough, or no such group is there.
  std::vector<Index> own_groups_of;
  bool groups_tried = false;  ///< the search planned with groups of their own
  /// The longest times of the chain's callbacks without any overhead.
  Ns alone = 0;
  /// True: no schedule meets the deadline of `own`, which is this misfit's chain. Then the search
  /// tries only `faster_by`.
  bool impossible(const Chain & own) const noexcept { return alone > own.deadline; }
  /// The host on which one more core would let a new plan keep the deadline; kNone: no such host.
  Index more_cores_of = kNone;
  bool planned_again = false;  ///< the changed systems were planned again; false with very many
                               ///< callbacks
};

/// The longest times of the chain's callbacks, without any overhead.
Ns work_alone(const takt_schedule::System & system, const Chain & chain);

/// One misfit for each chain that misses its deadline, the most important chain first. For the
/// first few chains the function repeats the analysis some dozen times, plans once more for each
/// host, and plans changed systems for about two seconds. With `options.time_used` the function
/// tries no more changes from 1.25 times the time limit on, and sets `out_of_time`. It finds
/// `dominant` all the same, if that takes less than a second.
std::vector<Misfit> misfits(
  const takt_schedule::System & system, const PlanOptions & options, const Planned & planned);

}  // namespace takt_plan

#endif  // TAKT_PLAN__SRC__MISFIT_HPP_
