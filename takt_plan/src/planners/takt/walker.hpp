// One walk of annealing.hpp, from plan to plan.
//
// Set-up only: allocates, does not block. Walkers of one problem may walk on several threads at once.
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

/// What plans are made of: one block for each unit.
struct Genome
{
  std::vector<Block> blocks;  ///< per unit
  std::vector<Index> cores;   ///< per unit
  std::vector<Index> order;   ///< units, the most urgent first; on each core this order counts
  std::vector<Ns> phases;     ///< per group of timers
};

/// A plan, judged.
struct Walked
{
  Genome genome;
  Score score;
  bool met_in_simulation = false;  ///< all deadlines, in a short one, and no timer skipped a period
  double cost = 0;

  /// In the order of the planner's objective as far as it is about deadlines and bounds; of equals the cost.
  bool better_than(const Walked & other) const;
};

class Walker
{
public:
  /// Keeps references. `phases`: nullptr: offsets stay as they are.
  Walker(
    const PlanProblem & problem, const TimerPhases * phases, const std::vector<Cluster> & clusters,
    std::uint64_t seed);

  /// Begins anew from there. The walk that follows goes by what a simulation shows alone, which is soon judged, or by
  /// bounds.
  void start(const Layout & layout, bool by_simulation);
  void start(const Walked & walked);
  /// Goes on by bounds from the best plan of a walk by simulation.
  void go_by_bounds();
  /// Judges so many plans; ten that a simulation rules out count as one. `heat`: 1 at the beginning of a walk, 0 at its
  /// end.
  void walk(Index plans, double heat);

  /// Of this walk and of those before, but for walks by simulation.
  const Walked & best() const noexcept { return best_; }
  /// Of this walk by simulation.
  const Walked & shown() const noexcept { return shown_; }
  Layout layout(const Genome & genome) const;
  /// What judging has cost.
  double spent() const noexcept { return spent_; }
  /// Plans.
  Index tried() const noexcept { return tried_; }

private:
  Index pick(Index count);
  double chance();
  /// What a simulation shows: of each chain with a deadline, most important first, the share of it that was taken. 0: it
  /// shows nothing.
  struct Seen
  {
    std::vector<double> taken;
    std::uint64_t skipped = 0;
    double late_timers = 0;  ///< sum of what timers take beyond a share of their period
  };

  /// Nothing where the plan surely costs more than `most`.
  std::optional<Walked> judge(Genome genome, double most);
  Seen simulated(const Layout & layout) const;
  Score as_score(const Layout & layout, const Seen & seen) const;
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
  double cost_of(
    const Layout & layout, const std::vector<double> & taken, Index unbounded,
    double stretch) const;
  static double cost_of(const Seen & seen);

  const PlanProblem & problem_;
  const TimerPhases * const phases_;
  const std::vector<Cluster> & clusters_;
  Draw draw_;
  Walked current_;
  Walked best_;
  Walked shown_;
  bool by_simulation_ = false;
  std::vector<char>
    brief_;  // per unit: timers that hardly take time, which come before all others of a core
  std::vector<Index> chains_;  // with a deadline, most important first
  Ns simulated_for_ = 0;
  double spent_ = 0;
  Index tried_ = 0;
  double effort_ = 0;  // of this turn, in judgements
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PLANNERS__TAKT__WALKER_HPP_
