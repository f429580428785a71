// Equal numbers to those of the response-time-analysis crate, to the tick, on thousands of random
// systems.
//
// Both have the same definitions: they count half-open intervals in whole ticks, and begin each
// search at one tick. The crate leaves the repetition of an analysis, until the assumed bounds are
// right, to its caller. Here both repeat in the same order, and at most a thousand times.
#include "oracles/response_time_oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace takt_plan
{
namespace
{

using test::Oracle;
using test::OracleSystem;

/// The number of compared systems, and the first difference.
struct Agreement
{
  std::size_t systems = 0, reserved = 0, bounds = 0, unbounded = 0, differences = 0;
  std::string first;

  void hold(const char * what, std::size_t index, Ns ours, Ns theirs)
  {
    ++(theirs == kUnbounded ? unbounded : bounds);
    if (ours != theirs && differences++ == 0) {
      first = "system " + std::to_string(systems) + ", " + what + " " + std::to_string(index) +
              ": " + std::to_string(ours) + ", not " + std::to_string(theirs);
    }
  }
};

/// Calls `compare(system, number, agreement)` for each system.
template <typename Compare>
Agreement all_systems(const Compare & compare)
{
  const Oracle oracle = test::read_oracle();
  Agreement agreement;
  for (const OracleSystem & system : oracle.systems) {
    compare(system, oracle.limit, agreement);
    ++agreement.systems;
    agreement.reserved += system.reserved ? 1 : 0;
  }
  EXPECT_GE(agreement.systems, 2000U);
  EXPECT_GT(agreement.reserved, agreement.systems / 3);
  EXPECT_LT(agreement.reserved, agreement.systems * 2 / 3);
  return agreement;
}

std::vector<Demand> demands(const OracleSystem & system)
{
  std::vector<Demand> demands;
  for (const ExecutorTask & task : system.tasks) {
    demands.push_back(task.demand);
  }
  return demands;
}

TEST(ResponseTimeOracle, EventSourcesAndTimersOfEcrts19)
{
  const Agreement result =
    all_systems([](const OracleSystem & system, Ns limit, Agreement & agreement) {
      const std::vector<Demand> all = demands(system);
      for (std::size_t i = 0; i < all.size(); ++i) {
        const std::vector<Demand> before(all.begin(), all.begin() + i);
        Ns blocking = 0;
        for (std::size_t x = i + 1; x < all.size(); ++x) {
          blocking = std::max(blocking, all[x].cost);
        }
        const auto bound = [&](const std::vector<Demand> & interferers, Ns blocked) {
          return nonpreemptive_bound(system.supply, all[i], interferers, blocked, limit);
        };
        agreement.hold("event source", i, bound({}, 0), system.event_source[i]);
        agreement.hold("timer", i, bound(before, 0), system.timer[i]);
        agreement.hold("blocked timer", i, bound(before, blocking), system.blocked_timer[i]);
      }
    });
  EXPECT_EQ(result.differences, 0U) << result.first;
  EXPECT_GT(result.bounds, 15'000U);
  EXPECT_GT(result.unbounded, 100U);
}

TEST(ResponseTimeOracle, PolledTasksAndChainsOfEcrts19)
{
  const Agreement result =
    all_systems([](const OracleSystem & system, Ns limit, Agreement & agreement) {
      const std::vector<Demand> all = demands(system);
      for (std::size_t i = 0; i < all.size(); ++i) {
        std::vector<Demand> others = all;
        others.erase(others.begin() + i);
        agreement.hold(
          "polled task", i, nonpreemptive_bound(system.supply, all[i], others, 0, limit),
          system.polled[i]);
      }
      // The tasks that precede the chain's last task are done together with it, as often as the
      // chain's first task.
      Demand last{all[system.chain.front()].arrivals, all[system.chain.back()].cost};
      Demand prefix{last.arrivals, 0};
      std::vector<Demand> others;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (std::find(system.chain.begin(), system.chain.end(), i) == system.chain.end()) {
          others.push_back(all[i]);
        } else if (i != system.chain.back()) {
          prefix.cost += all[i].cost;
        }
      }
      others.push_back(prefix);
      agreement.hold(
        "chain", 0, nonpreemptive_bound(system.supply, last, others, 0, limit), system.chain_bound);
    });
  EXPECT_EQ(result.differences, 0U) << result.first;
  EXPECT_GT(result.bounds, 7'000U);
  EXPECT_GT(result.unbounded, 300U);
}

Agreement round_robin(const RoundRobinTerms & terms = {})
{
  return all_systems([&](const OracleSystem & system, Ns limit, Agreement & agreement) {
    const std::vector<Ns> bounds = round_robin_bounds(system.supply, system.tasks, limit, terms);
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      agreement.hold("task", i, bounds[i], system.round_robin[i]);
    }
    if (!system.run.empty()) {
      agreement.hold(
        "run", 0,
        round_robin_run_bound(system.supply, system.tasks, system.run, bounds, limit, terms),
        system.round_robin_run);
    }
  });
}

Agreement busy_window(const BusyWindowTerms & terms = {})
{
  return all_systems([&](const OracleSystem & system, Ns limit, Agreement & agreement) {
    const std::vector<Ns> bounds = busy_window_bounds(system.supply, system.tasks, limit, terms);
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      agreement.hold("task", i, bounds[i], system.busy_window[i]);
    }
    if (!system.run.empty()) {
      agreement.hold(
        "run", 0,
        busy_window_run_bound(system.supply, system.tasks, system.run, bounds, limit, terms),
        system.busy_window_run);
    }
  });
}

TEST(ResponseTimeOracle, RoundRobinOfRtss21)
{
  const Agreement result = round_robin();
  EXPECT_EQ(result.differences, 0U) << result.first;
  EXPECT_GT(result.bounds, 6'000U);
  EXPECT_GT(result.unbounded, 500U);
}

TEST(ResponseTimeOracle, BusyWindowsOfRtss21)
{
  const Agreement result = busy_window();
  EXPECT_EQ(result.differences, 0U) << result.first;
  EXPECT_GT(result.bounds, 7'000U);
  EXPECT_GT(result.unbounded, 200U);
}

TEST(ResponseTimeOracle, NoTermMayBeMissing)
{
  EXPECT_GT(round_robin({false, true, true}).differences, 0U);
  EXPECT_GT(round_robin({true, false, true}).differences, 0U);
  EXPECT_GT(round_robin({true, true, false}).differences, 0U);
  EXPECT_GT(busy_window({false, true, true, true, true}).differences, 0U);
  EXPECT_GT(busy_window({true, false, true, true, true}).differences, 0U);
  EXPECT_GT(busy_window({true, true, false, true, true}).differences, 0U);
  EXPECT_GT(busy_window({true, true, true, false, true}).differences, 0U);
  EXPECT_GT(busy_window({true, true, true, true, false}).differences, 0U);
}

}  // namespace
}  // namespace takt_plan
