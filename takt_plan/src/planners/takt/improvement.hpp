// Moves that improve a whole plan.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__PLANNERS__TAKT__IMPROVEMENT_HPP_
#define TAKT_PLAN__SRC__PLANNERS__TAKT__IMPROVEMENT_HPP_

#include <vector>

#include "planners/takt/search.hpp"

namespace takt_plan::detail
{

class Improvement
{
public:
  /// Keeps a reference to `search`.
  explicit Improvement(Search & search)
  : search_(search),
    problem_(search.problem()),
    clusters_(search.clusters())
  {
  }

  /// Repeats moves while they improve the plan. For late chains it tries other orders on a core,
  /// and separate threads. For units that share a core with the chain of least slack it tries other
  /// cores.
  void improve(Attempt & attempt) const;

private:
  bool rescued(Attempt & attempt) const;
  bool taken_if_better(Index core, std::vector<Block> blocks, Attempt & attempt) const;
  bool placed_among(
    const std::vector<Block> & blocks, const std::vector<Block> & others,
    const std::vector<Index> & places, Index core, Attempt & attempt) const;
  bool reordered(Index core, Attempt & attempt) const;
  bool singled_out(Index chain, Index core, Attempt & attempt) const;
  bool improved(Attempt & attempt) const;
  bool move_away(Index cluster, Index from, Attempt & attempt) const;

  Search & search_;
  const PlanProblem & problem_;
  const std::vector<Cluster> & clusters_;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PLANNERS__TAKT__IMPROVEMENT_HPP_
