// What a solution says of each task and chain, or why it says nothing.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__ANSWERS_HPP_
#define TAKT_PLAN__SRC__ANSWERS_HPP_

#include "priority_solver.hpp"
#include "takt_plan/priority_bounds.hpp"

namespace takt_plan::detail
{

/// Of all kinds of threads that took part.
PriorityBounds answers(const PrioritySolver & solver);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ANSWERS_HPP_
