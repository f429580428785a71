// Bounds of small models with logical execution time, worked out by hand. They are what the
// simulator sees.
#include "analysis/inputs/let.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/end_to_end/history_depth.hpp"
#include "analysis/inputs/conditions.hpp"
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

/// Two groups with logical execution time on one thread. The second one reads messages of the first
/// one, and a callback on another core hears the second one.
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

  Ns response() const { return response_of(bounds()); }

  static Ns response_of(const EndToEndBounds & found)
  {
    EXPECT_TRUE(found.chains[0].ok()) << to_string(found.chains[0].faults().front());
    return found.chains[0] ? found.chains[0]->response : -1;
  }

  /// An input of the second group with these publishers. The only chain goes from the first group
  /// to it.
  Index input_of_second(std::initializer_list<Index> publishers)
  {
    const Index input = sub(0, 0, publishers, kMs);
    Task & task = model.tasks[input];
    for (Link & link : task.triggers) {
      link.topic = 0;
    }
    task.depth = 4;
    task.group = model.tasks[second].group;
    task.input.emplace();
    task.input->takers = {second};
    task.input->by_release = true;
    model.tasks[second].reads.clear();
    model.chains.clear();
    chain({first, input});
    return input;
  }

  /// A timer without logical execution time, and the phase of it.
  Index plain(Index thread, Ns period, Ns offset, Ns time)
  {
    const Index task = timer(thread, 0, period, time);
    model.tasks[task].release->offset = offset;
    return task;
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
  // Only the last callback waits for a border task that found its thread busy. The groups' own
  // exchange does not.
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

// Both borders of 30 ms find a run on their thread until 32 ms. A message of another publisher that
// arrives at 31 ms is in front of the message of the border then, and belongs to the period after
// it.
TEST(Let, WhatOthersPublishKeepsAnInputFromMeetingItsMessageAtTheBorder)
{
  for (const bool elsewhere : {false, true}) {
    Logical logical;
    logical.offsets(0, 0);
    logical.plain(0, 30 * kMs, 29 * kMs, 3 * kMs);
    const Index thread = logical.thread(1, 60);
    if (elsewhere) {
      logical.model.executors.emplace_back("other");
      logical.model.threads[thread].executor = 1;
    }
    const Index other = logical.plain(thread, 30 * kMs, 30 * kMs, kMs);
    logical.model.tasks[other].executor = logical.model.threads[thread].executor;
    logical.input_of_second({logical.first, other});
    const Ns simulated = logical.simulated();
    EXPECT_GT(simulated, 60 * kMs);
    EXPECT_GE(logical.response(), simulated);
  }
}

TEST(Let, AnInputOfGroupsOfOneExecutorMeetsItsMessageAtTheBorder)
{
  Logical logical;
  logical.offsets(0, 0);
  const Index third = logical.logical(0, 30 * kMs, kMs);
  logical.model.tasks[third].release->offset = 0;
  logical.input_of_second({logical.first, third});
  // Up to eight messages would fit into the history, but four.
  EXPECT_EQ(logical.response(), (30 + 5 + 4 + 1 + 4) * kMs);
  EXPECT_LE(logical.simulated(), logical.response());
}

TEST(Let, AnInputWithMessagesFromOutsideWaitsForTheNextRelease)
{
  Logical logical;
  logical.offsets(0, 0);
  const Index input = logical.input_of_second({logical.first});
  const Ns before = logical.response();
  logical.model.tasks[input].release = Release{50 * kMs, 0, {}};
  EXPECT_GE(logical.response(), before + 30 * kMs);
}

TEST(Let, AllTakersMustMeetTheMessageAtTheBorder)
{
  for (const bool logical_taker : {false, true}) {
    for (const bool offset : {false, true}) {
      Logical logical;
      logical.offsets(0, 0);
      const Index taker =
        logical_taker ? logical.logical(0, 50 * kMs, kMs) : logical.timer(0, 0, 50 * kMs, kMs);
      if (offset) {
        logical.model.tasks[taker].release->offset = 0;
      }
      const Index input = logical.input_of_second({logical.first});
      logical.model.tasks[input].input->takers.push_back(taker);
      const auto found = logical.bounds();
      ASSERT_TRUE(found.chains[0].ok());
      EXPECT_EQ(found.chains[0]->parts[1].border.has_value(), logical_taker);
      EXPECT_GE(found.chains[0]->response, logical.simulated());
    }
  }
}

TEST(Let, AHistoryHoldsTheMessagesOfAPeriodAndOfTheDelay)
{
  Logical logical;
  const Index camera = logical.timer(logical.thread(1, 60), 0, 10 * kMs, kMs);
  const Index input = logical.input_of_second({camera});
  logical.model.chains.clear();
  const auto needed = [&]() -> Ns {
    const auto analysed = with_inputs_in_takers(logical.model);
    const auto depths = history_depths(*analysed);
    for (const HistoryDepth & depth : *depths) {
      if (depth.task == input) {
        return depth.needed ? *depth.needed : -1;
      }
    }
    return -1;
  };
  // In the 30 ms of a period, the 13 ms until the run of a release has ended at the latest, and the
  // 1 ms by which images may be late.
  EXPECT_EQ(needed(), 44 / 10 + 1);
  // The newest one that had come by the release, and those of 13 ms.
  logical.model.tasks[input].input->keep = 1;
  EXPECT_EQ(needed(), 1 + (5 + 4 + 1 + 1) / 10 + 1);
}

TEST(Let, AHistoryThatATimerReadsHoldsTheMessagesUntilItHasRead)
{
  Logical logical;
  const Index camera = logical.timer(logical.thread(1, 60), 0, 10 * kMs, kMs);
  logical.model.tasks[logical.second].reads = {{camera, 0, 0}};
  const Index other = logical.timer(logical.thread(1, 50), 0, 30 * kMs, kMs);
  logical.model.tasks[other].reads = {{camera, 0, 0}};
  logical.model.chains.clear();
  const auto analysed = with_inputs_in_takers(logical.model);
  ASSERT_TRUE(analysed.ok());
  const auto depths = history_depths(*analysed);
  ASSERT_TRUE(depths.ok());
  std::vector<Ns> of_second;
  for (const HistoryDepth & depth : *depths) {
    EXPECT_NE(depth.task, other) << "it uses the newest message";
    EXPECT_NE(depth.task, logical.first) << "it reads nothing";
    if (depth.task == logical.second) {
      EXPECT_EQ(depth.topic, 0U);
      ASSERT_TRUE(depth.needed.ok());
      of_second.push_back(*depth.needed);
    }
  }
  // The newest one that had come by the release, and those of the 9 ms until the timer's run has
  // ended at the latest and of the 1 ms by which images may be late.
  EXPECT_EQ(of_second, std::vector<Ns>{1 + (5 + 4 + 1) / 10 + 1});
}

/// Messages of a group with logical execution time and of another timer, on cores of their own, for
/// callbacks on a third one.
struct FirstBorder : Logical
{
  FirstBorder()
  {
    model = Example(3).model;
    let = logical(thread(0, 50), 20 * kMs, kMs);
    other = plain(thread(1, 50), 100 * kMs, 0, kMs);
    own = thread(2, 50);
  }

  void condition()
  {
    Group group{"/joined", true};
    group.condition.emplace();
    group.condition->count = 0;
    for (const Index from : {let, other}) {
      group.inputs.push_back(sub(own, 0, {from}, kMs));
      model.tasks[group.inputs.back()].group = model.groups.size();
    }
    chain({other, group.inputs.back()});
    model.groups.push_back(group);
  }

  void set()
  {
    const Index task = sub(own, 0, {let, other}, kMs);
    model.tasks[task].newest = true;
    chain({other, task});
  }

  Ns bound() const
  {
    auto analysed = with_inputs_in_takers(model);
    EXPECT_TRUE(analysed.ok());
    analysed = with_conditions(std::move(*analysed));
    EXPECT_TRUE(analysed.ok()) << to_string(analysed.faults().front());
    const auto found = end_to_end(*analysed);
    EXPECT_TRUE(found.ok());
    return response_of(*found);
  }

  Index let, other, own;
};

// The timer's first release is at 20 ms, and its first border at 40 ms.
TEST(Let, AConditionWaitsForTheFirstBorder)
{
  FirstBorder model;
  model.condition();
  const Ns without_offset = model.bound();
  EXPECT_GE(model.simulated(), 40 * kMs);
  EXPECT_GE(without_offset, model.simulated());
  model.model.tasks[model.let].release->offset = 15 * kMs;
  EXPECT_GE(model.simulated(), 35 * kMs);
  EXPECT_GE(model.bound(), model.simulated());
  EXPECT_LT(model.bound(), without_offset);
  model.model.epochs = {takt_core::Epoch::host};
  EXPECT_GE(model.bound(), 41 * kMs);
}

TEST(Let, ASetWaitsForTheFirstBorder)
{
  FirstBorder model;
  model.set();
  EXPECT_GE(model.simulated(), 40 * kMs);
  EXPECT_GE(model.bound(), model.simulated());
  model.model.tasks[model.let].release->offset = 15 * kMs;
  EXPECT_GE(model.simulated(), 35 * kMs);
  EXPECT_GE(model.bound(), model.simulated());
}

// Both are released at once on the host's clock. If the process starts just before, the plain
// timer's first message comes a period earlier than the first border, and the later messages stay
// in this order.
TEST(Let, OnTheHostsClockABorderIsNotTogetherWithATimer)
{
  FirstBorder model;
  model.set();
  model.model.tasks[model.let].release = Release{100 * kMs, 0, 0};
  model.model.tasks[model.other].release->offset = 100 * kMs;
  model.model.epochs = {takt_core::Epoch::host};
  EXPECT_GE(model.bound(), 99 * kMs);
}

TEST(Let, AReaderThatABorderStartsWaitsForTheFirstBorder)
{
  FirstBorder model;
  model.model.tasks[model.let].release = Release{100 * kMs, 0, 50 * kMs};
  const Index reader = model.sub(model.own, 0, {model.let}, kMs);
  model.model.tasks[reader].reads = {{model.other, 0, 0}};
  model.model.tasks[model.other].release->period = 1000 * kMs;
  model.chain({model.other, reader});
  // The message of 1 ms is read at 151 ms.
  EXPECT_GE(model.simulated(), 150 * kMs);
  EXPECT_GE(model.bound(), model.simulated());
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
