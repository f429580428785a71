// The jobs of a hyperperiod: the list is complete, and a reader can work out the windows.
#include "takt_plan/hyperperiod.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "simulation/hyperperiod_run.hpp"
#include "takt_plan/load_plan.hpp"

namespace takt_plan
{
namespace
{

constexpr Ns kMs = 1'000'000;

/// A timer of 20 ms, and a timer of 50 ms with the subscription that it starts, on one thread. The
/// first timer is the most urgent callback.
Plan plan(const std::string & offset_of_quick = "17ms", const std::string & period_of_slow = "50ms")
{
  auto found = parse_plan(
    "version: 1\noverheads: {}\nhosts: {car: {cores: 2}}\ncallbacks:\n"
    "  - {id: \"/quick:timer(20ms)\", time: 2ms, period: 20ms}\n"
    "  - {id: \"/slow:timer(1)\", time: 5ms, period: " +
      period_of_slow +
      ", publishes: /s}\n"
      "  - {id: \"/sub:sub(/s)\", time: 5ms, triggers: /s}\n",
    "version: 1\nexecutors:\n  main:\n    order: priority\n"
    "    threads: {hot: {policy: fifo, priority: 50, cores: [0]}}\n    default: hot\n"
    "    callbacks:\n"
    "      - {match: \"/sub:**\", priority: 5}\n"
    "      - {match: \"/slow:**\", priority: 1, offset: 0ms}\n"
    "      - {match: \"/quick:**\", priority: 9" +
      std::string(offset_of_quick.empty() ? "" : ", offset: ") + offset_of_quick + "}\n");
  EXPECT_TRUE(found) << to_string(found.faults().front());
  return found ? std::move(*found) : Plan{};
}

std::vector<PhasedJob> jobs_of(const Hyperperiod & hyperperiod, Index task)
{
  std::vector<PhasedJob> found;
  std::copy_if(
    hyperperiod.jobs.begin(), hyperperiod.jobs.end(), std::back_inserter(found),
    [&](const PhasedJob & job) { return job.task == task; });
  return found;
}

TEST(Hyperperiod, HasEachJobWithItsWindow)
{
  const Plan subject = plan();
  const auto found = hyperperiod(subject.model);
  ASSERT_TRUE(found) << to_string(found.faults().front());
  EXPECT_EQ(found->length, 100 * kMs);
  EXPECT_TRUE(found->without.empty());
  const auto quick = jobs_of(*found, 0);
  ASSERT_EQ(quick.size(), 5U);
  for (std::size_t i = 0; i < quick.size(); ++i) {
    EXPECT_EQ(quick[i].earliest, 17 * kMs + static_cast<Ns>(i) * 20 * kMs);
    EXPECT_EQ(quick[i].latest, quick[i].earliest);
  }
  EXPECT_EQ(quick[0].end, 19 * kMs) << "the subscription has ended long before";
  EXPECT_GE(quick[2].end, 62 * kMs) << "at 57 ms the subscription has begun";
  EXPECT_LE(quick[2].end, 64 * kMs);
  const auto slow = jobs_of(*found, 1);
  ASSERT_EQ(slow.size(), 2U);
  EXPECT_EQ(slow[0].end, 5 * kMs);
  EXPECT_EQ(slow[1].earliest, 50 * kMs);
  EXPECT_EQ(slow[1].end, 55 * kMs);
  const auto sub = jobs_of(*found, 2);
  ASSERT_EQ(sub.size(), 2U);
  EXPECT_EQ(sub[0].latest, 5 * kMs);
  EXPECT_EQ(sub[0].end, 10 * kMs);
  EXPECT_EQ(sub[1].end, 60 * kMs);
}

TEST(Hyperperiod, ASimulatedRunIsInsideOfIt)
{
  const Plan subject = plan();
  const auto found = hyperperiod(subject.model);
  ASSERT_TRUE(found);
  const auto runs = simulate_hyperperiod(simulation_model(subject), *found);
  ASSERT_TRUE(runs);
  EXPECT_EQ(runs->size(), found->jobs.size()) << "no set drops a message";
  for (const PhasedRun & run : *runs) {
    const auto jobs = jobs_of(*found, run.task);
    EXPECT_TRUE(std::any_of(
      jobs.begin(), jobs.end(),
      [&](const PhasedJob & job) {
        return job.earliest <= run.release && run.release <= job.latest && run.end <= job.end;
      }))
      << subject.model.tasks[run.task].id << " at " << run.release;
    Ns ran = 0;
    for (const auto & [from, to] : run.pieces) {
      EXPECT_LE(run.release, from);
      EXPECT_LE(to, run.end);
      ran += to - from;
    }
    EXPECT_EQ(ran, subject.model.tasks[run.task].time);
  }
}

TEST(Hyperperiod, IsRefusedWherePhasesAreNotKnown)
{
  const auto found = hyperperiod(plan("").model);
  ASSERT_FALSE(found);
  EXPECT_EQ(
    to_string(found.faults().front()),
    "jobs have no known windows: '/quick:timer(20ms)' has no offset; give each timer one in the "
    "schedule");
}

TEST(Hyperperiod, IsRefusedWhereItHasTooManyJobs)
{
  const auto found = hyperperiod(plan("17ms", "49.999ms").model);
  ASSERT_FALSE(found);
  const std::string said = to_string(found.faults().front());
  EXPECT_NE(said.find("hyperperiod has more than 20000 jobs"), std::string::npos) << said;
}

TEST(Hyperperiod, ARoundPeriodIsAdvisedWhereItIsNearlyAsNearAsAnOddOne)
{
  // 2.5 ms would be the smallest change.
  const auto found = hyperperiod(plan("17ms", "2.311ms").model);
  ASSERT_FALSE(found);
  const std::string said = to_string(found.faults().front());
  EXPECT_TRUE(said.ends_with("; with 2ms in place of 2.311ms it would be 20ms")) << said;
}

}  // namespace
}  // namespace takt_plan
