// Judges an assignment by the analysis.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__SCORE_HPP_
#define TAKT_PLAN__SRC__SCORE_HPP_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "planners/layout.hpp"
#include "planners/plan_problem.hpp"
#include "takt_plan/bounds.hpp"

namespace takt_plan::detail
{

/// The judgement of a layout. `better_than` compares in the order of the planner's objectives:
///
/// 1. deadlines that are met, from the most important chain down,
/// 2. missed chains that have a bound,
/// 3. callbacks without a bound,
/// 4. cores above their room,
/// 5. the lateness of the missed chains,
/// 6. timers that may skip periods,
/// 7. the smallest normalised slack.
struct Score
{
  std::vector<bool> met;         ///< per chain with a deadline, most important first
  std::vector<Index> missed;     ///< chains of the problem that miss their deadlines
  std::vector<Index> unbounded;  ///< tasks of the problem without a bound
  Index late_timers = 0;  ///< timers whose runs may end after their period, so that they skip some
  Index crowded = 0;      ///< cores, on all hosts, with more load than room
  /// The slack of each chain of the problem with a deadline, the most important chain first.
  std::vector<std::pair<Index, double>> slacks;
  /// The smallest (deadline - bound) / deadline; 1 without deadlines, below 0 if one is missed,
  /// -1e9 if a chain with a deadline has no bound.
  double slack = 1;
  double tight = 0;  ///< the largest excess of a core's load over its calm load (calm_load)
  Index short_histories = 0;  ///< Bounds::short_histories
  /// The cost of this judgement; it grows with the time of the analysis.
  double cost = 0;

  /// True if this score misses no deadline that `other` keeps, and each task without a bound has
  /// none in `other` either.
  bool no_worse_than(const Score & other) const;
  /// Slacks that differ only by rounding count as equal. Both scores must be of all chains.
  bool better_than(const Score & other) const;
  /// Adds the missed chains and the tasks without a bound of `more`.
  void add_missing(const Score & more);
};

/// The share of a core that should stay free. Callbacks outside the model run, too, and the kernel
/// stops real-time threads that use more than 95 % of a second.
inline constexpr double kCalm = 0.03;

/// The core's calm load: its room less `kCalm`, or an even share of all load if that is larger.
double calm_load(const PlanProblem & problem, const Layout & layout, Index core);

/// Limit of evaluated terms for one judgement: about a second. Beyond the limit tasks have no
/// bound. Only cores with less than a millionth of room reach it.
inline constexpr std::int64_t kMostLooksAtOnce = 100'000'000;
/// The limit for a judgement by job windows alone. It is lower, because job windows alone give no
/// bound for most plans.
inline constexpr std::int64_t kMostLooksByPhases = 20'000'000;

/// Judges a layout. Tasks may be missing from the layout: the judgement ignores these, and the
/// tasks that only these start. A chain counts if all of its tasks are placed. `touched`: the
/// judgement covers these cores, and all cores that messages link to them, directly or through
/// other cores. Empty: all cores.
Score score(
  const PlanProblem & problem, const Layout & layout, const std::vector<Index> & touched = {});

/// Judges as `score` does, but without job windows, which take long if a hyperperiod has many jobs.
/// The bounds of `score` are never larger.
Score score_without_phases(
  const PlanProblem & problem, const Layout & layout, const std::vector<Index> & touched);

/// Judges a complete layout by job windows alone. If a chain's bound exceeds `most` (per chain of
/// the model), no chain has a bound.
Score score_by_phases(
  const PlanProblem & problem, const Layout & layout, const std::vector<Ns> & most);

/// The most important chains with a deadline, and their slacks. Empty if all chains with a deadline
/// are equally important. `score`: a score of all chains.
std::vector<std::pair<Index, double>> most_important(
  const PlanProblem & problem, const Score & score);

/// The most important chains count as short if each takes at most this multiple of its own work.
inline constexpr double kShort = 1.05;

/// The time of the chain's callbacks after the latest release, without interference.
Ns least_response(const PlanProblem & problem, Index chain);

/// The largest bound of the most important chains, as a multiple of the time of their callbacks; 1
/// if there are none. `score`: a score of all chains.
double stretch(const PlanProblem & problem, const Score & score);

/// Whether no, some or all phases of the chains' sources are known.
enum class KnownPhases
{
  none,
  some,  ///< job windows give some chains smaller bounds; others are bounded without phases
  all,   ///< job windows alone can judge plans
};

KnownPhases known_phases(const PlanProblem & problem, const Layout & layout);

/// The reason why a part of a layout has no job windows, as in "its hyperperiod has more than 20000
/// jobs".
struct UnknownPhases
{
  std::string why;        ///< empty: all parts have job windows
  bool too_long = false;  ///< the reason is a hyperperiod
};

UnknownPhases why_phases_are_unknown(const PlanProblem & problem, const Layout & layout);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__SCORE_HPP_
