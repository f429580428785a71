// The shipped models: their content, and the plans of `takt` for them.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "takt_plan/load_plan.hpp"
#include "takt_plan/planner.hpp"
#include "takt_plan/simulate.hpp"
#include "takt_plan/simulation_model.hpp"
#include "takt_schedule/parse_system.hpp"
#include "takt_schedule/to_yaml.hpp"

namespace takt_plan
{
namespace
{

takt_schedule::System shipped(const std::string & name)
{
  auto system = takt_schedule::load_system(std::string(TAKT_MODELS) + "/" + name + ".yaml");
  EXPECT_TRUE(system.ok()) << system.faults().front();
  return system.ok() ? std::move(*system) : takt_schedule::System{};
}

Planned planned(const std::string & model, const PlanOptions & options)
{
  auto result = plan_schedule(shipped(model), options);
  EXPECT_TRUE(result.ok()) << result.faults().front();
  return result.ok() ? std::move(*result) : Planned{};
}

PlanOptions on(std::vector<int> cpus, double keep_slack = PlanOptions().keep_slack)
{
  PlanOptions options;
  options.cpus = std::move(cpus);
  options.keep_slack = keep_slack;
  return options;
}

TEST(ShippedModels, AutowareFitsOnFourCoresAndOnTwo)
{
  const Planned four = planned("autoware_reference", on({}));
  EXPECT_TRUE(all_met(four));
  EXPECT_TRUE(four.shortfalls.empty());
  EXPECT_LE(four.assignment.threads.size(), 12U);
  const Planned two = planned("autoware_reference", on({0, 1}));
  EXPECT_TRUE(all_met(two));
  EXPECT_TRUE(two.shortfalls.empty());
  EXPECT_LE(two.assignment.threads.size(), 6U);
  // Isolation needs a thread for each group: 24 nodes, one of them with two groups; all groups have
  // callbacks.
  PlanOptions isolated = on({});
  isolated.planner = Planner::isolated;
  EXPECT_EQ(planned("autoware_reference", isolated).assignment.threads.size(), 25U);
}

TEST(ShippedModels, ThePicasCaseStudyKeepsItsDeadlinesAndSoDoThreeChains)
{
  EXPECT_TRUE(all_met(planned("picas_case_study", on({}))));
  EXPECT_TRUE(all_met(planned("three_chains", on({}))));
  EXPECT_TRUE(all_met(planned("three_chains", on({0}, 0.0)))) << "90 ms of work in 300 ms";
}

TEST(ShippedModels, SimulatedAutowareStaysWithinItsBounds)
{
  for (const std::vector<int> & cpus : {std::vector<int>{}, std::vector<int>{0, 1}}) {
    const takt_schedule::System system = shipped("autoware_reference");
    const auto plan = plan_schedule(system, on(cpus));
    ASSERT_TRUE(plan.ok());
    const auto parsed = parse_plan(system, takt_schedule::to_yaml(plan->schedule));
    ASSERT_TRUE(parsed.ok()) << parsed.faults().front();
    const SimulationModel model = simulation_model(*parsed);
    for (const Execution execution : {Execution::worst, Execution::uniform}) {
      SimulationOptions options;
      options.phases = Phases::fixed;  // bounds of sets in step hold for the model's offsets
      options.execution = execution;
      options.duration = 60'000'000'000;
      const auto result = simulate(model, options);
      ASSERT_TRUE(result.ok());
      for (Index chain = 0; chain < parsed->model.chains.size(); ++chain) {
        const ChainResult & seen = result->chains[chain];
        ASSERT_GT(seen.responses.count, 0U) << parsed->model.chains[chain].name;
        ASSERT_TRUE(plan->bounds.chains[chain].ok());
        EXPECT_LE(seen.responses.worst.time(), plan->bounds.chains[chain]->bound)
          << parsed->model.chains[chain].name;
      }
    }
  }
}

}  // namespace
}  // namespace takt_plan
