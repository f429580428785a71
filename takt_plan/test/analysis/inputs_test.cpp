// Bounds of small models with non-triggering callbacks and sequences, worked out by hand.
#include "analysis/inputs/inputs.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/example.hpp"
#include "takt_plan/end_to_end.hpp"
#include "takt_plan/hyperperiod.hpp"

namespace takt_plan
{
namespace
{

using test::Example;
using test::kMs;

/// A camera on its own core, and a timer of 30 ms that takes its images. The store keeps three of
/// them and needs 2 ms.
struct Stored : Example
{
  Stored() : Example(2)
  {
    camera = timer(thread(1, 50), 0, 10 * kMs, 1 * kMs);
    taker = timer(thread(0, 50), 0, 30 * kMs, 5 * kMs);
    store = sub(1, 0, {camera}, 2 * kMs);
    model.tasks[store].depth = 3;
    model.tasks[store].input.emplace();
    model.tasks[store].input->takers = {taker};
    chain({camera, store});
  }

  EndToEndBounds bounds() const
  {
    const auto analysed = with_inputs_in_takers(model);
    EXPECT_TRUE(analysed.ok()) << analysed.faults().front();
    const auto found = end_to_end(*analysed);
    EXPECT_TRUE(found.ok()) << found.faults().front();
    return *found;
  }

  std::string refusal() const
  {
    const auto analysed = with_inputs_in_takers(model);
    return analysed ? "" : to_string(analysed.faults().front());
  }

  Index camera, taker, store;
};

TEST(Inputs, ATakerTakesLongerByOneRunForEachMessageThatMayWait)
{
  Stored stored;
  EXPECT_EQ(*stored.bounds().bounds.tasks[stored.taker], 11 * kMs);
  stored.model.tasks[stored.store].input->keep = 2;
  EXPECT_EQ(*stored.bounds().bounds.tasks[stored.taker], 9 * kMs);
  stored.model.tasks[stored.store].input->keep = 5;
  EXPECT_EQ(*stored.bounds().bounds.tasks[stored.taker], 11 * kMs);
}

TEST(Inputs, MessagesThatAreLeftOutCostADispatchAndATake)
{
  Stored stored;
  stored.model.tasks[stored.store].dispatch = stored.model.tasks[stored.store].middleware = kMs;
  stored.model.tasks[stored.store].input->keep = 1;
  EXPECT_EQ(*stored.bounds().bounds.tasks[stored.taker], (5 + 2 + 3 * 2) * kMs);
}

TEST(Inputs, TheirArrivalsDelayNobody)
{
  Stored stored;
  const Index other = stored.timer(1, 5, 100 * kMs, 1 * kMs);
  // The more urgent callback waits for one run of the taker with all of its inputs.
  EXPECT_EQ(*stored.bounds().bounds.tasks[other], 12 * kMs);
  stored.model.tasks[stored.store].input.reset();
  stored.model.tasks[stored.store].priority = 9;
  EXPECT_EQ(*stored.bounds().bounds.tasks[other], (5 + 2 + 1) * kMs) << "a message that triggers";
}

TEST(Inputs, AChainThatEndsWithOneWaitsForTheTakersNextRun)
{
  const Stored stored;
  const EndToEndBounds found = stored.bounds();
  ASSERT_TRUE(found.chains[0].ok()) << found.chains[0].faults().front();
  EXPECT_EQ(found.chains[0]->response, (1 + 30 + 11) * kMs);
  EXPECT_EQ(*found.chains[0]->reaction_time, (10 + 1 + 30 + 11) * kMs);
  EXPECT_EQ(*found.chains[0]->data_age, *found.chains[0]->reaction_time);
  EXPECT_EQ(*found.chains[0]->age_at_output, *found.chains[0]->reaction_time)
    << "the output may be made of an older message";
}

TEST(Inputs, MaxAgeForbidsReactionTimeAndAges)
{
  Stored stored;
  stored.model.tasks[stored.store].input->max_age = 5 * kMs;
  const EndToEndBounds found = stored.bounds();
  EXPECT_TRUE(found.chains[0].ok());
  EXPECT_FALSE(found.chains[0]->reaction_time.ok());
  EXPECT_FALSE(found.chains[0]->data_age.ok());
  EXPECT_FALSE(found.chains[0]->age_at_output.ok());
}

TEST(Inputs, EachTakerRunsAllThatMayWait)
{
  Stored stored;
  const Index other = stored.timer(1, 5, 300 * kMs, 1 * kMs);
  stored.model.tasks[stored.store].input->takers = {stored.taker, other};
  // The more urgent one waits for the other's run: 11, and takes 6 more and 1 of its own.
  EXPECT_EQ(*stored.bounds().bounds.tasks[other], (11 + 7) * kMs);
}

TEST(Inputs, ARunThatOnlyKeepsAMessageOfASetTakesThemToo)
{
  Example set(1);
  const Index thread = set.thread(0, 50);
  const Index a = set.timer(thread, 9, 100 * kMs, 1 * kMs);
  const Index b = set.timer(thread, 8, 100 * kMs, 1 * kMs);
  const Index both = set.sub(thread, 1, {a, b}, 4 * kMs);
  set.model.tasks[both].newest = true;
  set.model.tasks[both].store = kMs;
  const Index store = set.sub(thread, 0, {a}, 2 * kMs);
  set.model.tasks[store].depth = 1;
  set.model.tasks[store].input.emplace();
  set.model.tasks[store].input->takers = {both};
  const auto analysed = with_inputs_in_takers(set.model);
  ASSERT_TRUE(analysed.ok());
  EXPECT_EQ(analysed->tasks[both].cost(), 6 * kMs);
  EXPECT_EQ(analysed->tasks[both].store, 3 * kMs);
}

TEST(Inputs, AnalysesRefuseAModelWhoseTakersLackTheirWork)
{
  const Stored stored;
  EXPECT_FALSE(bounds(stored.model).ok());
  EXPECT_FALSE(end_to_end(stored.model).ok());
  EXPECT_FALSE(hyperperiod(stored.model).ok());
}

TEST(Inputs, WhatIsNotKnownIsRefusedInASentence)
{
  const auto expect = [](const Stored & stored, const std::string & what) {
    EXPECT_NE(stored.refusal().find(what), std::string::npos) << stored.refusal();
  };
  Stored nobody;
  nobody.model.tasks[nobody.store].input->takers.clear();
  expect(nobody, "no callback takes its messages");
  Stored threads;
  const Index elsewhere = threads.timer(threads.thread(0, 40), 0, 30 * kMs, kMs);
  threads.model.tasks[threads.store].input->takers = {threads.taker, elsewhere};
  expect(threads, "its takers may run on several threads");
  Stored endless;
  endless.model.tasks[endless.store].depth = 0;
  expect(endless, "its history keeps all messages");
  Stored heard;
  heard.sub(1, 0, {heard.store}, kMs);
  expect(heard, "'/c2' does not trigger and publishes what '/c3' hears");
  Stored first;
  first.model.tasks[first.store].release = Release{10 * kMs, 0, {}};
  first.chain({first.store});
  expect(first, "chain 'chain1' begins with it");
  Stored sleeps;
  sleeps.model.tasks[sleeps.store].sleep = kMs;
  expect(sleeps, "waits within its runs");
}

// A callback of the sequence is more urgent and starts before the other one, and its follower, as
// urgent as the other one, is ready later and follows by direct call. Without the sequence it runs
// after the other one.
TEST(Sequences, JobWindowsCountCallbacksThatOvertakeOthersAsUrgent)
{
  Example model(1);
  const Index thread = model.thread(0, 50);
  const Index busy = model.timer(thread, 3, 100 * kMs, 10 * kMs);
  const Index other = model.timer(thread, 3, 100 * kMs, 5 * kMs);
  const Index first = model.timer(thread, 9, 100 * kMs, 10 * kMs);
  const Index follower = model.sub(thread, 3, {first}, 20 * kMs);
  model.model.tasks[busy].release->offset = 0;
  model.model.tasks[other].release->offset = kMs;
  model.model.tasks[first].release->offset = 2 * kMs;
  EXPECT_EQ(*bounds(model.model)->tasks[other], (10 - 1 + 10 + 5) * kMs);
  for (const Index task : {first, follower}) {
    model.model.tasks[task].sequence = 0;
    model.model.tasks[task].position = task == first ? 0 : 1;
  }
  EXPECT_EQ(*bounds(model.model)->tasks[other], (10 - 1 + 10 + 20 + 5) * kMs);
}

TEST(Sequences, ACallbackThatPrecedesAMoreUrgentOneIsRefused)
{
  Example model(1);
  const Index thread = model.thread(0, 50);
  const Index first = model.timer(thread, 3, 100 * kMs, 10 * kMs);
  const Index low = model.sub(thread, 2, {first}, 20 * kMs);
  const Index high = model.sub(thread, 9, {first}, 20 * kMs);
  for (const Index task : {first, low, high}) {
    model.model.tasks[task].sequence = 0;
    model.model.tasks[task].position = static_cast<std::uint32_t>(task);
  }
  const auto refused = bounds(model.model);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(
    to_string(refused.faults().front())
      .find("'/c1' precedes '/c2' in a sequence and is less urgent (priority 2, 9)"),
    std::string::npos)
    << refused.faults().front();
  model.model.tasks[high].priority = 2;
  EXPECT_TRUE(bounds(model.model).ok());
}

// The callbacks of one place may all be ready when the next place's is.
TEST(Sequences, EachCallbackOfAPlaceCounts)
{
  Example model(1);
  const Index thread = model.thread(0, 50);
  const Index first = model.timer(thread, 9, 100 * kMs, 10 * kMs);
  const Index one = model.sub(thread, 9, {first}, 20 * kMs);
  const Index other = model.sub(thread, 2, {first}, 20 * kMs);
  const Index last = model.sub(thread, 5, {first}, 20 * kMs);
  std::uint32_t position = 0;
  for (const Index task : {first, one, last}) {
    model.model.tasks[task].sequence = 0;
    model.model.tasks[task].position = position++;
  }
  EXPECT_TRUE(bounds(model.model).ok());
  model.model.tasks[other].sequence = 0;
  model.model.tasks[other].position = 1;
  const auto refused = bounds(model.model);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(
    to_string(refused.faults().front())
      .find("'/c2' precedes '/c3' in a sequence and is less urgent (priority 2, 5)"),
    std::string::npos)
    << to_string(refused.faults().front());
}

TEST(Sequences, ThreadsThatShareTheirCallbacksHaveNoBound)
{
  Example model(2);
  const Index a = model.thread(0, 50), b = model.thread(1, 50);
  const Index first = model.timer(a, 3, 100 * kMs, 10 * kMs);
  const Index follower = model.sub(a, 3, {first}, 20 * kMs);
  for (const Index task : {first, follower}) {
    model.model.tasks[task].threads = {a, b};
  }
  EXPECT_TRUE(bounds(model.model)->tasks[follower].ok());
  model.model.tasks[first].sequence = model.model.tasks[follower].sequence = 0;
  const auto found = bounds(model.model);
  ASSERT_FALSE(found->tasks[follower].ok());
  EXPECT_NE(
    to_string(found->tasks[follower].faults().front()).find("is in a sequence there"),
    std::string::npos)
    << found->tasks[follower].faults().front();
}

}  // namespace
}  // namespace takt_plan
