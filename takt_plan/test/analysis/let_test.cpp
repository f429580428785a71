// Bounds of small models with logical execution time, worked out by hand. They are what the simulator sees.
#include "analysis/inputs/let.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "analysis/inputs/inputs.hpp"
#include "support/example.hpp"
#include "takt_plan/end_to_end.hpp"
#include "takt_plan/simulate.hpp"

namespace takt_plan
{
namespace
{

using test::Example;
using test::kMs;

/// Two groups with logical execution time on one thread. The second one reads what the first one publishes, and a callback
/// on another core hears the second one.
struct Logical : Example
{
  Logical() : Example(2)
  {
    const Index own = thread(0, 50);
    first = logical(own, 30 * kMs, 5 * kMs);
    second = logical(own, 30 * kMs, 4 * kMs);
    model.tasks[second].reads = {{first, 0, 0}};
    last = sub(thread(1, 50), 0, {second}, 2 * kMs);
    chain({first, second, last});
  }

  Index logical(Index thread, Ns period, Ns time)
  {
    const Index task = timer(thread, 0, period, time);
    model.tasks[task].group = model.groups.size();
    model.groups.push_back({"/g" + std::to_string(task), true});
    model.groups.back().logical_time = takt_core::LateOutputs::publish;
    return task;
  }

  void offsets(Ns of_first, Ns of_second)
  {
    model.tasks[first].release->offset = of_first;
    model.tasks[second].release->offset = of_second;
  }

  EndToEndBounds bounds() const
  {
    const auto analysed = with_inputs_in_takers(model);
    EXPECT_TRUE(analysed.ok()) << to_string(analysed.faults().front());
    const auto found = end_to_end(*analysed);
    EXPECT_TRUE(found.ok()) << to_string(found.faults().front());
    return *found;
  }

  Ns response() const
  {
    const auto found = bounds();
    EXPECT_TRUE(found.chains[0].ok()) << to_string(found.chains[0].faults().front());
    return found.chains[0] ? found.chains[0]->response : -1;
  }

  Ns simulated() const
  {
    const auto simulation = simulation_model(model);
    EXPECT_TRUE(simulation.ok());
    SimulationOptions options;
    options.duration = 600 * kMs;
    const auto result = simulate(*simulation, options);
    EXPECT_TRUE(result.ok());
    return result->chains[0].responses.worst.time();
  }

  std::string refusal() const
  {
    const auto analysed = with_inputs_in_takers(model);
    return analysed ? "" : to_string(analysed.faults().front());
  }

  Index first, second, last;
};

TEST(Let, AChainTakesWholePeriods)
{
  Logical logical;
  logical.offsets(0, 0);
  // From border to border, and the last callback.
  EXPECT_EQ(logical.response(), (30 + 30 + 2) * kMs);
  EXPECT_EQ(logical.simulated(), logical.response());
  logical.offsets(0, 12 * kMs);
  EXPECT_EQ(logical.response(), (30 + 12 + 30 + 2) * kMs);
  EXPECT_EQ(logical.simulated(), logical.response());
  logical.offsets(7 * kMs, 5 * kMs);
  EXPECT_EQ(logical.response(), (30 + 28 + 30 + 2) * kMs);
  EXPECT_EQ(logical.simulated(), logical.response());
}

TEST(Let, OfOtherPeriodsTheLongestDistanceCounts)
{
  Logical logical;
  logical.offsets(0, 5 * kMs);
  logical.model.tasks[logical.second].release->period = 20 * kMs;
  // Borders are at 30, 60, 90 and so on, releases at 25, 45, 65 and so on: 15 or 5 later.
  EXPECT_EQ(logical.response(), (30 + 15 + 20 + 2) * kMs);
  EXPECT_EQ(logical.simulated(), logical.response());
}

TEST(Let, WithoutPhasesAMessageMayWaitForAPeriod)
{
  Logical logical;
  // And the last border finds a run of 5 ms on its thread.
  EXPECT_EQ(logical.response(), (30 + 30 + 30 + 5 + 2) * kMs);
}

TEST(Let, TheTimeOfARunMakesNoDifference)
{
  Logical logical;
  logical.offsets(0, 0);
  const Ns before = logical.response();
  logical.model.tasks[logical.first].time = 20 * kMs;
  EXPECT_EQ(logical.response(), before);
  EXPECT_EQ(logical.simulated(), before);
}

TEST(Let, WhatOthersDoOnTheThreadDelaysTheBorder)
{
  Logical logical;
  logical.offsets(0, 0);
  logical.timer(logical.model.tasks[logical.first].threads.front(), 0, 300 * kMs, 3 * kMs);
  // Only the last callback waits for a border task that found its thread busy. The groups' own exchange does not.
  EXPECT_EQ(logical.response(), (30 + 30 + 3 + 2) * kMs);
}

TEST(Let, RunsMustEndWithinTheirPeriod)
{
  Logical logical;
  logical.model.tasks[logical.first].time = 26 * kMs;  // and 4 of the other group
  const auto found = logical.bounds();
  ASSERT_FALSE(found.chains[0].ok());
  EXPECT_NE(
    to_string(found.chains[0].faults().front()).find("not within its period of 30ms"),
    std::string::npos)
    << to_string(found.chains[0].faults().front());
  for (const auto & task : found.bounds.tasks) {
    EXPECT_FALSE(task.ok());
  }
  logical.model.tasks[logical.first].time = 26 * kMs - 1;
  EXPECT_TRUE(logical.bounds().chains[0].ok());
}

TEST(Let, InputsHaveAResponseAndNoAge)
{
  Logical logical;
  const Index camera = logical.timer(logical.thread(1, 60), 0, 10 * kMs, 1 * kMs);
  const Index store = logical.sub(0, 0, {camera}, 1 * kMs);
  logical.model.tasks[store].depth = 4;
  logical.model.tasks[store].group = logical.model.tasks[logical.first].group;
  logical.model.tasks[store].input.emplace();
  logical.model.tasks[store].input->takers = {logical.first};
  logical.model.tasks[store].input->by_release = true;
  logical.model.chains.clear();
  logical.chain({camera, store});
  const auto found = logical.bounds();
  ASSERT_TRUE(found.chains[0].ok());
  // The image, the time until the release, four images, and the runs of both timers.
  EXPECT_EQ(found.chains[0]->response, (1 + 30 + 4 + 5 + 4) * kMs);
  ASSERT_FALSE(found.chains[0]->data_age.ok());
  EXPECT_NE(
    to_string(found.chains[0]->data_age.faults().front()).find("by its timer's release (let)"),
    std::string::npos);
}

TEST(Let, AgesOfGroupsThatReadAreWholePeriods)
{
  Logical logical;
  logical.offsets(0, 0);
  const auto found = logical.bounds();
  ASSERT_TRUE(found.chains[0]->reaction_time.ok());
  EXPECT_EQ(*found.chains[0]->reaction_time, (30 + 30 + 30 + 2) * kMs);
  EXPECT_EQ(*found.chains[0]->data_age, (30 + 30 + 30 + 2) * kMs);
}

TEST(Let, RefusesWhatItDoesNotKnow)
{
  const auto refused = [](const auto & change, const std::string & words) {
    Logical logical;
    change(logical);
    EXPECT_NE(logical.refusal().find(words), std::string::npos) << logical.refusal();
  };
  refused(
    [](Logical & l) { l.model.tasks[l.second].group = l.model.tasks[l.first].group; },
    "is not its only one");
  refused(
    [](Logical & l) { l.model.tasks[l.second].threads = {1}; }, "is not on the same threads as");
  refused(
    [](Logical & l) { l.model.threads[0].order = takt_core::Order::window; },
    "has order priority or fifo");
  refused(
    [](Logical & l) {
      for (const Index task : {l.first, l.second}) {
        l.model.tasks[task].threads = {0, 1};
      }
    },
    "may run on several threads");
}

TEST(Let, AnalysesRefuseAModelWithoutBorders)
{
  const Logical logical;
  EXPECT_FALSE(end_to_end(logical.model).ok());
}

}  // namespace
}  // namespace takt_plan
