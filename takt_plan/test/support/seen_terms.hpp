// Compares the terms of a model's bounds with the bounds.
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
  std::uint64_t chains = 0;    ///< chains with a bound
  std::uint64_t segments = 0;  ///< segments of these chains
  std::uint64_t runs = 0;      ///< segments of several tasks, of local analyses
  std::map<std::pair<Analysis, TermKind>, std::uint64_t> kinds;
};

/// Fails if terms do not add up, if a counted job or task contradicts the model, or if a bound
/// changes when it has terms. `what` begins the messages.
void check_terms(const std::string & what, const Model & model, SeenTerms & seen);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__SEEN_TERMS_HPP_
