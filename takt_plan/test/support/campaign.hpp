// Campaigns that compare simulated responses with bounds: their length, their seed, and their
// findings.
#ifndef TAKT_PLAN__TEST__SUPPORT__CAMPAIGN_HPP_
#define TAKT_PLAN__TEST__SUPPORT__CAMPAIGN_HPP_

#include <cstdint>
#include <string>
#include <vector>

#include "support/simulation.hpp"
#include "takt_plan/model.hpp"
#include "takt_rt/result.hpp"

namespace takt_plan::test
{

/// TAKT_TEST_SEED, or 1.
std::uint64_t seed();
/// `slice`, multiplied by TAKT_TEST_ROUNDS if it is set (soak).
std::uint64_t rounds(std::uint64_t slice);

struct Campaign
{
  std::uint64_t bounds = 0, refusals = 0, runs = 0, violations = 0;
  std::string first;  ///< the first violation
};

using Bounds = std::vector<takt_rt::Result<Ns>>;

/// Runs the model in several situations of `seed`, and counts responses above their bounds.
void compare(
  const Model & model, const Bounds & tasks, const Bounds & chains, std::uint64_t seed,
  Campaign & campaign);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__CAMPAIGN_HPP_
