// Campaigns that compare the responses of takt's own simulator with bounds.
#ifndef TAKT_PLAN__TEST__SUPPORT__SIMULATED_CAMPAIGN_HPP_
#define TAKT_PLAN__TEST__SUPPORT__SIMULATED_CAMPAIGN_HPP_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/campaign.hpp"
#include "support/overheads.hpp"
#include "takt_plan/model.hpp"
#include "takt_plan/simulate.hpp"

namespace takt_plan::test
{

struct SimulatedCampaign
{
  std::uint64_t bounds = 0, refusals = 0, jobs = 0, overwritten = 0, violations = 0;
  double tightest = 0;  ///< largest observed share of a bound
  std::string first;    ///< the first violation
};

struct SimulatedSituation
{
  const char * name;
  Phases phases;
  Execution execution;
  std::uint64_t runs;  ///< 0: all adversarial ones
};

struct SimulatedSituations
{
  Ns duration = 30'000;
  std::vector<SimulatedSituation> all{
    {" adversarial ", Phases::adversarial, Execution::worst, 0},
    {" random ", Phases::random, Execution::worst, 4},
    {" random, any times ", Phases::random, Execution::uniform, 2}};
  bool from_zero = false;  ///< runs take any time from zero to their worst
};

/// Runs `model` in these situations, and counts responses above their bounds.
void simulate_and_compare(
  std::uint64_t seed, const Model & model, const Overheads & overheads, const Bounds & tasks,
  const Bounds & chains, SimulatedCampaign & campaign,
  const SimulatedSituations & situations = SimulatedSituations());

/// Runs systems from `seed()` on, at most a thousand, until one of them shows a violation.
SimulatedCampaign until_violation(
  const std::function<void(std::uint64_t seed, SimulatedCampaign &)> & run);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__SIMULATED_CAMPAIGN_HPP_
