// What a solution says of each task and chain, or why it says nothing.
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

/// Of all kinds of threads that took part. With terms of segments until there are `most_terms`.
PriorityBounds answers(const PrioritySolver & solver, std::size_t most_terms);

/// Gives `bounds` those of `others`, of the same model, that are smaller, or that it has not.
void take_smaller(PriorityBounds & bounds, PriorityBounds others);

/// The same as bounds alone: `Plain` has one per task and one per chain.
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
