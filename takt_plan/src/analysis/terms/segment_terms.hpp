// What the bound of a segment of fixed priorities is the sum of: the equation of priority_bounds.hpp,
// term by term.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__SEGMENT_TERMS_HPP_
#define TAKT_PLAN__SRC__SEGMENT_TERMS_HPP_

#include "analysis/priority/priority_solver.hpp"
#include "takt_plan/bound_terms.hpp"

namespace takt_plan::detail
{

/// From the segment's latest release to its end: `Worst::response` of a part without local analysis; or to its message,
/// `Worst::leaves`.
BoundTerms terms_from_release(
  const PrioritySolver & solver, const SolvedWindow & solved, bool leaving);

/// From its activation, however it was released: `Worst::from_activation`.
BoundTerms terms_from_activation(const PrioritySolver & solver, const SolvedWindow & solved);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__SEGMENT_TERMS_HPP_
