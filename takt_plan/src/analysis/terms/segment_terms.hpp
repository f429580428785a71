// Finds the terms of the bound of a segment of fixed priorities, by the equation of
// priority_bounds.hpp.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__SEGMENT_TERMS_HPP_
#define TAKT_PLAN__SRC__SEGMENT_TERMS_HPP_

#include "analysis/priority/priority_solver.hpp"
#include "takt_plan/bound_terms.hpp"

namespace takt_plan::detail
{

/// The terms of the time from the segment's latest release to its end (`Worst::response`), or with
/// `leaving` to its message (`Worst::leaves`). Only for parts without a local analysis.
BoundTerms terms_from_release(
  const PrioritySolver & solver, const SolvedWindow & solved, bool leaving);

/// The terms of the time from the segment's activation to its end, for any release
/// (`Worst::from_activation`).
BoundTerms terms_from_activation(const PrioritySolver & solver, const SolvedWindow & solved);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__SEGMENT_TERMS_HPP_
