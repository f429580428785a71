// The nodes that `picas` allocates, with the priorities of their callbacks.
//
// Rules R1 to R4 of Choi, Xiang and Kim (RTAS 2021), numbered as the authors' artefact does. The callbacks of one
// node in one executor stay together, and so do exclusive groups, unless they are pinned to different cores. Set-up
// only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__PICAS_NODES_HPP_
#define TAKT_PLAN__SRC__PICAS_NODES_HPP_

#include <vector>

#include "planners/plan_problem.hpp"

namespace takt_plan::detail
{

struct PicasNode
{
  std::vector<Index> tasks;  ///< most urgent first; never empty
  std::vector<Index> cores;  ///< each of its tasks may run there; never empty
  Index executor = kNone;    ///< the system's executor
  double utilization = 0;
  int least = 0;  ///< lowest callback priority in the node
  int most = 0;
};

/// Per task; larger is more urgent, all are different.
std::vector<int> picas_priorities(const PlanProblem & problem);

/// Nodes with the most urgent callbacks come first.
std::vector<PicasNode> picas_nodes(
  const PlanProblem & problem, const std::vector<int> & priorities);

/// The cores that are in both lists.
std::vector<Index> common(const std::vector<Index> & a, const std::vector<Index> & b);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PICAS_NODES_HPP_
