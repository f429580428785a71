// Chains that cross two hosts and three processes: no simulated response of a planned system
// exceeds its bound. Bounds that ignore the delays of messages between hosts are exceeded.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/campaign.hpp"
#include "support/example.hpp"
#include "support/planning.hpp"
#include "takt_plan/draw.hpp"
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
  std::uint64_t bounds = 0, crossing = 0, jobs = 0;
  std::uint64_t violations = 0;           ///< of all chains
  std::uint64_t crossing_violations = 0;  ///< of chains over two hosts
  std::string first;
};

bool crosses(const Model & model, const Chain & chain)
{
  return std::any_of(chain.path.begin(), chain.path.end(), [&](Index task) {
    return model.tasks[task].host != model.tasks[chain.path.front()].host;
  });
}

/// Two hosts, three processes. Messages between hosts take up to `hosts`, others a tenth of that.
/// Callbacks may take less than their worst times.
takt_schedule::System system_of(std::uint64_t seed)
{
  takt_schedule::System system = test::restrained_system(2 * seed + 1);
  Draw draw(seed);
  const Ns hosts = draw.between(1, 20) * kMs;
  system.communication = {takt_rt::Duration(hosts / 10), takt_rt::Duration(hosts)};
  const Ns micro = 1000;
  for (takt_schedule::HostModel & host : system.hosts) {
    host.overheads = {
      takt_rt::Duration(draw.between(0, 20) * micro),
      takt_rt::Duration(draw.between(0, 50) * micro),
      takt_rt::Duration(draw.between(0, 30) * micro)};
  }
  for (takt_schedule::CallbackModel & callback : system.callbacks) {
    callback.time.best = callback.time.worst * draw.between(0, 10) / 10;
  }
  return system;
}

/// `known`: the bounds know the delays between hosts.
void run(std::uint64_t seed, bool known, Seen & seen)
{
  const std::string at = "TAKT_TEST_SEED=" + std::to_string(seed);
  SCOPED_TRACE(at);
  const takt_schedule::System system = system_of(seed);
  const Planned planned = test::plan_of(system, test::by(Planner::rate_monotonic));
  const std::string schedule = takt_schedule::to_yaml(planned.schedule);
  takt_schedule::System judged = system;
  if (!known) {
    judged.communication.hosts = {};
  }
  const auto bounded = parse_plan(judged, schedule);
  const auto real = parse_plan(system, schedule);
  ASSERT_TRUE(bounded.ok() && real.ok());
  const auto found = bounds(bounded->model);
  ASSERT_TRUE(found.ok()) << found.faults().front();
  const SimulationModel model = simulation_model(*real);
  const auto hold = [&](Ns response, Ns bound, const std::string & whose, bool over_hosts) {
    ++seen.bounds;
    seen.crossing += over_hosts ? 1 : 0;
    if (response > bound) {
      ++seen.violations;
      seen.crossing_violations += over_hosts ? 1 : 0;
      seen.first = seen.first.empty() ? at + ", " + whose : seen.first;
    }
  };
  struct Situation
  {
    Phases phases;
    Execution execution;
    std::uint64_t runs;
  };
  for (const Situation & situation :
       {Situation{Phases::adversarial, Execution::worst, adversarial_runs(model)},
        Situation{Phases::random, Execution::worst, 3},
        Situation{Phases::random, Execution::uniform, 6}}) {
    SimulationOptions options;
    options.seed = seed;
    options.phases = situation.phases;
    options.execution = situation.execution;
    options.runs = situation.runs;
    options.duration = 3'000 * kMs;
    const auto result = simulate(model, options);
    ASSERT_TRUE(result.ok()) << result.faults().front();
    seen.jobs += result->jobs;
    for (Index chain = 0; chain < result->chains.size(); ++chain) {
      const Responses & responses = result->chains[chain].responses;
      if (found->chains[chain] && responses.count > 0) {
        const Chain & whose = real->model.chains[chain];
        hold(
          responses.worst.time(), found->chains[chain]->bound, whose.name,
          crosses(real->model, whose));
      }
    }
    for (Index task = 0; task < result->tasks.size(); ++task) {
      if (found->tasks[task] && result->tasks[task].from_source >= 0) {
        hold(
          result->tasks[task].from_source, *found->tasks[task], real->model.tasks[task].id, false);
      }
    }
  }
}

TEST(HostsSoundness, NoResponseIsAboveItsBound)
{
  Seen seen;
  for (std::uint64_t i = 0; i < test::rounds(40) && !HasFatalFailure(); ++i) {
    run(test::seed() + i, true, seen);
  }
  EXPECT_EQ(seen.violations, 0U) << seen.first;
  EXPECT_GT(seen.bounds, 1'000U);
  EXPECT_GT(seen.crossing, 100U);
  EXPECT_GT(seen.jobs, 50'000U);
}

TEST(HostsSoundness, HowLongMessagesBetweenHostsAreUnderWayIsNeeded)
{
  Seen seen;
  for (std::uint64_t i = 0; i < 200 && seen.crossing_violations == 0 && !HasFatalFailure(); ++i) {
    run(test::seed() + i, false, seen);
  }
  EXPECT_GT(seen.crossing_violations, 0U);
}

// `v` meets one message in each of its runs if all messages have equal delays, and otherwise two.
TEST(HostsSoundness, ThatMessagesMayComeUnevenlyIsNeeded)
{
  const std::string text = R"yaml(
hosts: {a: {cores: 1, overheads: {}}, b: {cores: 1, overheads: {}}}
communication: {hosts: 8ms}
callbacks:
  - {id: "/s:timer(10ms)", host: a, executor: a, time: 1ms, period: 10ms, publishes: /s}
  - {id: "/u:sub(/s)", host: b, executor: b, time: 2ms, triggers: /s}
  - {id: "/v:timer(50ms)", host: b, executor: b, time: 7ms, period: 50ms}
chains: {v: {path: ["/v:timer(50ms)"], deadline: 50ms}}
)yaml";
  const takt_schedule::System system = test::system_of(text);
  const std::string schedule =
    takt_schedule::to_yaml(test::plan_of(system, test::by(Planner::rate_monotonic)).schedule);
  takt_schedule::System at_once = system;
  at_once.communication.hosts = {};
  const auto bound = [&](const takt_schedule::System & of) {
    return bounds(parse_plan(of, schedule)->model)->chains[0]->bound;
  };
  EXPECT_EQ(bound(at_once), 9 * kMs);
  EXPECT_EQ(bound(system), 11 * kMs);
  const SimulationModel model = simulation_model(*parse_plan(system, schedule));
  for (const Execution execution : {Execution::worst, Execution::uniform}) {
    SimulationOptions options;
    options.phases = Phases::random;
    options.execution = execution;
    options.runs = 20;
    options.duration = 10'000 * kMs;
    const auto result = simulate(model, options);
    ASSERT_TRUE(result.ok());
    const Ns seen = result->chains[0].responses.worst.time();
    EXPECT_EQ(seen > bound(at_once), execution == Execution::uniform) << seen;
    EXPECT_LE(seen, bound(system));
  }
}

}  // namespace
}  // namespace takt_plan
