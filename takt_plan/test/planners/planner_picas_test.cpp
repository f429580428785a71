// PiCAS with a limited number of executors: examples worked out by hand, and the rules in all of
// its plans.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/campaign.hpp"
#include "support/planning.hpp"
#include "takt_plan/draw.hpp"

namespace takt_plan
{
namespace
{

using takt_schedule::System;
using test::by;
using test::chains_of;
using test::expect_sound;
using test::plan_of;
using test::system_of;
using test::threads_of;
using Lines = std::vector<std::string>;

PlanOptions executors(int count)
{
  PlanOptions options = by(Planner::picas);
  options.executors = count;
  return options;
}

TEST(PicasExecutors, ChainsJoinAnExecutorWhenNoneIsEmpty)
{
  // Case A: a (0.5) goes to core 0, b (0.4) to core 1. Case B: c (0.3) fits on both; core 1 is less
  // used.
  EXPECT_EQ(
    threads_of(plan_of(chains_of(2, {{3, 2}, {2, 2}, {1, 2}}), executors(2))),
    (Lines{"0/89: a2 a1", "1/89: b2 b1 c2 c1"}));
  // With a third executor, c has it for itself (case A).
  EXPECT_EQ(
    threads_of(plan_of(chains_of(2, {{3, 2}, {2, 2}, {1, 2}}), executors(3))),
    (Lines{"0/89: a2 a1", "1/89: b2 b1", "1/88: c2 c1"}));
}

TEST(PicasExecutors, WhatDoesNotFitWholeJoinsInParts)
{
  // c (0.7) does not fit beside a or b (0.5 each). It loses c1, its timer and lowest callback. c2
  // (0.3) goes to core 0, the first of two equal cores; c1 (0.4) then fits on core 1 only.
  EXPECT_EQ(
    threads_of(plan_of(chains_of(2, {{5}, {5}, {4, 3}}), executors(2))),
    (Lines{"0/89: a1 c2", "1/89: b1 c1"}));
}

TEST(PicasExecutors, WhatFitsNowhereGoesToTheLeastUsedCpuThatHasAnExecutor)
{
  // Case C (ii): the only executor is on core 0, although core 1 has room.
  const Planned planned = plan_of(chains_of(2, {{6}, {3, 4}}), executors(1));
  EXPECT_EQ(threads_of(planned), Lines{"0/89: a1 b2 b1"});
  ASSERT_FALSE(planned.shortfalls.empty());
  EXPECT_EQ(
    planned.shortfalls[0],
    "core 0 of car has room for a load of 100.0 %, and its callbacks load it by 130.0 %");
  // The less used one of two CPUs: a 0.6, b 0.7, and c (0.5) above either.
  EXPECT_EQ(
    threads_of(plan_of(chains_of(3, {{6}, {7}, {5}}), executors(2))),
    (Lines{"0/89: a1 c1", "1/89: b1"}));
}

TEST(PicasExecutors, OnACpuWithSeveralOnlyTheLowestOneCanBeJoined)
{
  // R7: b's executor is below a's. If c joined a's executor, c would be above b.
  EXPECT_EQ(
    threads_of(plan_of(chains_of(1, {{1}, {1}, {1}}), executors(2))),
    (Lines{"0/89: a1", "0/88: b1 c1"}));
}

TEST(PicasExecutors, WhereTheRulesCannotHoldExecutorsBecomeOneAndOthersAreEmptyAgain)
{
  // s belongs to a and c. It has the number that c gives it, the lowest of c, as c's timer. Case A:
  // {s, a}, then {b}. Case B for /c: with b it would be below s, which starts it (R6). With s and a
  // it would be above and below b (R7). Case C (i): one executor in the order of the callbacks. The
  // other executor is empty again, and d gets it (case A).
  const System system = system_of(R"yaml(
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/s:timer(10ms)", time: 1ms, period: 10ms, publishes: /s}
  - {id: "/a:sub(/s)", time: 1ms, triggers: /s}
  - {id: "/b:timer(10ms)", time: 1ms, period: 10ms}
  - {id: "/c:sub(/s)", time: 1ms, triggers: /s}
  - {id: "/d:timer(10ms)", time: 1ms, period: 10ms}
chains:
  a: {path: ["/s:timer(10ms)", "/a:sub(/s)"], priority: 4, deadline: 10ms}
  b: {path: ["/b:timer(10ms)"], priority: 3, deadline: 10ms}
  c: {path: ["/s:timer(10ms)", "/c:sub(/s)"], priority: 2, deadline: 10ms}
  d: {path: ["/d:timer(10ms)"], priority: 1, deadline: 10ms}
)yaml");
  EXPECT_EQ(threads_of(plan_of(system, executors(2))), (Lines{"0/89: a b c s", "0/88: d"}));
}

TEST(PicasExecutors, AChainIsNotPutBelowWhatStartsIt)
{
  // Shared callbacks have the number of the less important chain: a, c, t, u, s from the top. Case
  // A: {a, t}, {s}, {c}. Case B for /u: with a and t, or with c, it would be above and below others
  // (R7). With s it would be below t, which starts it (R6). Case C (i).
  const System system = system_of(R"yaml(
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/t:timer(10ms)", time: 1ms, period: 10ms, publishes: /t}
  - {id: "/a:sub(/t)", time: 1ms, triggers: /t}
  - {id: "/s:timer(10ms)", time: 1ms, period: 10ms, publishes: /s}
  - {id: "/c:timer(10ms)", time: 1ms, period: 10ms}
  - {id: "/u:sub(/t)", time: 1ms, triggers: [/t, /s]}
chains:
  a: {path: ["/t:timer(10ms)", "/a:sub(/t)"], priority: 5, deadline: 10ms}
  s: {path: ["/s:timer(10ms)"], priority: 4, deadline: 10ms}
  c: {path: ["/c:timer(10ms)"], priority: 3, deadline: 10ms}
  u: {path: ["/t:timer(10ms)", "/u:sub(/t)"], priority: 2, deadline: 10ms}
  z: {path: ["/s:timer(10ms)", "/u:sub(/t)"], priority: 1, deadline: 10ms}
)yaml");
  EXPECT_EQ(threads_of(plan_of(system, executors(3))), Lines{"0/89: a c t u s"});
}

TEST(PicasExecutors, AChainIsNotPutAboveWhatItStarts)
{
  // From the top: b, t, u, s. Case A: {u, s}, {b}. Case B for /t: with b it would be above u, which
  // it starts (R6). With u and s it is below b, which is right.
  const System system = system_of(R"yaml(
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/s:timer(10ms)", time: 1ms, period: 10ms, publishes: /s}
  - {id: "/b:timer(10ms)", time: 1ms, period: 10ms}
  - {id: "/t:timer(10ms)", time: 1ms, period: 10ms, publishes: /t}
  - {id: "/u:sub(/t)", time: 1ms, triggers: [/t, /s]}
chains:
  a: {path: ["/s:timer(10ms)", "/u:sub(/t)"], priority: 4, deadline: 10ms}
  b: {path: ["/b:timer(10ms)"], priority: 3, deadline: 10ms}
  u: {path: ["/t:timer(10ms)", "/u:sub(/t)"], priority: 2, deadline: 10ms}
  z: {path: ["/s:timer(10ms)", "/u:sub(/t)"], priority: 1, deadline: 10ms}
)yaml");
  EXPECT_EQ(threads_of(plan_of(system, executors(2))), (Lines{"0/89: b", "0/88: t u s"}));
}

TEST(PicasExecutors, CallbacksOfNoChainJoinTheLowestOfTheLeastUsedCpu)
{
  const std::string log = "  - {id: \"/log:timer(10ms)\", time: 1ms, period: 10ms}\n";
  EXPECT_EQ(
    threads_of(plan_of(chains_of(1, {{1}, {1}}, log), executors(2))),
    (Lines{"0/89: a1", "0/88: b1 log"}));
  EXPECT_EQ(
    threads_of(plan_of(chains_of(2, {{2}, {1}}, log), executors(2))),
    (Lines{"0/89: a1", "1/89: b1 log"}));
}

TEST(PicasExecutors, AnExecutorIsOneThreadInEachProcess)
{
  const std::string other =
    "  - {id: \"/log:timer(10ms)\", executor: other, time: 1ms, period: 10ms}\n";
  const Planned planned = plan_of(chains_of(2, {{1}, {1}}, other), executors(1));
  EXPECT_EQ(threads_of(planned), (Lines{"0/88: a1 b1", "0/87: log"}));
}

TEST(PicasExecutors, RefusesACallbackPinnedToWhereNoneIs)
{
  const System system =
    chains_of(2, {{1}}, "  - {id: \"/log:timer(10ms)\", time: 1ms, period: 10ms, cores: [1]}\n");
  const auto planned = plan_schedule(system, executors(1));
  ASSERT_FALSE(planned.ok());
  EXPECT_EQ(
    to_string(planned.faults().front()),
    "picas has no executor on a core that '/log:timer(10ms)' may use, and the limit of executors "
    "is "
    "1; raise the limit");
  EXPECT_EQ(threads_of(plan_of(system, executors(2))), (Lines{"0/89: a1", "1/89: log"}));
}

/// Checks R1 to R7 for independent chains of a timer and the callbacks that it starts. In a thread,
/// and from one thread of a core to the next, callbacks of more important chains come first, and
/// within a chain later callbacks.
bool keeps_rules(const Planned & planned)
{
  const Model & model = planned.model;
  std::vector<std::pair<int, int>> place(model.tasks.size());  // smaller is more urgent
  for (const Chain & chain : model.chains) {
    for (Index i = 0; i < chain.path.size(); ++i) {
      place[chain.path[i]] = {-chain.priority, -static_cast<int>(i)};
    }
  }
  std::map<std::pair<Index, int>, std::vector<Index>> threads;
  for (const AssignedThread & thread : planned.assignment.threads) {
    threads[{thread.core, -thread.priority}] = thread.tasks;
  }
  if (threads.size() != planned.assignment.threads.size()) {
    return false;  // two threads of a core with one OS priority
  }
  std::map<Index, std::vector<Index>> by_core;
  for (const auto & [at, tasks] : threads) {
    auto & all = by_core[at.first];
    all.insert(all.end(), tasks.begin(), tasks.end());
  }
  return std::all_of(by_core.begin(), by_core.end(), [&](const auto & core) {
    return std::is_sorted(core.second.begin(), core.second.end(), [&](Index a, Index b) {
      return place[a] < place[b];
    });
  });
}

/// The same plan with a broken rule of PiCAS: exchanges two callbacks of a thread, or two threads
/// of a core.
Planned spoilt(Planned planned)
{
  auto & threads = planned.assignment.threads;
  const auto several = std::find_if(
    threads.begin(), threads.end(), [](const auto & thread) { return thread.tasks.size() > 1; });
  if (several != threads.end()) {
    std::swap(several->tasks.front(), several->tasks.back());
    return planned;
  }
  for (AssignedThread & a : threads) {
    for (AssignedThread & b : threads) {
      if (&a != &b && a.core == b.core) {
        std::swap(a.priority, b.priority);
        return planned;
      }
    }
  }
  return planned;
}

TEST(PicasExecutors, KeepTheRulesWhateverTheirNumber)
{
  int joined = 0;
  for (std::uint64_t i = 0; i < test::rounds(40); ++i) {
    const std::uint64_t seed = test::seed() + i;
    SCOPED_TRACE("TAKT_TEST_SEED=" + std::to_string(seed));
    Draw draw(seed);
    const double load = 0.25 * static_cast<double>(draw.between(2, 16));
    const System system = test::random_chains(4, 9, load, seed);
    const Planned unlimited = plan_of(system, executors(0));
    EXPECT_EQ(plan_of(system, executors(kMostExecutors)).assignment, unlimited.assignment);
    EXPECT_TRUE(keeps_rules(unlimited));
    for (int count = 1; count < 12; ++count) {
      const Planned planned = plan_of(system, executors(count));
      EXPECT_LE(planned.assignment.threads.size(), static_cast<Index>(count));
      EXPECT_TRUE(keeps_rules(planned));
      EXPECT_FALSE(keeps_rules(spoilt(planned)));
      joined += planned.assignment == unlimited.assignment ? 0 : 1;
    }
  }
  EXPECT_GT(joined, 0);
}

TEST(PicasExecutors, KeepWhatEveryPlanKeeps)
{
  int refused = 0;
  int planned_ones = 0;
  for (std::uint64_t i = 0; i < test::rounds(60); ++i) {
    const std::uint64_t seed = test::seed() + i;
    SCOPED_TRACE("TAKT_TEST_SEED=" + std::to_string(seed));
    const System system = test::restrained_system(seed);
    for (const int count : {0, 1, 2, 4, 8}) {
      const auto planned = plan_schedule(system, executors(count));
      if (!planned) {
        EXPECT_GT(count, 0);
        EXPECT_NE(
          to_string(planned.faults().front()).find("picas has no executor on a core that"),
          std::string::npos);
        ++refused;
        continue;
      }
      ++planned_ones;
      expect_sound(system, *planned);
      EXPECT_EQ(planned->assignment, plan_of(system, executors(count)).assignment) << "stable";
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(planned_ones, 0);
}

}  // namespace
}  // namespace takt_plan
