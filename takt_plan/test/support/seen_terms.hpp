// Holds the terms of a model's bounds against the bounds.
#ifndef TAKT_PLAN__TEST__SUPPORT__SEEN_TERMS_HPP_
#define TAKT_PLAN__TEST__SUPPORT__SEEN_TERMS_HPP_

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "takt_plan/bounds.hpp"

namespace takt_plan::test
{

struct SeenTerms
{
  std::uint64_t chains = 0;    ///< that have a bound
  std::uint64_t segments = 0;  ///< of these
  std::uint64_t runs = 0;      ///< segments of several tasks, of local analyses
  std::map<std::pair<Analysis, TermKind>, std::uint64_t> kinds;
};

/// Fails where terms do not add up, where what is counted is not what the model says, or where a bound
/// changes because it is explained. `what` begins the messages.
void check_terms(const std::string & what, const Model & model, SeenTerms & seen);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__SEEN_TERMS_HPP_
