// Both forms of the competition's pseudo-code: examples worked out by hand, and the differences
// between the forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "support/campaign.hpp"
#include "support/example.hpp"
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

constexpr auto kForms = {Planner::competition, Planner::competition_literal};

PlanOptions with(Planner planner, int executors, int threads)
{
  PlanOptions options = by(planner);
  options.executors = executors;
  options.executor_threads = threads;
  return options;
}

/// The planner's sentences about cores above their caps.
Lines overloads(const Planned & planned)
{
  Lines result = planned.shortfalls;
  std::erase_if(
    result, [](const std::string & line) { return line.find("load it by") == std::string::npos; });
  return result;
}

// a takes 15 tenths of a core, b takes 3.
const std::vector<std::vector<int>> kLong{{6, 6, 3}, {3}};

TEST(CompetitionLiteral, OvershootsItsLimitBesideACoreWithRoom)
{
  // To executors: a goes to the first executor until that is above 1: a1 (0.6), a2 (1.2), but not
  // a3, which goes to the second. No executor is empty for b; the second is less used: 0.6. To
  // threads: a is the first chain of both executors and has both threads of each: a1 | a2. Of one
  // callback, the second half begins where the first ends: | a3. b is the second chain of its
  // executor and has the last thread. To cores: the first executor has core 0, which is not above 1
  // when a1 comes as well.
  const Planned planned = plan_of(chains_of(2, kLong), with(Planner::competition_literal, 2, 2));
  EXPECT_EQ(threads_of(planned), (Lines{"0/89: a2", "0/88: a1", "1/89: a3 b1"}));
  EXPECT_EQ(
    overloads(planned),
    (Lines{"core 0 of car has room for a load of 100.0 %, and its callbacks load it by 120.0 %"}));
}

TEST(Competition, KeepsTheLimitsOfExecutorsAndCores)
{
  // To executors: the first has two threads, so a may load it with 1.5; b gets an empty one. To
  // threads: a1 | a2 a3. To cores, the most important first: a2 a3 go to core 0 (0.9), a1 does not
  // fit there and goes to core 1 (0.6), b goes to the less used core (0.9).
  const Planned planned = plan_of(chains_of(2, kLong), with(Planner::competition, 2, 2));
  EXPECT_EQ(threads_of(planned), (Lines{"0/89: a3 a2", "1/89: a1", "1/88: b1"}));
  EXPECT_EQ(overloads(planned), Lines{});
}

// Loads of 0.4, 0.2, 0.1 and 0.1 for one executor of three threads.
const std::vector<std::vector<int>> kShares{{1, 1, 1, 1}, {1, 1}, {1}, {1}};

TEST(CompetitionLiteral, PromisesThreadsMoreThanOnce)
{
  // a has all three threads: a1 | a2 a3 | a4. b has the last two: b1 | b2. c and d have the last
  // one.
  const Planned planned = plan_of(chains_of(1, kShares), with(Planner::competition_literal, 1, 3));
  EXPECT_EQ(threads_of(planned), (Lines{"0/89: a4 b2 c1 d1", "0/88: a3 a2 b1", "0/87: a1"}));
}

TEST(Competition, SharesThreadsInProportion)
{
  // One thread each for a, b and c; d shares the thread with the least load.
  EXPECT_EQ(
    threads_of(plan_of(chains_of(1, kShares), with(Planner::competition, 1, 3))),
    (Lines{"0/89: a4 a3 a2 a1", "0/88: b2 b1", "0/87: c1 d1"}));
  // Of six threads, each chain gets one. Then a has most load per thread (0.4). Then a and b have
  // equal loads (0.2), and a is first. It is cut at 0.13 and 0.27; the middles of a2 and a3 are
  // between these.
  EXPECT_EQ(
    threads_of(plan_of(chains_of(1, kShares), with(Planner::competition, 1, 6))),
    (Lines{"0/89: a4", "0/88: a3 a2", "0/87: a1", "0/86: b2 b1", "0/85: c1", "0/84: d1"}));
}

TEST(CompetitionLiteral, PutsTheRestOfAnExecutorOnOneCore)
{
  // One executor takes a, b and c (0.8, not above 1 before c comes: 1.4). Its threads are a1 | a2;
  // b and c share the second. Core 0 has room for both (a2 b1 c1 is 1.0, which is not above 1).
  EXPECT_EQ(
    threads_of(plan_of(chains_of(3, {{4, 2}, {2}, {6}}), with(Planner::competition_literal, 1, 2))),
    (Lines{"0/89: a2 b1 c1", "0/88: a1"}));
  // a1 | a2 | a3. b shares the thread of a3, which is then above 1. a2 goes to the least used core,
  // and so does a1.
  EXPECT_EQ(
    threads_of(plan_of(chains_of(3, {{2, 2, 2}, {9}}), with(Planner::competition_literal, 1, 3))),
    (Lines{"0/89: a3 b1", "1/89: a2", "1/88: a1"}));
}

TEST(Competition, HasAsManyExecutorsAsCoresAndAsManyThreadsEach)
{
  // Two executors of two threads. a: a1 | a2 a3, because half of the load is in the middle of a2.
  // b: b1 | b2.
  for (const Planner form : kForms) {
    EXPECT_EQ(
      threads_of(plan_of(chains_of(2, {{1, 1, 1}, {1, 1}}), by(form))),
      (Lines{"0/89: a3 a2", "0/88: a1", "1/89: b2", "1/88: b1"}));
  }
}

TEST(Competition, CallbacksOfNoChainComeLast)
{
  const System system =
    chains_of(1, {{1}, {1}}, "  - {id: \"/log:timer(10ms)\", time: 5ms, period: 10ms}\n");
  EXPECT_EQ(
    threads_of(plan_of(system, with(Planner::competition, 1, 1))), (Lines{"0/89: a1 b1 log"}));
  EXPECT_EQ(
    threads_of(plan_of(system, with(Planner::competition, 1, 3))),
    (Lines{"0/89: a1", "0/88: b1", "0/87: log"}));
}

TEST(Competition, CountsWhatOthersTakeAndLiterallyDoesNot)
{
  const std::string text = R"yaml(
hosts: {car: {cores: 2, other_threads: {irq: {priority: 95, cores: [0], time: 8ms, period: 10ms}}}}
callbacks:
  - {id: "/a:timer(10ms)", time: 5ms, period: 10ms}
chains: {a: {path: ["/a:timer(10ms)"], deadline: 10ms}}
)yaml";
  EXPECT_EQ(threads_of(plan_of(system_of(text), by(Planner::competition))), Lines{"1/90: a"});
  EXPECT_EQ(
    threads_of(plan_of(system_of(text), by(Planner::competition_literal))), Lines{"0/90: a"});
}

TEST(Competition, AThreadOfCallbacksPinnedApartIsCut)
{
  const System system = system_of(R"yaml(
hosts: {car: {cores: 3}}
callbacks:
  - {id: "/a:timer(10ms)", time: 1ms, period: 10ms, cores: [2], publishes: /a}
  - {id: "/b:sub(/a)", time: 1ms, cores: [1], triggers: /a}
chains: {a: {path: ["/a:timer(10ms)", "/b:sub(/a)"], deadline: 10ms}}
)yaml");
  for (const Planner form : kForms) {
    EXPECT_EQ(threads_of(plan_of(system, with(form, 1, 1))), (Lines{"1/89: b", "2/89: a"}));
  }
}

TEST(Competition, RefusesNumbersItDoesNotHave)
{
  const System system = chains_of(1, {{1}});
  const auto fault = [&](const PlanOptions & options) {
    const auto planned = plan_schedule(system, options);
    return planned.ok() ? std::string("none") : to_string(planned.faults().front());
  };
  EXPECT_EQ(
    fault(with(Planner::competition, -1, 0)), "the number of executors must be 1 to 1000, not -1");
  EXPECT_EQ(
    fault(with(Planner::competition, 1, 64)),
    "the number of threads of an executor must be 1 to 63, not 64");
  EXPECT_EQ(
    fault(with(Planner::takt, 2, 0)),
    "a number of executors works only with the planners picas, competition and "
    "competition-literal");
  EXPECT_EQ(
    fault(with(Planner::picas, 2, 2)),
    "a number of threads of an executor works only with the planners competition and "
    "competition-literal");
  EXPECT_EQ(fault(with(Planner::competition, 1000, 63)), "none");
}

TEST(Competition, KeepsWhatEveryPlanKeeps)
{
  for (std::uint64_t i = 0; i < test::rounds(40); ++i) {
    const std::uint64_t seed = test::seed() + i;
    SCOPED_TRACE("TAKT_TEST_SEED=" + std::to_string(seed));
    Draw draw(seed);
    const System system = test::restrained_system(seed);
    for (const Planner form : kForms) {
      const PlanOptions options =
        with(form, static_cast<int>(draw.between(0, 5)), static_cast<int>(draw.between(0, 5)));
      const Planned planned = plan_of(system, options);
      expect_sound(system, planned);
      EXPECT_EQ(planned.assignment, plan_of(system, options).assignment) << "stable";
    }
  }
}

/// Counts how often a campaign broke a promise that only the precise form keeps.
struct Broken
{
  int limits = 0;   ///< a core is overloaded although each callback had room
  int threads = 0;  ///< two chains share a thread although there are enough threads
  int runs = 0;
};

Broken campaign(Planner form)
{
  Broken broken;
  for (std::uint64_t i = 0; i < test::rounds(40); ++i) {
    const System system = test::random_chains(3, 4, 1.5, test::seed() + i);
    // An executor of one thread for each core, so its limit is that of the core. The least used one
    // has at most half a core's load, so callbacks of up to the other half fit.
    const bool small =
      std::all_of(system.callbacks.begin(), system.callbacks.end(), [&](const auto & callback) {
        const auto chain = static_cast<std::size_t>(callback.id[2] - '0');  // "/c4_1:sub(/c4_0)"
        return 2 * callback.time.worst <= system.chains[chain].options.deadline;
      });
    if (!small) {
      continue;
    }
    ++broken.runs;
    broken.limits += overloads(plan_of(system, with(form, 3, 1))).empty() ? 0 : 1;
    const Planned wide = plan_of(system, with(form, 3, 6));
    EXPECT_LE(wide.assignment.threads.size(), 18U);
    const bool shared = std::any_of(
      wide.assignment.threads.begin(), wide.assignment.threads.end(), [&](const auto & thread) {
        return std::any_of(thread.tasks.begin(), thread.tasks.end(), [&](Index task) {
          return wide.model.tasks[task].id.substr(0, 3) !=
                 wide.model.tasks[thread.tasks.front()].id.substr(0, 3);
        });
      });
    broken.threads += shared ? 1 : 0;
  }
  return broken;
}

TEST(Competition, KeepsPromisesThatTheLiteralFormBreaks)
{
  const Broken precise = campaign(Planner::competition);
  EXPECT_GT(precise.runs, 0);
  EXPECT_EQ(precise.limits, 0);
  EXPECT_EQ(precise.threads, 0);
  const Broken literal = campaign(Planner::competition_literal);
  EXPECT_GT(literal.limits, 0);
  EXPECT_GT(literal.threads, 0);
}

}  // namespace
}  // namespace takt_plan
