// Makes the answers of a solution: a bound for each task and chain, or the reason why there is
// none.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__ANSWERS_HPP_
#define TAKT_PLAN__SRC__ANSWERS_HPP_

#include <cstddef>
#include <utility>

#include "analysis/priority/priority_solver.hpp"
#include "takt_plan/priority_bounds.hpp"

namespace takt_plan::detail
{

/// For all kinds of threads in the solution. Adds terms to segments until there are `most_terms`.
PriorityBounds answers(const PrioritySolver & solver, std::size_t most_terms);

/// True if no analysis of the solution covers the task.
bool refused(const PrioritySolver & solver, Index task);

/// Replaces each bound by that of `others`, of the same model, if that is smaller or if `bounds`
/// has none.
void take_smaller(PriorityBounds & bounds, PriorityBounds others);

/// The same as bounds without segments: `Plain` has one bound for each task and each chain.
template <typename Plain>
Plain without_segments(PriorityBounds found)
{
  using takt_rt::Result;
  Plain plain;
  plain.tasks = std::move(found.tasks);
  for (const Result<ChainBound> & chain : found.chains) {
    plain.chains.push_back(chain ? Result<Ns>(chain->bound) : chain.faults());
  }
  return plain;
}

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ANSWERS_HPP_
