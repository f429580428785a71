// The oracle's golden scenarios in the simulator: each start under each order, and the latencies of
// the three-chains experiment in six configurations on one to four cores.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "support/golden_scenario.hpp"
#include "takt_plan/simulation_observer.hpp"

namespace takt_plan
{
namespace
{

using test::golden_model;
using test::golden_names;
using test::read_golden;

struct Start
{
  Ns at;
  std::string id;
  Ns release;
  auto operator<=>(const Start &) const = default;
};

struct Journal final : SimulationObserver
{
  explicit Journal(const Model & model) : model(model) {}

  void on_end(Index, Index task, Ns release, Ns start, Ns) override
  {
    starts.push_back({start, model.tasks[task].id, release});
  }
  void on_chain_end(Index chain, Ns release, Ns end) override
  {
    chains[model.chains[chain].name].emplace_back(end, end - release);
  }

  const Model & model;
  std::vector<Start> starts;
  std::map<std::string, std::vector<std::pair<Ns, Ns>>> chains;  // end and latency
};

Journal simulated(const SimulationModel & model, Ns duration)
{
  Journal journal(model.model);
  SimulationOptions options;
  options.duration = duration;
  const auto status = watch(model, options, 0, journal);
  EXPECT_TRUE(status.ok()) << status.faults().front();
  return journal;
}

class SimulationReplay : public testing::TestWithParam<std::string>
{
};

// Under `poll: empty` the oracle's pools idle while takt's do not: see takt_core's golden replay.
// The first difference is never a later start.
bool has_pool_window_polled_when_empty(const nlohmann::json & scenario)
{
  const auto & executors = scenario.at("executors");
  return std::any_of(executors.begin(), executors.end(), [](const nlohmann::json & e) {
    return e.at("order") == "window" && e.value("poll", "empty") == "empty" && e.at("threads") > 1;
  });
}

TEST_P(SimulationReplay, StartsAsTheOracle)
{
  const auto file = read_golden("replay", GetParam());
  const auto & scenario = file.at("scenario");
  const Ns horizon = scenario.at("horizon_ns");
  std::vector<Start> expected;
  for (const auto & row : file.at("expected").at("starts")) {
    expected.push_back({row.at(0), row.at(1), row.at(2)});
  }
  std::vector<Start> found = simulated(golden_model(scenario, 0), horizon).starts;
  found.erase(
    std::remove_if(
      found.begin(), found.end(), [&](const Start & start) { return start.at >= horizon; }),
    found.end());
  std::sort(expected.begin(), expected.end());
  std::sort(found.begin(), found.end());
  if (has_pool_window_polled_when_empty(scenario)) {
    const auto [oracle, simulator] =
      std::mismatch(expected.begin(), expected.end(), found.begin(), found.end());
    EXPECT_TRUE(
      oracle == expected.end() || (simulator != found.end() && simulator->at <= oracle->at));
    return;
  }
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(
      std::tie(found[i].at, found[i].id, found[i].release),
      std::tie(expected[i].at, expected[i].id, expected[i].release))
      << "number " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
  Oracle, SimulationReplay, testing::ValuesIn(golden_names("replay")),
  [](const auto & test) { return test.param; });

using Values = std::vector<Ns>;

/// Latencies of the first `count` activations that end after `from` and not after `to`.
Values between(const std::vector<std::pair<Ns, Ns>> & of, Ns from, Ns to, std::size_t count)
{
  Values values;
  for (const auto & [end, latency] : of) {
    if (end > from && end <= to && values.size() < count) {
      values.push_back(latency);
    }
  }
  return values;
}

class ThreeChains : public testing::TestWithParam<std::string>
{
};

TEST_P(ThreeChains, HaveTheOraclesLatenciesOnCoresWithARunQueue)
{
  const auto file = read_golden("latency", "three_chains_" + GetParam());
  int compared = 0;
  for (const auto & result : file.at("results")) {
    if (result.at("kernel") != "fifo") {
      continue;
    }
    const std::string configuration = result.at("configuration");
    SCOPED_TRACE(configuration + " on " + result.at("cores").dump() + " cores");
    const auto scenario =
      read_golden("replay", "three_chains_" + configuration + "_" + GetParam()).at("scenario");
    SimulationModel model = golden_model(scenario, result.at("cores").get<Index>());
    const auto task = [&](const std::string & id) {
      const auto & tasks = model.model.tasks;
      return static_cast<Index>(
        std::find_if(tasks.begin(), tasks.end(), [&](const Task & t) { return t.id == id; }) -
        tasks.begin());
    };
    model.model.chains = {
      {"c1>c2>c3", {task("c1"), task("c2"), task("c3")}, 0, kUnbounded},
      {"c4>c5>c6", {task("c4"), task("c5"), task("c6")}, 0, kUnbounded},
      {"c7>c8>c9", {task("c7"), task("c8"), task("c9")}, 0, kUnbounded}};
    const Ns until = result.at("simulated_ns");
    Journal journal = simulated(model, until + 1);
    const Ns transient =
      result.at("transient_ns").is_null() ? until : result.at("transient_ns").get<Ns>();
    for (const auto & [chain, expected] : result.at("chains").items()) {
      SCOPED_TRACE(chain);
      const Values first = expected.at("transient_from_release_ns");
      const Values steady = expected.at("steady_from_release_ns");
      EXPECT_EQ(between(journal.chains[chain], -1, transient, first.size()), first);
      EXPECT_EQ(between(journal.chains[chain], transient, until, steady.size()), steady);
    }
    ++compared;
  }
  EXPECT_EQ(compared, 24) << "six configurations on one to four cores";
}

INSTANTIATE_TEST_SUITE_P(
  Costs, ThreeChains, testing::Values("c10", "c13", "c100"),
  [](const auto & test) { return test.param; });

}  // namespace
}  // namespace takt_plan
