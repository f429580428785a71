// How good an assignment is, by the analysis.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__SCORE_HPP_
#define TAKT_PLAN__SRC__SCORE_HPP_

#include <cstdint>
#include <utility>
#include <vector>

#include "planners/layout.hpp"
#include "planners/plan_problem.hpp"
#include "takt_plan/bounds.hpp"

namespace takt_plan::detail
{

/// Compares in the order of the planner's objective: deadlines of chains from the most important one
/// down; of those missed which have a bound, from the most important one down; callbacks without any
/// bound; cores that are loaded above what they may be; how late the missed chains are, from the most
/// important one down; timers that may skip periods; the smallest normalised slack.
struct Score
{
  std::vector<bool> met;         ///< per chain with a deadline, most important first
  std::vector<Index> missed;     ///< of these, the chains of the problem
  std::vector<Index> unbounded;  ///< tasks of the problem
  Index late_timers = 0;         ///< those whose runs may end after the period: they may skip some
  Index crowded = 0;             ///< cores, of all, that are loaded above their room
  /// Of each chain of the problem with a deadline, most important first.
  std::vector<std::pair<Index, double>> slacks;
  /// The smallest (deadline - bound) / deadline; 1 without deadlines, below 0 if one is missed, -1e9 if
  /// a chain with one has no bound.
  double slack = 1;
  /// What the fullest core has above `kCalm` below its room, or above an even load where that is more.
  double tight = 0;
  Index short_histories = 0;  ///< Bounds::short_histories
  double cost = 0;            ///< of this judgement: what analysis takes grows like that

  /// Whether it misses nothing that `other` does not miss, and leaves no other task without a bound.
  bool no_worse_than(const Score & other) const;
  /// Slacks that differ by no more than rounding does are the same. Both of all chains.
  bool better_than(const Score & other) const;
  /// What `more` misses is missed here, too.
  void add_missing(const Score & more);
};

/// A core should have so much more room than load: what the model does not know runs, too, and the kernel stops real-time
/// threads that take more than 95 % of some second.
inline constexpr double kCalm = 0.03;

/// Terms of equations that are looked at for one judgement; with more, which takes a second, tasks have
/// no bound. It takes cores that are full but for less than a millionth.
inline constexpr std::int64_t kMostLooksAtOnce = 100'000'000;
/// The same by job windows alone, where most plans without bounds are found.
inline constexpr std::int64_t kMostLooksByPhases = 20'000'000;

/// Of a layout that may leave tasks out: they, and what only they start, are not there yet. Chains
/// count if all of their tasks are there. Only what shares a core with `touched`, or messages with
/// what does, is looked at; empty: everything.
Score score(
  const PlanProblem & problem, const Layout & layout, const std::vector<Index> & touched = {});

/// The same by job windows alone, of a complete layout; where a chain has more than `most`, per chain of the model, no chain
/// has a bound.
Score score_by_phases(
  const PlanProblem & problem, const Layout & layout, const std::vector<Ns> & most);

/// The most important chains with a deadline, and their slacks; none where no chain with a deadline is less important.
/// `score`: of all chains.
std::vector<std::pair<Index, double>> most_important(
  const PlanProblem & problem, const Score & score);

/// The most important chains are short where none takes longer than this multiple of its own work.
inline constexpr double kShort = 1.05;

/// What its callbacks take after the latest release, without anything else.
Ns least_response(const PlanProblem & problem, Index chain);

/// The largest bound of the most important chains, as a multiple of what their callbacks take; 1 where there are
/// none. `score`: of all chains.
double stretch(const PlanProblem & problem, const Score & score);

/// Of the sources that chains depend on.
enum class KnownPhases
{
  none,
  some,  ///< job windows know smaller bounds of some chains; others are bounded without phases
  all,   ///< job windows alone can judge plans
};

KnownPhases known_phases(const PlanProblem & problem, const Layout & layout);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__SCORE_HPP_
