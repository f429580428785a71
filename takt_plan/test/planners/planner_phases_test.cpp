// Plans whose bounds rest on timers' offsets that the planner chose.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "planners/planners.hpp"
#include "planners/simulated_plan.hpp"
#include "planners/takt/annealing.hpp"
#include "support/campaign.hpp"
#include "support/planning.hpp"
#include "takt_plan/draw.hpp"

namespace takt_plan
{
namespace
{

using takt_schedule::System;
using test::system_of;

constexpr Ns kMs = 1'000'000;

// Two callbacks on one core. Each keeps its deadline only if the other one does not come at the
// same time. `offset`: of the first timer.
std::string two_timers(const std::string & offset = "")
{
  return R"yaml(overheads: {}
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/a:timer(20ms)", time: 8ms, period: 20ms)yaml" +
         offset + R"yaml(}
  - {id: "/b:timer(20ms)", time: 8ms, period: 20ms}
chains:
  a: {path: ["/a:timer(20ms)"], priority: 20, deadline: 9ms}
  b: {path: ["/b:timer(20ms)"], priority: 10, deadline: 9ms}
)yaml";
}

Planned walked(const System & system, PlanOptions options = {})
{
  options.walks = true;
  return test::plan_of(system, options);
}

std::map<std::string, Ns> offsets_of(const Planned & planned)
{
  std::map<std::string, Ns> offsets;
  for (const auto & executor : planned.schedule.executors) {
    for (const auto & rule : executor.callbacks) {
      if (rule.offset) {
        offsets[rule.match.front()] = rule.offset->count();
      }
    }
  }
  return offsets;
}

TEST(PlannerPhases, TimersGetOffsetsThatKeepThemApartAndTheSimulatorHonoursThem)
{
  const System system = system_of(two_timers());
  const Planned planned = walked(system);
  EXPECT_TRUE(all_met(planned));
  test::expect_sound(system, planned);
  const auto offsets = offsets_of(planned);
  ASSERT_EQ(offsets.size(), 2U);
  const Ns apart =
    (offsets.at("/a:timer(20ms)") - offsets.at("/b:timer(20ms)") + 20 * kMs) % (20 * kMs);
  EXPECT_GE(apart, 7 * kMs);
  EXPECT_LE(apart, 13 * kMs);
  const auto simulated = simulate_plan(system, planned.schedule);
  ASSERT_TRUE(simulated.ok());
  EXPECT_EQ(simulated->skipped, 0U);
  for (Index chain = 0; chain < 2; ++chain) {
    EXPECT_TRUE(simulated->chains[chain].met());
    EXPECT_LE(simulated->chains[chain].worst, planned.bounds.chains[chain]->bound);
  }
  EXPECT_FALSE(all_met(test::plan_of(system)));
}

TEST(PlannerPhases, SaysWhyItChoseNoOffsets)
{
  std::string text = R"yaml(
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/cam:timer(33.3ms)", time: 4ms, period: 33.3ms, publishes: /image}
  - {id: "/detect:sub(/image)", time: 3ms, triggers: /image}
  - {id: "/control:timer(1ms)", time: 100us, period: 1ms}
  - {id: "/log:timer(500ms)", time: 30ms, period: 500ms}
chains:
  image: {path: ["/cam:timer(33.3ms)", "/detect:sub(/image)"], deadline: 7ms}
  log: {path: ["/log:timer(500ms)"], deadline: 30ms, priority: 1}
)yaml";
  const Planned planned = walked(system_of(text));
  EXPECT_FALSE(all_met(planned));
  ASSERT_EQ(planned.notes.size(), 1U);
  EXPECT_EQ(
    planned.notes.front(),
    "takt chose no offsets, and bounds count all phases, since a part of the system has no job "
    "windows: its hyperperiod has more than 20000 jobs: 166.5s, by periods of 1ms, 33.3ms, 500ms; "
    "with 31.25ms or 50ms in place of 33.3ms it would be 500ms");
  // With one of these periods phases count.
  for (const std::string period : {"31.25ms", "50ms"}) {
    std::string other = text;
    for (auto at = other.find("33.3ms"); at != std::string::npos; at = other.find("33.3ms")) {
      other.replace(at, 6, period);
    }
    EXPECT_TRUE(walked(system_of(other)).notes.empty()) << period;
  }
  // Lost phases are worth a sentence although no chain is late.
  const std::string late = "deadline: 7ms";
  text.replace(text.find(late), late.size(), "deadline: 30ms");
  const std::string tight = "deadline: 30ms, priority: 1";
  text.replace(text.find(tight), tight.size(), "deadline: 500ms, priority: 1");
  const Planned met = walked(system_of(text));
  EXPECT_TRUE(all_met(met));
  EXPECT_EQ(met.notes, planned.notes);
}

TEST(PlannerPhases, ProgressGoesOnlyForward)
{
  PlanOptions options;
  std::vector<PlanProgress> told;
  options.progress = [&](const PlanProgress & now) { told.push_back(now); };
  // The walk with room for late releases finds no plan, so another walk follows.
  std::string text = two_timers();
  for (const std::string deadline : {"deadline: 9ms", "deadline: 9ms"}) {
    text.replace(text.find(deadline), deadline.size(), "deadline: 8ms");
  }
  walked(system_of(text), options);
  ASSERT_GE(told.size(), 2U);
  for (std::size_t i = 1; i < told.size(); ++i) {
    EXPECT_GE(told[i].plans, told[i - 1].plans);
    EXPECT_GE(told[i].proven, told[i - 1].proven);
  }
}

// Models whose hyperperiods have many jobs cost much per plan: their walks would take minutes.
TEST(PlannerPhases, AllWalksOfAPlanHaveOneLimit)
{
  const System system = system_of(two_timers());
  PlanOptions options;
  options.walks = true;
  auto problem = detail::plan_problem(system, options);
  ASSERT_TRUE(problem.ok());
  problem->chooses_offsets = problem->by_phases = true;
  Index plans = 0;
  problem->progress = [&](const PlanProgress & now) { plans += now.plans; };
  const detail::Layout start = detail::plan_isolated(*problem);
  double cost = 1e9;  // of the walks before
  detail::annealed(*problem, 0.1, {start}, 0, cost);
  EXPECT_EQ(plans, 0U);
  cost = 0;
  detail::annealed(*problem, 0.1, {start}, 0, cost);
  EXPECT_GT(plans, 0U);
}

// If /low is more urgent, /hot takes 12 ms. If /hot is, /low skips periods.
TEST(PlannerPhases, SaysWhichChainsPayForItThatNoTimerSkipsAPeriod)
{
  const std::string text = R"yaml(overheads: {}
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/hot:timer(100ms)", time: 10ms, period: 100ms}
  - {id: "/low:timer(5ms)", time: 1ms, period: 5ms}
chains:
  hot: {path: ["/hot:timer(100ms)"], priority: 90, deadline: DEADLINE}
  low: {path: ["/low:timer(5ms)"], priority: 10, deadline: 20ms}
)yaml";
  for (const std::string deadline : {"11ms", "13ms"}) {
    std::string one = text;
    one.replace(one.find("DEADLINE"), 8, deadline);
    const System system = system_of(one);
    const Planned planned = walked(system);
    EXPECT_EQ(simulate_plan(system, planned.schedule)->skipped, 0U);
    const bool pays = deadline == "11ms";
    EXPECT_EQ(all_met(planned), !pays);
    EXPECT_EQ(planned.paid.chains, pays ? std::vector<Index>{0} : std::vector<Index>{});
    EXPECT_EQ(planned.paid.timers, pays ? std::vector<Index>{1} : std::vector<Index>{});
    EXPECT_EQ(planned.paid.skipped > 0, pays);
  }
}

TEST(PlannerPhases, LeavesTimersAloneWhosePhasesNoScheduleSetsAndSaysSo)
{
  const Planned planned = walked(system_of(two_timers(", offset: any")));
  EXPECT_FALSE(all_met(planned));
  EXPECT_EQ(offsets_of(planned).count("/a:timer(20ms)"), 0U);
  ASSERT_EQ(planned.notes.size(), 1U);
  EXPECT_NE(planned.notes.front().find("release phases of '/a:timer(20ms)'"), std::string::npos);
}

// Beside the two timers there are messages from outside with unknown phases.
System with_free_source()
{
  std::string text = two_timers();
  const std::string chains = "chains:\n";
  text.insert(
    text.find(chains) + chains.size(),
    "  c: {path: [\"/c:sub(/points)\"], priority: 5, deadline: 20ms}\n");
  text.insert(text.find(chains), "  - {id: \"/c:sub(/points)\", time: 500us, period: 20ms}\n");
  return system_of(text);
}

TEST(PlannerPhases, OffsetsKeepTimersApartBesideASourceWhosePhaseIsNotKnown)
{
  const System system = with_free_source();
  const Planned planned = walked(system);
  EXPECT_TRUE(all_met(planned));
  test::expect_sound(system, planned);
  EXPECT_EQ(offsets_of(planned).size(), 2U) << "messages from outside have none";
  ASSERT_EQ(planned.notes.size(), 1U);
  EXPECT_NE(planned.notes.front().find("release phases of '/c:sub(/points)'"), std::string::npos);
  EXPECT_FALSE(all_met(test::plan_of(system)));
}

TEST(PlannerPhases, SourcesWithoutAKnownPhaseComeAtSeveralPhasesInSimulation)
{
  const System system = with_free_source();
  const Planned planned = walked(system);
  const auto simulated = simulate_plan(system, planned.schedule);
  ASSERT_TRUE(simulated.ok());
  // At a single phase, as with fixed offsets, the source's callback meets one timer or none.
  Ns latest = 0;
  for (Index chain = 0; chain < simulated->chains.size(); ++chain) {
    EXPECT_LE(simulated->chains[chain].worst, planned.bounds.chains[chain]->bound);
    latest = std::max(latest, simulated->chains[chain].worst);
  }
  EXPECT_GT(latest, 8 * kMs + 500'000 - 1) << "the source's callback and a timer's meet";
}

TEST(PlannerPhases, APlanThatNeedsNoOffsetsGetsNone)
{
  std::string text = two_timers();
  for (auto at = text.find("9ms"); at != std::string::npos; at = text.find("9ms")) {
    text.replace(at, 3, "20ms");
  }
  const Planned planned = walked(system_of(text));
  EXPECT_TRUE(all_met(planned));
  EXPECT_TRUE(offsets_of(planned).empty());
}

TEST(PlannerPhases, IsTheSameForASeedAndEndsWhenTheTimeIsUp)
{
  const System system = system_of(two_timers());
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    PlanOptions options;
    options.seed = seed;
    const Planned planned = walked(system, options);
    EXPECT_TRUE(all_met(planned)) << seed;
    EXPECT_EQ(planned.assignment, walked(system, options).assignment) << seed;
  }
  PlanOptions none;
  none.time_used = [] { return 1.0; };
  const Planned at_once = walked(system, none);
  EXPECT_FALSE(all_met(at_once)) << "the first plan is there in any case";
}

// A system whose first plan is late, and in which a walk finds better plans for a long time.
System crowded()
{
  return system_of(R"yaml(overheads: {}
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/a:timer(20ms)", time: 6ms, period: 20ms, publishes: /a}
  - {id: "/a1:sub(/a)", time: 500us, triggers: /a}
  - {id: "/b:timer(20ms)", time: 6ms, period: 20ms, publishes: /b}
  - {id: "/b1:sub(/b)", time: 500us, triggers: /b}
  - {id: "/c:timer(40ms)", time: 5ms, period: 40ms, publishes: /c}
  - {id: "/c1:sub(/c)", time: 500us, triggers: /c}
chains:
  a: {path: ["/a:timer(20ms)", "/a1:sub(/a)"], priority: 20, deadline: 7ms}
  b: {path: ["/b:timer(20ms)", "/b1:sub(/b)"], priority: 10, deadline: 7ms}
  c: {path: ["/c:timer(40ms)", "/c1:sub(/c)"], priority: 5, deadline: 20ms}
)yaml");
}

// Each reading advances this clock.
TEST(PlannerPhases, EachStepOfTheSearchHasAShareOfTheTimeAndBetterPlansAreShownMeanwhile)
{
  const System system = crowded();
  std::atomic<int> looks = 0;
  PlanOptions options;
  options.time_used = [&] { return static_cast<double>(++looks) / 4'000; };
  std::vector<std::vector<bool>> met;
  std::vector<double> when;
  options.better_found = [&](const Planned & planned) {
    when.push_back(static_cast<double>(looks) / 4'000);
    met.emplace_back();
    for (const Index chain : planned.chains) {
      met.back().push_back(!missed(planned, chain));
    }
    test::expect_sound(system, planned);
  };
  const Planned planned = walked(system, options);
  EXPECT_TRUE(all_met(planned));
  EXPECT_LT(planned.assignment.threads.size(), 6U) << "there was time to merge threads";
  ASSERT_GE(met.size(), 2U);
  EXPECT_LT(when.front(), 0.3);
  EXPECT_NE(met.front(), met.back());
  EXPECT_TRUE(std::is_sorted(met.begin(), met.end()));
}

// A small system of chains with one to three callbacks: a timer and the callbacks that it starts.
// Hyperperiods are short.
System small_system(std::uint64_t seed)
{
  Draw draw(seed);
  const int cores = static_cast<int>(draw.between(1, 2));
  std::string callbacks, chains;
  for (int chain = 0, count = static_cast<int>(draw.between(2, 5)); chain < count; ++chain) {
    const Ns period = 10 << draw.between(0, 2);
    const int length = static_cast<int>(draw.between(1, 3));
    std::string path;
    for (int i = 0; i < length; ++i) {
      const auto node = [&](int number) {
        return "/c" + std::to_string(chain) + "_" + std::to_string(number);
      };
      const std::string every = std::to_string(period) + "ms";
      const std::string id =
        "\"" + node(i) + (i == 0 ? ":timer(" + every : ":sub(" + node(i - 1)) + ")\"";
      const Ns most = std::max<Ns>(period * 900 * cores / count / length, 2);
      callbacks += "  - {id: " + id + ", time: " + std::to_string(draw.between(1, most)) + "us, " +
                   (i == 0 ? "period: " + every : "triggers: " + node(i - 1)) +
                   ", publishes: " + node(i) + "}\n";
      path += (i == 0 ? "" : ", ") + id;
    }
    chains += "  c" + std::to_string(chain) + ": {path: [" + path +
              "], priority: " + std::to_string(draw.between(1, 9)) +
              ", deadline: " + std::to_string(period * draw.between(400, 1'000)) + "us}\n";
  }
  return system_of(
    "overheads: {}\nhosts: {car: {cores: " + std::to_string(cores) + "}}\ncallbacks:\n" +
    callbacks + "chains:\n" + chains);
}

std::vector<bool> met_by(const Planned & planned)
{
  std::vector<bool> met;
  for (const Index chain : planned.chains) {
    met.push_back(!missed(planned, chain));
  }
  return met;
}

TEST(PlannerPhases, AreNeverWorseThanPlansWithoutThem)
{
  for (std::uint64_t i = 0; i < test::rounds(10); ++i) {
    const std::uint64_t seed = test::seed() + i;
    SCOPED_TRACE("TAKT_TEST_SEED=" + std::to_string(seed));
    const System system = small_system(seed);
    const Planned without = test::plan_of(system);
    const Planned with = walked(system);
    test::expect_sound(system, with);
    EXPECT_GE(met_by(with), met_by(without));
    const auto simulated = simulate_plan(system, with.schedule);
    ASSERT_TRUE(simulated.ok());
    for (const Index chain : with.chains) {
      if (with.bounds.chains[chain]) {
        EXPECT_LE(simulated->chains[chain].worst, with.bounds.chains[chain]->bound);
      }
    }
  }
}

}  // namespace
}  // namespace takt_plan
