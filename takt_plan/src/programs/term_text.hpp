// Describes the terms of a bound in words, and as JSON.
#ifndef TAKT_PLAN__SRC__PROGRAMS__TERM_TEXT_HPP_
#define TAKT_PLAN__SRC__PROGRAMS__TERM_TEXT_HPP_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "takt_plan/bounds.hpp"

namespace takt_plan::program
{

/// "hot (OS priority 60)", or the thread's reservation.
std::string described(const Model & model, Index thread);
/// The names of all threads that may run the task.
std::string threads_of(const Model & model, Index task);

/// If there are many small terms of interference by callbacks, merges them into one term. Returns
/// its line.
std::string small_interference(BoundTerms & terms);

/// Sorts terms as programs show them: by kind, the longest first.
BoundTerms in_order(BoundTerms terms);

/// The lines of one term of this segment of the chain. A term `threads_busy` has one line for each
/// of its parts, all others have one line.
std::vector<std::string> lines_of(
  const Model & model, const Chain & chain, const SegmentBound & segment, const BoundTerm & term);

nlohmann::json terms_json(const Model & model, const Chain & chain, const BoundTerms & terms);

}  // namespace takt_plan::program

#endif  // TAKT_PLAN__SRC__PROGRAMS__TERM_TEXT_HPP_
