// Moves that make a whole plan better.
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
  /// Keeps a reference.
  explicit Improvement(Search & search)
  : search_(search),
    problem_(search.problem()),
    clusters_(search.clusters())
  {
  }

  /// As long as it helps: other orders on a core and threads of their own for chains that are missed,
  /// other cores for what shares one with the chain that has the least slack.
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
