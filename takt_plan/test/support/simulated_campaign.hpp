// Campaigns that hold the responses of takt's own simulator against bounds.
#ifndef TAKT_PLAN__TEST__SUPPORT__SIMULATED_CAMPAIGN_HPP_
#define TAKT_PLAN__TEST__SUPPORT__SIMULATED_CAMPAIGN_HPP_

#include <cstdint>
#include <string>

#include "support/campaign.hpp"
#include "support/overheads.hpp"
#include "takt_plan/model.hpp"

namespace takt_plan::test
{

struct SimulatedCampaign
{
  std::uint64_t bounds = 0, refusals = 0, jobs = 0, overwritten = 0, violations = 0;
  double tightest = 0;  ///< largest part of a bound that was seen
  std::string first;    ///< violation
};

/// Runs `model` in adversarial and in random phases and counts what is above its bound.
void simulate_and_compare(
  std::uint64_t seed, const Model & model, const Overheads & overheads, const Bounds & tasks,
  const Bounds & chains, SimulatedCampaign & campaign);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__SIMULATED_CAMPAIGN_HPP_
