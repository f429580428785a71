// Bounds and simulations of callbacks that wait within a run for others.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "takt_plan/bounds.hpp"
#include "takt_plan/load_plan.hpp"
#include "takt_plan/simulate.hpp"
#include "takt_plan/simulation_model.hpp"

namespace takt_plan
{
namespace
{

constexpr Ns kMs = 1'000'000;

/// A timer that calls a service and waits for the answer, and another timer that is less urgent on
/// its thread.
const std::string kSystem = R"yaml(version: 1
overheads: {}
hosts: {car: {cores: 2}}
callbacks:
  - {id: "/a:timer(100ms)", time: 2ms, period: 100ms,
     waits_for: ["/s:service(/work)", "/c:client(/work)"]}
  - {id: "/b:timer(100ms)", time: 5ms, period: 100ms}
  - {id: "/s:service(/work)", time: 10ms}
  - {id: "/c:client(/work)", time: 1ms}
)yaml";

/// The schedule that binds each callback to a thread, with its priority in the order of the thread.
std::string schedule(
  const std::string & threads, const std::string & timer, const std::string & other,
  const std::string & service, const std::string & client)
{
  return "version: 1\nexecutors:\n  main:\n    order: priority\n    threads: {" + threads +
         "}\n    default: " + other +
         "\n    callbacks:\n"
         "      - {match: \"/a:timer(100ms)\", threads: " +
         timer + ", priority: 5}\n      - {match: \"/b:timer(100ms)\", threads: " + other +
         ", priority: 1}\n      - {match: \"/s:service(/work)\", threads: " + service +
         ", priority: 4}\n      - {match: \"/c:client(/work)\", threads: " + client +
         ", priority: 3}\n";
}

const std::string kTwoCores =
  "hot: {policy: fifo, priority: 50, cores: [0]}, cold: {policy: fifo, priority: 40, cores: [1]}";

struct Answer
{
  Plan plan;
  Bounds bounds;
  std::string why(Index task) const
  {
    return bounds.tasks[task] ? "bounded" : to_string(bounds.tasks[task].faults().front());
  }
};

Answer analysed(const std::string & system, const std::string & with)
{
  Answer answer;
  auto plan = parse_plan(system, with);
  for (const auto & fault : plan.faults()) {
    ADD_FAILURE() << fault;
  }
  if (plan) {
    answer.plan = std::move(*plan);
    auto found = bounds(answer.plan.model);
    EXPECT_TRUE(found.ok());
    answer.bounds = std::move(*found);
  }
  return answer;
}

TEST(Waits, AreBoundedByTheResponsesOfWhatIsWaitedFor)
{
  const Answer answer = analysed(kSystem, schedule(kTwoCores, "hot", "hot", "cold", "cold"));
  ASSERT_EQ(answer.bounds.waits.size(), 4U);
  // The service waits at most for one run of the client, and the client for one run of the service.
  EXPECT_EQ(answer.bounds.waits[0], (10 + 1 + 1 + 10) * kMs);
  ASSERT_EQ(answer.why(0), "bounded");
  // A run of the other timer may have begun.
  EXPECT_EQ(*answer.bounds.tasks[0], (5 + 2 + 22) * kMs);
  // The other timer waits for the whole run including its wait, because the run keeps the thread.
  EXPECT_EQ(*answer.bounds.tasks[1], (5 + 2 + 22) * kMs);
  EXPECT_TRUE(answer.plan.warnings.empty()) << answer.plan.warnings.front();
}

const std::string kSleeper = R"yaml(version: 1
overheads: {}
hosts: {car: {cores: 2}}
callbacks:
  - {id: "/a:timer(100ms)", time: 2ms, period: 100ms, sleep: 20ms}
  - {id: "/b:timer(100ms)", time: 5ms, period: 100ms}
  - {id: "/s:timer(100ms)", time: 10ms, period: 100ms}
  - {id: "/c:timer(100ms)", time: 1ms, period: 100ms}
)yaml";

std::string sleeper_schedule(const std::string & rest)
{
  return "version: 1\nexecutors:\n  main:\n    order: priority\n    threads: {" + kTwoCores +
         "}\n    default: cold\n    callbacks:\n"
         "      - {match: [\"/a:timer(100ms)\", \"/b:timer(100ms)\"], threads: hot, priority: 5}\n"
         "      - {match: [\"/s:timer(100ms)\", \"/c:timer(100ms)\"], threads: " +
         rest + "}\n";
}

TEST(Waits, ASleepCountsAsWorkOfItsThreadInBounds)
{
  const Answer answer = analysed(kSleeper, sleeper_schedule("cold"));
  ASSERT_EQ(answer.why(0), "bounded");
  EXPECT_EQ(answer.bounds.waits[0], 20 * kMs);
  EXPECT_EQ(*answer.bounds.tasks[0], (5 + 2 + 20) * kMs);
  EXPECT_EQ(*answer.bounds.tasks[1], (5 + 2 + 20) * kMs) << "the thread is held";
  EXPECT_EQ(*answer.bounds.tasks[2], (10 + 1) * kMs) << "the other core knows nothing of it";
}

TEST(Waits, ASleepInAPoolHasASentence)
{
  const Answer answer = analysed(
    kSleeper,
    "version: 1\nexecutors: {main: {threads: {pool: {count: 2, policy: fifo, priority: 10}}, "
    "default: pool}}\n");
  EXPECT_EQ(
    answer.why(0),
    "'/a:timer(100ms)' has no bound, because it sleeps, and this analysis bounds waits of "
    "callbacks "
    "that are on one thread of policy fifo or rr, on one core, that picks by priority or fifo");
}

TEST(Waits, ASleepIsSimulated)
{
  const Answer answer = analysed(kSleeper, sleeper_schedule("cold"));
  SimulationOptions options;
  options.duration = 1000 * kMs;
  const auto result = simulate(simulation_model(answer.plan), options);
  ASSERT_TRUE(result.ok()) << result.faults().front();
  EXPECT_GE(result->tasks[0].responses.worst.time(), (2 + 20) * kMs);
  EXPECT_LE(result->tasks[0].responses.worst.time(), *answer.bounds.tasks[0]);
  EXPECT_GE(result->tasks[1].responses.worst.time(), 5 * kMs);
  // The callback's core is free while the callback sleeps.
  EXPECT_EQ(
    result->busy[0], static_cast<Ns>(result->tasks[0].responses.count) * 2 * kMs +
                       static_cast<Ns>(result->tasks[1].responses.count) * 5 * kMs);
}

TEST(Waits, OfAMoreUrgentThreadOfTheSameCoreAreBounded)
{
  const Answer answer = analysed(
    kSystem, schedule(
               "hot: {policy: fifo, priority: 50, cores: [0]}, above: {policy: fifo, priority: 60, "
               "cores: [0]}",
               "hot", "hot", "above", "above"));
  ASSERT_EQ(answer.why(0), "bounded");
  EXPECT_GE(*answer.bounds.tasks[0], (5 + 2 + 11) * kMs);
}

TEST(Waits, OfALessUrgentThreadOfTheSameCoreHaveASentence)
{
  const Answer answer = analysed(
    kSystem, schedule(
               "hot: {policy: fifo, priority: 50, cores: [0]}, below: {policy: fifo, priority: 40, "
               "cores: [0]}",
               "hot", "hot", "below", "below"));
  EXPECT_EQ(
    answer.why(0),
    "'/a:timer(100ms)' has no bound, because it waits for '/s:service(/work)', whose thread "
    "'below' is not more urgent on the same core; make it more urgent, or put it on another core");
  EXPECT_EQ(
    answer.why(1),
    "'/b:timer(100ms)' has no bound, because '/a:timer(100ms)', which may delay it, waits without "
    "a bound");
  EXPECT_TRUE(answer.plan.warnings.empty()) << "it runs, since a thread that waits sleeps";
}

TEST(Waits, OnOneThreadNeverEndAndEverythingSaysSo)
{
  const Answer answer = analysed(kSystem, schedule(kTwoCores, "hot", "cold", "cold", "hot"));
  EXPECT_EQ(
    answer.why(0),
    "'/a:timer(100ms)' has no bound, because it waits for '/c:client(/work)' on its own thread "
    "'hot': that wait never ends; put them on different threads");
  ASSERT_EQ(answer.plan.warnings.size(), 1U);
  EXPECT_EQ(
    answer.plan.warnings.front(),
    "system.yaml:5:5: '/a:timer(100ms)' waits within a run for '/c:client(/work)', and the "
    "schedule puts both on thread 'hot': that wait never ends; give them different threads");
  SimulationOptions options;
  options.duration = 1000 * kMs;
  const auto result = simulate(simulation_model(answer.plan), options);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(
    to_string(result.faults().front()),
    "'/a:timer(100ms)' waits for '/c:client(/work)' and never goes on: no thread is left that "
    "would run '/c:client(/work)'; put them on different threads");
}

TEST(Waits, AreSimulated)
{
  const Answer answer = analysed(kSystem, schedule(kTwoCores, "hot", "cold", "cold", "cold"));
  SimulationOptions options;
  options.duration = 1000 * kMs;
  const auto result = simulate(simulation_model(answer.plan), options);
  ASSERT_TRUE(result.ok()) << result.faults().front();
  // The client's own 2 ms; meanwhile the other timer has begun, 5 ms; then the service and the
  // client.
  EXPECT_EQ(result->tasks[0].responses.worst.time(), (5 + 10 + 1) * kMs);
  EXPECT_EQ(result->tasks[0].responses.count, 9U);
  EXPECT_EQ(result->tasks[2].responses.count, 9U);
  EXPECT_EQ(result->tasks[3].responses.count, 9U);
  // The client's core is free while the client waits.
  EXPECT_EQ(result->busy[0], 9 * 2 * kMs);
}

TEST(Waits, ThatNeedEachOthersThreadsHaveNoBound)
{
  const std::string system = R"yaml(version: 1
overheads: {}
hosts: {car: {cores: 2}}
callbacks:
  - {id: "/a:timer(100ms)", time: 2ms, period: 100ms, waits_for: "/a:service(/a)"}
  - {id: "/b:timer(100ms)", time: 2ms, period: 100ms, waits_for: "/b:service(/b)"}
  - {id: "/a:service(/a)", time: 1ms}
  - {id: "/b:service(/b)", time: 1ms}
)yaml";
  const std::string crossed =
    "version: 1\nexecutors:\n  main:\n    order: priority\n    threads: {" + kTwoCores +
    "}\n    default: hot\n    callbacks:\n"
    "      - {match: [\"/a:timer(100ms)\", \"/b:service(/b)\"], threads: hot}\n"
    "      - {match: [\"/b:timer(100ms)\", \"/a:service(/a)\"], threads: cold}\n";
  const Answer answer = analysed(system, crossed);
  for (const Index task : {0, 1, 2, 3}) {
    EXPECT_NE(answer.why(task), "bounded") << task;
  }
  // Two nodes have no groups, and two callbacks may never run.
  EXPECT_EQ(answer.plan.warnings.size(), 4U);
}

TEST(Waits, OfAPoolThatTheyMayFillAreWarnedOf)
{
  const std::string system = R"yaml(version: 1
overheads: {}
hosts: {car: {cores: 2}}
callbacks:
  - {id: "/a:timer(100ms)", time: 2ms, period: 100ms, waits_for: "/s:service(/s)"}
  - {id: "/b:timer(100ms)", time: 2ms, period: 100ms, waits_for: "/s:service(/s)"}
  - {id: "/s:service(/s)", time: 1ms}
)yaml";
  const auto pool = [](int threads) {
    return "version: 1\nexecutors: {main: {threads: {pool: {count: " + std::to_string(threads) +
           ", policy: fifo, priority: 10}}, default: pool}}\n";
  };
  const Answer two = analysed(system, pool(2));
  ASSERT_EQ(two.plan.warnings.size(), 1U);
  EXPECT_NE(
    two.plan.warnings.front().find(
      "'/s:service(/s)' runs on 2 threads, and runs of '/a:timer(100ms)', '/b:timer(100ms)' that "
      "wait for it may hold all of them at once"),
    std::string::npos)
    << two.plan.warnings.front();
  EXPECT_TRUE(analysed(system, pool(3)).plan.warnings.empty());
  EXPECT_NE(
    analysed(system, pool(3)).why(0).find("on one thread of policy fifo or rr"), std::string::npos);
}

}  // namespace
}  // namespace takt_plan
