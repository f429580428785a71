// The nodes that `picas` allocates, with the priorities of their callbacks.
//
// Rules R1 to R4 of Choi, Xiang and Kim (RTAS 2021), numbered as in the authors' artefact. A node
// has the callbacks of one ROS node in one executor, and whole exclusive groups, unless these are
// pinned to different cores. Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__PICAS_NODES_HPP_
#define TAKT_PLAN__SRC__PICAS_NODES_HPP_

#include <vector>

#include "planners/plan_problem.hpp"

namespace takt_plan::detail
{

struct PicasNode
{
  std::vector<Index> tasks;  ///< most urgent first; never empty
  std::vector<Index> cores;  ///< every task of the node may run on these; never empty
  Index executor = kNone;    ///< the executor in the system, not that of the paper
  double utilization = 0;
  int least = 0;  ///< lowest callback priority in the node
  int most = 0;
};

/// The priority of each task. A larger number is more urgent. All numbers differ.
std::vector<int> picas_priorities(const PlanProblem & problem);

/// The nodes, in the order of their most urgent callbacks.
std::vector<PicasNode> picas_nodes(
  const PlanProblem & problem, const std::vector<int> & priorities);

/// The cores that are in both lists.
std::vector<Index> common(const std::vector<Index> & a, const std::vector<Index> & b);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PICAS_NODES_HPP_
