// Chains that cross two hosts and several processes: no simulated response of a planned system is above
// its bound; bounds that know nothing of how long messages are under way are exceeded.
#include <gtest/gtest.h>

#include <string>

#include "draw.hpp"
#include "support/campaign.hpp"
#include "support/example.hpp"
#include "support/planning.hpp"
#include "takt_plan/load_plan.hpp"
#include "takt_plan/simulate.hpp"
#include "takt_plan/simulation_model.hpp"
#include "takt_schedule/to_yaml.hpp"

namespace takt_plan
{
namespace
{

using test::kMs;

struct Seen
{
  std::uint64_t bounds = 0, crossing = 0, jobs = 0, violations = 0;
  std::string first;
};

bool crosses(const Model & model, const Chain & chain)
{
  for (const Index task : chain.path) {
    if (model.tasks[task].host != model.tasks[chain.path.front()].host) {
      return true;
    }
  }
  return false;
}

/// Two hosts, three processes, messages that take up to `hosts` and a tenth of that.
takt_schedule::System system_of(std::uint64_t seed)
{
  takt_schedule::System system = test::restrained_system(2 * seed + 1);
  detail::Draw draw(seed);
  const Ns hosts = draw.between(1, 20) * kMs;
  system.communication = {takt_core::Duration(hosts / 10), takt_core::Duration(hosts)};
  const Ns micro = 1000;
  for (takt_schedule::HostModel & host : system.hosts) {
    host.overheads = {
      takt_core::Duration(draw.between(0, 20) * micro),
      takt_core::Duration(draw.between(0, 50) * micro),
      takt_core::Duration(draw.between(0, 30) * micro)};
  }
  return system;
}

/// Bounds with `known` for how long messages are under way, simulated with what that is.
void run(std::uint64_t seed, bool known, Seen & seen)
{
  const takt_schedule::System system = system_of(seed);
  const Planned planned = test::plan_of(system, test::by(Planner::rate_monotonic));
  const std::string schedule = takt_schedule::to_yaml(planned.schedule);
  takt_schedule::System judged = system;
  if (!known) {
    judged.communication = {};
  }
  const auto bounded = parse_plan(judged, schedule);
  const auto real = parse_plan(system, schedule);
  ASSERT_TRUE(bounded.ok() && real.ok());
  const auto found = bounds(bounded->model);
  ASSERT_TRUE(found.ok()) << found.faults().front();
  const SimulationModel model = simulation_model(*real);
  for (const Phases phases : {Phases::random, Phases::adversarial}) {
    SimulationOptions options;
    options.seed = seed;
    options.phases = phases;
    options.runs = 3;
    options.duration = 2'000 * kMs;
    const auto result = simulate(model, options);
    ASSERT_TRUE(result.ok()) << result.faults().front();
    for (const TaskResult & task : result->tasks) {
      seen.jobs += task.responses.count;
    }
    for (Index chain = 0; chain < result->chains.size(); ++chain) {
      const Responses & responses = result->chains[chain].responses;
      if (!found->chains[chain] || responses.count == 0) {
        continue;
      }
      ++seen.bounds;
      seen.crossing += crosses(real->model, real->model.chains[chain]) ? 1 : 0;
      if (responses.worst.time() > found->chains[chain]->bound) {
        ++seen.violations;
        seen.first = seen.first.empty()
                       ? "seed " + std::to_string(seed) + ", " + real->model.chains[chain].name
                       : seen.first;
      }
    }
  }
}

TEST(HostsSoundness, NoResponseIsAboveItsBound)
{
  Seen seen;
  for (std::uint64_t i = 0; i < test::rounds(60); ++i) {
    run(test::seed() + i, true, seen);
  }
  EXPECT_EQ(seen.violations, 0U) << seen.first;
  EXPECT_GT(seen.bounds, 300U);
  EXPECT_GT(seen.crossing, 100U);
  EXPECT_GT(seen.jobs, 50'000U);
}

TEST(HostsSoundness, HowLongMessagesAreUnderWayIsNeeded)
{
  Seen seen;
  for (std::uint64_t i = 0; i < 200 && seen.violations == 0; ++i) {
    run(test::seed() + i, false, seen);
  }
  EXPECT_GT(seen.violations, 0U);
}

}  // namespace
}  // namespace takt_plan
