// One walker of annealing.hpp: goes from plan to plan.
//
// Set-up only: allocates, does not block. Walkers of one problem may walk on several threads at
// once.
#ifndef TAKT_PLAN__SRC__PLANNERS__TAKT__WALKER_HPP_
#define TAKT_PLAN__SRC__PLANNERS__TAKT__WALKER_HPP_

#include <cstdint>
#include <optional>
#include <vector>

#include "planners/clusters.hpp"
#include "planners/layout.hpp"
#include "planners/score.hpp"
#include "planners/takt/timer_phases.hpp"
#include "takt_plan/draw.hpp"

namespace takt_plan::detail
{

/// The parts of a plan: one block for each unit.
struct Genome
{
  std::vector<Block> blocks;  ///< per unit
  std::vector<Index> cores;   ///< per unit
  std::vector<Index> order;   ///< the units, the most urgent first; compares units of one core only
  /// Per unit: true if it shares the thread of the unit before it on its core, if allowed.
  std::vector<char> joined;
  std::vector<Ns> phases;  ///< per group of timers
};

/// The properties that a plan with fewer threads must keep.
struct Kept
{
  double slack = 0;    ///< the least slack, as a share of the deadline
  double stretch = 1;  ///< the largest allowed `stretch` (score.hpp)
  Index threads = 0;   ///< the walk ends at a plan with at most this many threads
  double tight = 0;    ///< the largest allowed Score::tight
};

/// A plan and its score.
struct Walked
{
  Genome genome;
  Score score;
  double cost = 0;
  Index threads = 0;
  bool keeps = false;  ///< keeps `Kept` and all deadlines

  /// Compares by the planner's objectives on deadlines and bounds; if equal, by cost.
  bool better_than(const Walked & other) const;
  /// Prefers a plan with `keeps`; if equal, the plan with fewer threads; if equal, the cheaper one.
  bool better_with_few_threads_than(const Walked & other) const;
};

class Walker
{
public:
  /// Keeps references. `phases`: null: offsets do not change.
  Walker(
    const PlanProblem & problem, const TimerPhases * phases, const std::vector<Cluster> & clusters,
    std::uint64_t seed);

  /// Restarts from this layout, with a thread for each unit.
  void start(const Layout & layout);
  /// Restarts from this layout with its threads, and looks for plans with fewer threads.
  void start_with_few_threads(const Layout & layout, const Kept & kept);
  /// Judges this number of plans. `heat`: 1 at the start of a walk, 0 at its end.
  void walk(Index plans, double heat);

  /// The best plan of this walk and earlier walks. In a walk for few threads: the best plan of this
  /// walk only.
  const Walked & best() const noexcept { return best_; }
  Layout layout(const Genome & genome) const;
  /// The cost of judging so far.
  double spent() const noexcept { return spent_; }
  /// The number of judged plans.
  Index tried() const noexcept { return tried_; }

private:
  Index pick(Index count);
  double chance();
  void begin(const Layout & layout);
  bool better(const Walked & one, const Walked & other) const;
  /// Judges a plan. `most`: the largest cost of interest; a higher cost is not computed exactly.
  Walked judge(Genome genome, double most);
  std::vector<Ns> most_of_chains(double most) const;
  void change(Genome & genome);
  void change_place(Genome & genome);
  void change_phase(Genome & genome);
  void to_another_core(Genome & genome);
  void swap_cores(Genome & genome);
  void swap_places(Genome & genome);
  void insert_elsewhere(Genome & genome);
  void gather_chain(Genome & genome);
  void change_tasks(Genome & genome);
  Ns behind_a_chain(const Genome & genome);
  bool may_be_on(Index unit, Index core) const;
  double cost_of(const Layout & layout, const Score & score) const;

  const PlanProblem & problem_;
  const TimerPhases * const phases_;
  const std::vector<Cluster> & clusters_;
  Draw draw_;
  std::optional<Kept> kept_;  // set if the walk looks for fewer threads
  Walked current_;
  Walked best_;
  // Per unit: true if it has only timers, and these take hardly any time. Such a unit runs before
  // all others of its core.
  std::vector<char> brief_;
  double spent_ = 0;
  Index tried_ = 0;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PLANNERS__TAKT__WALKER_HPP_
