// The terms of a bound in words, and as JSON.
#ifndef TAKT_PLAN__SRC__PROGRAMS__TERM_TEXT_HPP_
#define TAKT_PLAN__SRC__PROGRAMS__TERM_TEXT_HPP_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "takt_plan/bounds.hpp"

namespace takt_plan::program
{

/// "hot (OS priority 60)", or what it reserves.
std::string described(const Model & model, Index thread);
/// All that may run the task.
std::string threads_of(const Model & model, Index task);

/// Makes one term of the small ones of interference by callbacks, if they are many; its line.
std::string small_interference(BoundTerms & terms);

/// Terms in the order in which they are shown: by kind, the longest first.
BoundTerms in_order(BoundTerms terms);

/// What a term of this segment of the chain counts: a line, and of `threads_busy` one for each of its
/// parts.
std::vector<std::string> lines_of(
  const Model & model, const Chain & chain, const SegmentBound & segment, const BoundTerm & term);

nlohmann::json terms_json(const Model & model, const Chain & chain, const BoundTerms & terms);

}  // namespace takt_plan::program

#endif  // TAKT_PLAN__SRC__PROGRAMS__TERM_TEXT_HPP_
