// The simulation in oracles/job_oracle follows its rules, and agrees with takt's simulation where
// the model leaves nothing open.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "oracles/job_oracle.hpp"
#include "support/phased_model.hpp"
#include "takt_plan/simulate.hpp"

namespace takt_plan
{
namespace
{

using nlohmann::json;
using test::JobOracle;

/// The longest responses of chains in one run with worst times. `rest`: a line of JSON without its
/// beginning.
std::vector<Ns> responses(const std::string & rest)
{
  JobOracle oracle("--responses");
  oracle.look_at(json::parse(R"({"name": "x", "runs": 1, "duration": 1000, )" + rest + "}"));
  return json::parse(oracle.output()).at("chains");
}

const std::string kTwoTimers = R"(
  "tasks": [
    {"id": "slow", "threads": [0], "priority": 1, "time": 10, "source": {"period": 100, "offset": 0}},
    {"id": "fast", "threads": [THREAD], "priority": 2, "time": 3, "source": {"period": 100, "offset": 5}}],
  "chains": [{"name": "slow", "path": [0], "bound": BOUND}, {"name": "fast", "path": [1], "bound": 8}])";

std::string two_timers(int thread, Ns bound = 20)
{
  std::string text = kTwoTimers;
  text.replace(text.find("THREAD"), 6, std::to_string(thread));
  return text.replace(text.find("BOUND"), 5, std::to_string(bound));
}

TEST(JobOracle, TheMoreUrgentThreadPreempts)
{
  EXPECT_EQ(
    responses(R"("threads": [{"priority": 10}, {"priority": 20}], )" + two_timers(1)),
    (std::vector<Ns>{13, 3}));
  EXPECT_EQ(
    responses(
      R"("context_switch": 1, "threads": [{"priority": 10}, {"priority": 20}], )" + two_timers(1)),
    (std::vector<Ns>{16, 4}));
}

TEST(JobOracle, ARunGoesOnToItsEndOnItsThread)
{
  EXPECT_EQ(
    responses(R"("threads": [{"priority": 10}], )" + two_timers(0)), (std::vector<Ns>{10, 8}));
}

TEST(JobOracle, AThreadTakesAtTheCeiling)
{
  EXPECT_EQ(
    responses(R"("threads": [{"priority": 10, "ceiling": 30}, {"priority": 20}], "tasks": [
      {"id": "a", "threads": [0], "time": 2, "take": 4, "source": {"period": 100, "offset": 0}},
      {"id": "b", "threads": [1], "time": 3, "source": {"period": 100, "offset": 1}}],
      "chains": [{"name": "a", "path": [0]}, {"name": "b", "path": [1]}])"),
    (std::vector<Ns>{9, 6}));
}

TEST(JobOracle, TheRunThatCompletesASetWorks)
{
  EXPECT_EQ(
    responses(R"("threads": [{"priority": 10}], "tasks": [
      {"id": "a", "threads": [0], "time": 2, "source": {"period": 50, "offset": 0}},
      {"id": "b", "threads": [0], "time": 3, "source": {"period": 100, "offset": 70}},
      {"id": "s", "threads": [0], "time": 5, "take": 1, "join": "newest", "topics": [[[0, 0]], [[1, 0]]]}],
      "chains": [{"name": "a", "path": [0, 2]}, {"name": "b", "path": [1, 2]}])"),
    (std::vector<Ns>{29, 9}));
}

// The message of `a` waits 30 for the next one of the slow way.
TEST(JobOracle, BehindASetResponsesCountFromItsLatestSource)
{
  JobOracle oracle("--responses");
  oracle.look_at(json::parse(R"({"name": "x", "runs": 1, "duration": 1000, "cores": 2,
    "threads": [{"priority": 10}, {"core": 1, "priority": 10}], "tasks": [
    {"id": "a", "threads": [0], "time": 2, "source": {"period": 100, "offset": 50}},
    {"id": "b", "threads": [1], "time": 80, "source": {"period": 100, "offset": 0}},
    {"id": "s", "threads": [0], "time": 5, "take": 1, "join": "newest", "topics": [[[0, 0]], [[1, 0]]]},
    {"id": "f", "threads": [0], "time": 3, "topics": [[[2, 0]]]}]})"));
  const auto seen = json::parse(oracle.output()).at("tasks").get<std::vector<Ns>>();
  EXPECT_EQ(seen.at(2), 86) << "a run on a set counts from the source of its own message";
  EXPECT_EQ(seen.at(3), 89 - 50);
}

TEST(JobOracle, PoolsRunAsMuchAsTheyHaveThreads)
{
  const std::string threads =
    R"("cores": 2, "threads": [{"core": 0, "priority": 10}, {"core": 1, "priority": 10}], )";
  const std::string tasks = R"("tasks": [
    {"id": "a", "threads": [0, 1], "priority": 3, "group": 0, "time": 10, "source": {"period": 100, "offset": 0}},
    {"id": "b", "threads": [0, 1], "priority": 2, "group": 0, "time": 10, "source": {"period": 100, "offset": 0}},
    {"id": "c", "threads": [0, 1], "priority": 1, "time": 10, "source": {"period": 100, "offset": 0}}],
    "chains": [{"name": "a", "path": [0]}, {"name": "b", "path": [1]}, {"name": "c", "path": [2]}])";
  EXPECT_EQ(responses(threads + R"("groups": [false], )" + tasks), (std::vector<Ns>{10, 10, 20}));
  EXPECT_EQ(responses(threads + R"("groups": [true], )" + tasks), (std::vector<Ns>{10, 20, 10}));
}

TEST(JobOracle, AClaimThatIsTooSmallDoesNotHold)
{
  for (const Ns bound : {13, 12}) {
    JobOracle oracle;
    oracle.look_at(json::parse(
      R"({"name": "x", "duration": 1000, "threads": [{"priority": 10}, {"priority": 20}], )" +
      two_timers(1, bound) + "}"));
    const json found = oracle.findings();
    EXPECT_EQ(found.at("refuted"), bound == 12 ? 1 : 0) << found;
  }
}

// Events of one instant come in any order, but messages of one publisher do not: otherwise a
// message that was overtaken would end after 35.
TEST(JobOracle, MessagesOfOnePublisherStayInOrderWithinAnInstant)
{
  JobOracle oracle;
  oracle.look_at(json::parse(R"({"name": "x", "seed": 3, "runs": 40, "duration": 2000,
    "threads": [{"priority": 10}, {"core": 1, "priority": 10}], "cores": 2, "tasks": [
    {"id": "a", "threads": [0], "time": 1, "source": {"period": 10, "offset": 0}},
    {"id": "b", "threads": [1], "time": 1, "topics": [[[0, 30]]], "bound": 32}]})"));
  const json found = oracle.findings();
  EXPECT_EQ(found.at("violations"), 0) << found;
}

// Events of one instant come in any order. But a thread releases all due timers before it picks
// one.
TEST(JobOracle, TimersOfOneThreadThatAreDueAtOneInstantExpireAtOnce)
{
  for (const Ns offset : {0, 1}) {
    JobOracle oracle;
    oracle.look_at(json::parse(
      R"({"name": "x", "runs": 40, "duration": 1000, "threads": [{"priority": 10}], "tasks": [
      {"id": "slow", "threads": [0], "priority": 1, "time": 10, "source": {"period": 100, "offset": 0}},
      {"id": "fast", "threads": [0], "priority": 2, "time": 3, "bound": 3,
       "source": {"period": 100, "offset": )" +
      std::to_string(offset) + "}}]}"));
    const json found = oracle.findings();
    EXPECT_EQ(found.at("violations") == 0, offset == 0) << found;
  }
}

TEST(JobOracle, AgreesWithTheSimulatorWhereNothingIsLeftOpen)
{
  constexpr std::uint64_t kSystems = 200;
  std::uint64_t chains = 0;
  std::uint64_t equal = 0;
  JobOracle oracle("--responses");
  std::vector<std::vector<Ns>> expected;
  for (std::uint64_t seed = 1; seed <= kSystems; ++seed) {
    const Model model = test::phased_model(seed);
    const test::Overheads overheads = test::some_overheads(seed);
    auto simulation = simulation_model(model);
    ASSERT_TRUE(simulation.ok());
    vary(overheads, *simulation);
    SimulationOptions options;
    options.duration = 60'000;
    const auto seen = simulate(*simulation, options);
    ASSERT_TRUE(seen.ok());
    expected.emplace_back();
    for (const ChainResult & chain : seen->chains) {
      expected.back().push_back(chain.responses.count > 0 ? chain.responses.worst.time() : -1);
    }
    test::Claims none;
    const takt_rt::Faults nothing{takt_rt::Fault{"nothing is claimed"}};
    none.tasks.assign(model.tasks.size(), nothing);
    none.chains.assign(model.chains.size(), nothing);
    test::OracleRuns runs;
    runs.runs = 1;
    ASSERT_TRUE(oracle.look_at(test::for_oracle(model, overheads, none, seed, runs)));
  }
  std::istringstream lines(oracle.output());
  std::string line;
  for (const std::vector<Ns> & wanted : expected) {
    ASSERT_TRUE(std::getline(lines, line));
    const std::vector<Ns> found = json::parse(line).at("chains");
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t chain = 0; chain < found.size(); ++chain) {
      ++chains;
      equal += found[chain] == wanted[chain] ? 1 : 0;
    }
  }
  // Each simulation has its own order of simultaneous events, and takt's simulation goes on after
  // the duration.
  EXPECT_GE(equal, chains * 9 / 10) << chains;
}

}  // namespace
}  // namespace takt_plan
