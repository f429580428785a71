// End-to-end bounds, worked out by hand: their terms, and the refusals.
#include "takt_plan/end_to_end.hpp"

#include <gtest/gtest.h>

#include "analysis/end_to_end/replaced.hpp"
#include "support/example.hpp"
#include "takt_plan/simulate.hpp"

namespace takt_plan
{
namespace
{

using test::Example;
using test::kMs;

void read(Example & example, Index reader, Index from, Ns delay = 0, Index topic = 0)
{
  example.model.tasks[reader].reads.push_back({from, delay, topic});
}

/// A sensor every 10 ms that takes 1 ms, and a control loop every 20 ms that takes 2 ms, each on
/// its own core.
struct Sampled : Example
{
  Sampled() : Example(3)
  {
    sensor = timer(thread(0, 50), 0, 10 * kMs, kMs);
    control = timer(thread(1, 50), 0, 20 * kMs, 2 * kMs);
  }
  Index sensor = 0, control = 0;
};

EndToEnd only(const Model & model)
{
  const auto found = end_to_end(model);
  EXPECT_TRUE(found.ok());
  EXPECT_EQ(found->chains.size(), 1U);
  EXPECT_TRUE(found->chains.front().ok()) << found->chains.front().faults().front();
  EXPECT_EQ(found->bounds.chains.front()->bound, found->chains.front()->response);
  return *found->chains.front();
}

std::string why_not(const Model & model)
{
  const auto found = end_to_end(model);
  EXPECT_FALSE(found->bounds.chains.front().ok());
  return found->chains.front() ? "" : to_string(found->chains.front().faults().front());
}

TEST(EndToEnd, AMessageWaitsForTheFirstReleaseOfItsReader)
{
  Sampled car;
  read(car, car.control, car.sensor, kMs / 2);
  car.chain({car.sensor, car.control});
  car.model.tasks[car.sensor].release->period = 100 * kMs;
  car.model.tasks[car.sensor].release->offset = 3 * kMs;
  car.model.tasks[car.control].release->offset = 50 * kMs;
  // The message is released at 3 ms, and read at 50 ms.
  EXPECT_EQ(only(car.model).response, (50 - 3 + 2) * kMs);
  SimulationOptions options;
  options.duration = 200 * kMs;
  const auto seen = simulate(*simulation_model(car.model), options);
  EXPECT_EQ(seen->chains.front().responses.worst.time(), (50 - 3 + 2) * kMs);
  // Its releases are on the clock of the host: one is at 10 ms, too.
  car.model.epochs.assign(3, takt_core::Epoch::host);
  EXPECT_EQ(only(car.model).response, (1 + 20 + 2) * kMs + kMs / 2);
}

TEST(EndToEnd, AReaderMayHaveJustBegunWhenTheMessageComes)
{
  Sampled car;
  read(car, car.control, car.sensor, kMs / 2);
  car.chain({car.sensor, car.control});
  const EndToEnd found = only(car.model);
  EXPECT_EQ(found.response, (1 + 20 + 2) * kMs + kMs / 2);
  // The event comes just after the sensor was read.
  EXPECT_EQ(*found.reaction_time, 10 * kMs + found.response);
  EXPECT_EQ(*found.data_age, *found.reaction_time);
  // The next message comes 10 ms later, and its run takes 2 ms.
  EXPECT_EQ(*found.age_at_output, (10 + 1 + 2) * kMs + kMs / 2);
  ASSERT_EQ(found.parts.size(), 2U);
  EXPECT_EQ(found.parts[1].tasks, std::vector<Index>{car.control});
  EXPECT_EQ(found.parts[1].under_way, kMs / 2);
  EXPECT_EQ(found.parts[1].next, 20 * kMs);
  EXPECT_EQ(found.parts[1].answer.bound, 2 * kMs);
}

TEST(EndToEnd, AReaderThatIsReleasedLateIsCountedFromItsNominalRelease)
{
  Sampled car;
  car.model.tasks[car.control].release->jitter = 3 * kMs;
  read(car, car.control, car.sensor);
  car.chain({car.sensor, car.control});
  EXPECT_EQ(only(car.model).response, (1 + 20 + 3 + 2) * kMs);
}

TEST(EndToEnd, PartsMayBeChainsAndTheirReadersStartedByOthers)
{
  Sampled car;
  const Index filter = car.sub(car.model.tasks[car.sensor].threads.front(), 0, {car.sensor}, kMs);
  const Index follow = car.sub(car.model.tasks[car.control].threads.front(), 0, {car.control}, kMs);
  const Index act = car.sub(car.thread(2, 50), 0, {follow}, kMs);
  read(car, follow, filter);
  car.chain({car.sensor, filter, follow, act});
  // The control loop starts the reader, so the release of the control loop counts.
  EXPECT_EQ(only(car.model).response, (2 + 20 + 2 + 1 + 1) * kMs);
  EXPECT_EQ(*only(car.model).age_at_output, (10 + 2 + 2 + 1 + 1) * kMs);
}

TEST(EndToEnd, TheFirstRunThatComesUsesTheMessage)
{
  Sampled car;
  const Index fast = car.timer(car.thread(2, 50), 0, 5 * kMs, kMs);
  const Index outside = car.timer(car.thread(2, 60), 0, 2 * kMs, 0);
  car.model.tasks[outside].timer = false;  // its source may be silent
  const Index fuse =
    car.sub(car.model.tasks[car.control].threads.front(), 0, {car.control, fast, outside}, kMs / 2);
  read(car, fuse, car.sensor);
  car.chain({car.sensor, fuse});
  const EndToEnd found = only(car.model);
  EXPECT_EQ(found.parts[1].next, 5 * kMs);
  EXPECT_LT(found.response, (1 + 20) * kMs);
}

TEST(EndToEnd, WithoutReadersTheResponseIsThatOfTheChain)
{
  Sampled car;
  const Index act = car.sub(car.thread(2, 50), 0, {car.sensor}, 3 * kMs, kMs);
  car.chain({car.sensor, act});
  const EndToEnd found = only(car.model);
  EXPECT_EQ(found.response, bounds(car.model)->chains.front()->bound);
  EXPECT_EQ(found.response, 5 * kMs);
  EXPECT_EQ(*found.reaction_time, 15 * kMs);
  EXPECT_EQ(*found.data_age, 15 * kMs);
  EXPECT_EQ(*found.age_at_output, 5 * kMs);
  EXPECT_FALSE(end_to_end(car.model)->bounds.chains.front()->segments.empty());
}

TEST(EndToEnd, MessagesFromOutsideAreTheEvents)
{
  Sampled car;
  car.model.tasks[car.sensor].timer = false;
  read(car, car.control, car.sensor);
  car.chain({car.sensor, car.control});
  const EndToEnd found = only(car.model);
  EXPECT_EQ(*found.reaction_time, found.response);
  ASSERT_FALSE(found.data_age.ok());
  EXPECT_EQ(
    found.data_age.faults().front(),
    "no timer starts '/c0', and of messages from outside of the model it is known only that they "
    "come at most so often: how long until the next is open");
  EXPECT_FALSE(found.age_at_output.ok());
}

TEST(EndToEnd, AReaderThatMayNeverRunIsRefused)
{
  Sampled car;
  car.model.tasks[car.control].timer = false;
  read(car, car.control, car.sensor);
  car.chain({car.sensor, car.control});
  EXPECT_EQ(
    why_not(car.model),
    "no timer starts '/c1', and of messages from outside of the model it is known only that they "
    "come at most so often: how long until the next is open");
}

TEST(EndToEnd, WhatOthersReplaceHasAResponseButNoAge)
{
  Sampled car;
  const Index other = car.timer(car.thread(2, 50), 0, 5 * kMs, kMs);
  read(car, car.control, car.sensor);
  read(car, car.control, other);
  car.chain({car.sensor, car.control});
  const EndToEnd found = only(car.model);
  EXPECT_EQ(found.response, 23 * kMs);
  ASSERT_FALSE(found.reaction_time.ok());
  EXPECT_EQ(
    found.reaction_time.faults().front(),
    "others publish what '/c1' reads of '/c0', and may always replace it before it is used");
  EXPECT_FALSE(found.data_age.ok());
  // A message on another topic does not replace the chain's message.
  car.model.tasks[car.control].reads.back().topic = 1;
  EXPECT_EQ(*only(car.model).data_age, 33 * kMs);
}

/// Two timers of one period start a callback, and a third timer reads its messages. The message for
/// the second timer always replaces the message for the first.
struct TwoWays : Example
{
  TwoWays() : Example(1)
  {
    const Index on = thread(0, 50);
    a = timer(on, 3, 15 * kMs, 0);
    b = timer(on, 3, 15 * kMs, 0);
    m = sub(on, 2, {a, b}, kMs);
    r = timer(on, 1, 15 * kMs, 0);
    model.tasks[a].release->offset = 15 * kMs;
    model.tasks[b].release->offset = 20 * kMs;
    model.tasks[r].release->offset = 25 * kMs;
    read(*this, r, m);
    chain({a, m, r});
  }
  Index a = 0, b = 0, m = 0, r = 0;
};

TEST(EndToEnd, WhatThePublisherMakesForOthersReplacesTheChainsMessage)
{
  TwoWays car;
  SimulationOptions options;
  options.duration = 1000 * kMs;
  const auto seen = simulate(*simulation_model(car.model), options);
  EXPECT_GT(seen->chains.front().released, 60U);
  EXPECT_EQ(seen->chains.front().responses.count, 0U) << "no activation ends";
  const EndToEnd found = only(car.model);
  ASSERT_FALSE(found.data_age.ok());
  EXPECT_EQ(
    found.data_age.faults().front(),
    "'/c2' is also started by '/c1', and what '/c2' then publishes may always replace the chain's "
    "message before '/c3' reads it");
  EXPECT_FALSE(found.reaction_time.ok());
  EXPECT_FALSE(found.age_at_output.ok());
  EXPECT_EQ(replaced_warnings(car.model, {0}).size(), 1U);
  car.model.tasks[car.m].triggers.pop_back();  // of b
  EXPECT_TRUE(only(car.model).data_age.ok());
  EXPECT_TRUE(replaced_warnings(car.model, {0}).empty());
}

TEST(EndToEnd, EachSetOfNewestMessagesHasAMessageOfTheChain)
{
  TwoWays car;
  car.model.tasks[car.m].newest = true;
  SimulationOptions options;
  options.duration = 1000 * kMs;
  const auto seen = simulate(*simulation_model(car.model), options);
  EXPECT_GT(seen->chains.front().responses.count, 60U) << "activations end";
  EXPECT_TRUE(replaced_warnings(car.model, {0}).empty());
  // Now another callback publishes the chain's topic, and the set may have its message each time.
  Link other = car.model.tasks[car.m].triggers.front();
  ASSERT_EQ(other.from, car.a);
  other.from = car.timer(0, 4, 15 * kMs, 0);
  car.model.tasks[car.m].triggers.push_back(other);
  EXPECT_EQ(replaced_warnings(car.model, {0}).size(), 1U);
}

TEST(EndToEnd, ThePublisherMayBeStartedByOthersAnywhereBehindTheRoot)
{
  TwoWays car;
  // The publisher itself has one source, but the callback before it has two.
  const Index last = car.sub(0, 2, {car.m}, kMs);
  car.model.tasks[car.r].reads.front().from = last;
  car.model.chains.front().path = {car.a, car.m, last, car.r};
  ASSERT_FALSE(only(car.model).data_age.ok());
  EXPECT_EQ(
    only(car.model).data_age.faults().front(),
    "'/c2' is also started by '/c1', and what '/c4' then publishes may always replace the chain's "
    "message before '/c3' reads it");
  // The callback's own timer is another way, too.
  TwoWays own;
  own.model.tasks[own.m].triggers.pop_back();
  own.model.tasks[own.m].release = Release{15 * kMs, 0, {}};
  own.model.tasks[own.m].timer = true;
  EXPECT_FALSE(only(own.model).data_age.ok());
  // If the events come from outside, runs for other callbacks carry no event.
  TwoWays events;
  events.model.tasks[events.m].release = Release{15 * kMs, 0, {}};
  events.model.chains.front().path = {events.m, events.r};
  EXPECT_FALSE(only(events.model).reaction_time.ok());
}

TEST(EndToEnd, WhoReadsMayBeStartedByAnyone)
{
  TwoWays car;
  car.model.tasks[car.m].triggers.pop_back();
  const Index again = car.sub(0, 1, {car.b}, 0);
  car.model.tasks[car.r].triggers.push_back({again, 0, 1});
  const Index end = car.timer(0, 0, 15 * kMs, 0);
  read(car, end, car.r);
  car.model.chains.front().path.push_back(end);
  EXPECT_TRUE(only(car.model).data_age.ok()) << "each of its runs reads the latest";
}

TEST(EndToEnd, ARefusedPartIsTheChainsRefusal)
{
  Sampled edf;
  edf.model.threads[edf.model.tasks[edf.control].threads.front()].order = takt_core::Order::edf;
  read(edf, edf.control, edf.sensor);
  edf.chain({edf.sensor, edf.control});
  EXPECT_NE(why_not(edf.model).find("order is edf"), std::string::npos);
  Sampled full;
  full.model.tasks[full.sensor].time = 11 * kMs;
  read(full, full.control, full.sensor);
  full.chain({full.sensor, full.control});
  EXPECT_NE(why_not(full.model).find("overloaded"), std::string::npos);
}

TEST(EndToEnd, JoinsOfOneReleaseAreCoveredAndOthersRefused)
{
  Sampled car;
  const Index left = car.sub(car.thread(2, 50), 0, {car.sensor}, kMs);
  const Index right = car.sub(car.thread(2, 40), 0, {car.sensor}, kMs);
  const Index both = car.sub(car.thread(2, 30), 0, {left, right}, kMs);
  car.model.tasks[both].all = true;
  read(car, car.control, both);
  car.chain({car.sensor, left, both, car.control});
  EXPECT_TRUE(only(car.model).data_age.ok());
  car.model.tasks[both].triggers[1].from = car.control;
  EXPECT_NE(why_not(car.model).find("nothing to do with each other"), std::string::npos);
}

TEST(EndToEnd, EachPartIsBoundByTheAnalysisOfItsThreads)
{
  Sampled car;
  car.model.threads[car.model.tasks[car.control].threads.front()].order = takt_core::Order::window;
  read(car, car.control, car.sensor);
  car.chain({car.sensor, car.control});
  const EndToEnd found = only(car.model);
  EXPECT_EQ(found.parts[0].answer.analysis, Analysis::priority);
  EXPECT_EQ(found.parts[1].answer.analysis, Analysis::window);
}

TEST(EndToEnd, APathMayComeBackToACallback)
{
  Sampled car;
  read(car, car.control, car.sensor);
  read(car, car.sensor, car.control);
  car.chain({car.sensor, car.control, car.sensor});
  EXPECT_EQ(only(car.model).response, (1 + 20 + 2 + 10 + 1) * kMs);
}

TEST(EndToEnd, WhoReadsAndIsStartedByTheSameIsTakenToBeStarted)
{
  Sampled car;
  const Index act = car.sub(car.thread(2, 50), 0, {car.sensor}, kMs);
  read(car, act, car.sensor);
  car.chain({car.sensor, act});
  EXPECT_FALSE(reads(car.model, car.model.chains.front()));
  EXPECT_EQ(only(car.model).response, 2 * kMs);
}

/// Forty readers, each with forty ways of more than eighty callbacks.
TEST(EndToEnd, TooManyWaysAreRefused)
{
  Example crowd(40);
  const Index first = crowd.timer(crowd.thread(0, 60), 0, 1000 * kMs, 1);
  std::vector<Index> path{first};
  for (Index i = 0; i < 40; ++i) {
    const Index thread = crowd.thread(i, 50);
    Index last = crowd.timer(thread, 0, 1000 * kMs, 1);
    for (int k = 0; k < 80; ++k) {
      last = crowd.sub(thread, 0, {last}, 1);
    }
    const Index reader = crowd.sub(thread, 0, {}, 1);
    for (Index k = 0; k < 40; ++k) {
      const Index way = crowd.sub(thread, 0, {last}, 1);
      crowd.model.tasks[reader].triggers.push_back({way, 0, k});
    }
    read(crowd, reader, path.back());
    path.push_back(reader);
  }
  crowd.chain(path);
  crowd.chain({first});
  const auto found = end_to_end(crowd.model);
  ASSERT_TRUE(found.ok());
  ASSERT_FALSE(found->chains[0].ok());
  EXPECT_EQ(
    found->chains[0].faults().front(),
    "there are so many ways into its path that this analysis would look at more than 100000 "
    "callbacks");
  EXPECT_TRUE(found->chains[1].ok()) << found->chains[1].faults().front();
}

TEST(EndToEnd, FaultsAreThoseOfTheModel)
{
  Sampled car;
  car.model.tasks[car.sensor].time = -1;
  EXPECT_FALSE(end_to_end(car.model).ok());
}

}  // namespace
}  // namespace takt_plan
