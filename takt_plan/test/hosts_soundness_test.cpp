// Chains that cross two hosts and three processes: no simulated response of a planned system is above
// its bound; bounds that know nothing of how long messages are under way, or only that they come later
// and not that they come unevenly, are exceeded.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

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

/// What bounds are made from.
enum class Known
{
  all,
  not_between_hosts,  ///< messages between hosts are under way for no time
  only_latest         ///< all messages are under way as long as they can be, and so do not bunch
};

struct Seen
{
  std::uint64_t bounds = 0, crossing = 0, jobs = 0;
  std::uint64_t violations = 0;           ///< of all
  std::uint64_t crossing_violations = 0;  ///< of chains over two hosts
  std::string first;
};

bool crosses(const Model & model, const Chain & chain)
{
  return std::any_of(chain.path.begin(), chain.path.end(), [&](Index task) {
    return model.tasks[task].host != model.tasks[chain.path.front()].host;
  });
}

/// How long messages of a chain are under way, together, at most.
Ns under_way(const Model & model, const Chain & chain)
{
  Ns sum = 0;
  for (Index place = 1; place < chain.path.size(); ++place) {
    for (const Link & link : model.tasks[chain.path[place]].triggers) {
      sum += link.from == chain.path[place - 1] ? link.delay : 0;
    }
  }
  return sum;
}

/// Two hosts, three processes, messages that take up to `hosts` and a tenth of that, callbacks that
/// may take less than they do at worst.
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
  for (takt_schedule::CallbackModel & callback : system.callbacks) {
    callback.time.best = callback.time.worst * draw.between(0, 10) / 10;
  }
  return system;
}

/// Per chain; kUnbounded: none.
std::vector<Ns> chain_bounds(const Model & real, const Bounds & found, Known known)
{
  std::vector<Ns> result;
  for (Index chain = 0; chain < real.chains.size(); ++chain) {
    const auto & answer = found.chains[chain];
    const Ns later = known == Known::only_latest ? under_way(real, real.chains[chain]) : 0;
    result.push_back(answer ? answer->bound + later : kUnbounded);
  }
  return result;
}

/// Bounds of what is `known`, simulated as it is.
void run(std::uint64_t seed, Known known, Seen & seen)
{
  const std::string at = "TAKT_TEST_SEED=" + std::to_string(seed);
  SCOPED_TRACE(at);
  const takt_schedule::System system = system_of(seed);
  const Planned planned = test::plan_of(system, test::by(Planner::rate_monotonic));
  const std::string schedule = takt_schedule::to_yaml(planned.schedule);
  takt_schedule::System judged = system;
  if (known != Known::all) {
    judged.communication.hosts = {};
  }
  if (known == Known::only_latest) {
    judged.communication.processes = {};
  }
  const auto bounded = parse_plan(judged, schedule);
  const auto real = parse_plan(system, schedule);
  ASSERT_TRUE(bounded.ok() && real.ok());
  const auto found = bounds(bounded->model);
  ASSERT_TRUE(found.ok()) << found.faults().front();
  const std::vector<Ns> of_chains = chain_bounds(real->model, *found, known);
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
      if (of_chains[chain] != kUnbounded && responses.count > 0) {
        const Chain & whose = real->model.chains[chain];
        hold(responses.worst.time(), of_chains[chain], whose.name, crosses(real->model, whose));
      }
    }
    for (Index task = 0; known == Known::all && task < result->tasks.size(); ++task) {
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
    run(test::seed() + i, Known::all, seen);
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
    run(test::seed() + i, Known::not_between_hosts, seen);
  }
  EXPECT_GT(seen.crossing_violations, 0U);
}

TEST(HostsSoundness, ThatMessagesMayComeUnevenlyIsNeeded)
{
  Seen seen;
  for (std::uint64_t i = 0; i < 200 && seen.violations == 0 && !HasFatalFailure(); ++i) {
    run(test::seed() + i, Known::only_latest, seen);
  }
  EXPECT_GT(seen.violations, 0U);
}

}  // namespace
}  // namespace takt_plan
