#include "support/simulated_campaign.hpp"

#include <algorithm>

#include "takt_plan/simulate.hpp"

namespace takt_plan::test
{
namespace
{

void fail(const std::string & what, SimulatedCampaign & campaign)
{
  if (campaign.violations++ == 0) {
    campaign.first = what;
  }
}

void compare(
  const std::string & what, const takt_rt::Result<Ns> & bound, Ns observed,
  SimulatedCampaign & campaign)
{
  if (!bound || *bound == 0) {
    return;
  }
  campaign.tightest =
    std::max(campaign.tightest, static_cast<double>(observed) / static_cast<double>(*bound));
  if (observed > *bound) {
    fail(
      what + ": bound " + std::to_string(*bound) + ", observed " + std::to_string(observed),
      campaign);
  }
}

}  // namespace

void simulate_and_compare(
  std::uint64_t seed, const Model & model, const Overheads & overheads, const Bounds & tasks,
  const Bounds & chains, SimulatedCampaign & campaign, const SimulatedSituations & situations)
{
  for (const auto & bound : tasks) {
    ++(bound ? campaign.bounds : campaign.refusals);
  }
  auto simulation = simulation_model(model);
  if (!simulation) {
    fail(to_string(simulation.faults().front()), campaign);
    return;
  }
  vary(overheads, *simulation);
  for (SimulatedTask & task : simulation->tasks) {
    task.best = situations.from_zero ? 0 : task.best;
  }
  for (const SimulatedSituation & situation : situations.all) {
    SimulationOptions options;
    options.duration = situations.duration;
    options.seed = seed * 100;
    options.phases = situation.phases;
    options.execution = situation.execution;
    options.runs = situation.runs == 0 ? adversarial_runs(*simulation) : situation.runs;
    const auto result = simulate(*simulation, options);
    if (!result) {
      fail(to_string(result.faults().front()), campaign);
      return;
    }
    campaign.jobs += result->jobs;
    const std::string at = "TAKT_TEST_SEED=" + std::to_string(seed) + situation.name;
    for (Index t = 0; t < model.tasks.size(); ++t) {
      campaign.overwritten += result->tasks[t].overwritten;
      compare(at + model.tasks[t].id, tasks[t], result->tasks[t].from_source, campaign);
    }
    for (Index c = 0; c < model.chains.size(); ++c) {
      compare(
        at + model.chains[c].name, chains[c], result->chains[c].responses.worst.time(), campaign);
    }
  }
}

SimulatedCampaign until_violation(
  const std::function<void(std::uint64_t seed, SimulatedCampaign &)> & run)
{
  SimulatedCampaign campaign;
  for (std::uint64_t i = 0; i < 1000 && campaign.violations == 0; ++i) {
    run(seed() + i, campaign);
  }
  return campaign;
}

}  // namespace takt_plan::test
