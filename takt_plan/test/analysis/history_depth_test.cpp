// Depths of histories, worked out by hand.
#include "analysis/end_to_end/history_depth.hpp"

#include <gtest/gtest.h>

#include "support/example.hpp"

namespace takt_plan
{
namespace
{

using test::Example;
using test::kMs;

std::vector<HistoryDepth> depths(const Model & model)
{
  const auto found = history_depths(model);
  EXPECT_TRUE(found.ok());
  return *found;
}

TEST(HistoryDepth, OneIsEnoughForWhatIsTakenInTime)
{
  Example car(1);
  const Index thread = car.thread(0, 50);
  const Index sensor = car.timer(thread, 1, 10 * kMs, kMs);
  const Index filter = car.sub(thread, 0, {sensor}, kMs);
  const auto found = depths(car.model);
  ASSERT_EQ(found.size(), 1U) << "timers have no history";
  EXPECT_EQ(found.front().task, filter);
  EXPECT_EQ(found.front().topic, 0U);
  EXPECT_EQ(*found.front().needed, 1);
}

TEST(HistoryDepth, WhatWaitsForALongCallbackPilesUp)
{
  Example car(1);
  const Index thread = car.thread(0, 50);
  const Index sensor = car.timer(car.thread(0, 60), 0, 10 * kMs, kMs);
  car.sub(thread, 1, {sensor}, kMs);
  car.timer(thread, 0, 200 * kMs, 26 * kMs);
  // The log has begun when the sensor is due. It takes 26 ms, and the sensor preempts it three
  // times. The first message waits until 29 ms after its release, and the messages of 10 and 20 ms
  // wait with it.
  EXPECT_EQ(*depths(car.model).front().needed, 3);
}

TEST(HistoryDepth, EachPublisherOfATopicCounts)
{
  Example car(1);
  const Index thread = car.thread(0, 50);
  const Index one = car.timer(car.thread(0, 60), 0, 100 * kMs, kMs);
  const Index two = car.timer(car.thread(0, 61), 0, 100 * kMs, kMs);
  const Index filter = car.sub(thread, 0, {one, two}, kMs);
  auto found = depths(car.model);
  ASSERT_EQ(found.size(), 2U) << "two topics";
  EXPECT_EQ(*found[0].needed, 1);
  EXPECT_EQ(*found[1].needed, 1);
  car.model.tasks[filter].triggers[1].topic = 0;
  found = depths(car.model);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(*found[0].needed, 2);
}

TEST(HistoryDepth, MessagesFromOutsideAreATopicOfTheirOwn)
{
  Example car(1);
  const Index thread = car.thread(0, 50);
  const Index driver = car.timer(thread, 0, 10 * kMs, kMs);
  car.model.tasks[driver].timer = false;
  car.model.tasks[driver].release->jitter = 25 * kMs;
  const auto found = depths(car.model);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().topic, kNone);
  // Three messages may come at once, none of them later than 27 ms after its time.
  EXPECT_EQ(*found.front().needed, 3);
}

TEST(HistoryDepth, JoinsOfOneReleaseCountTheirWaitForEachOther)
{
  Example car(2);
  const Index sensor = car.timer(car.thread(0, 60), 0, 10 * kMs, kMs);
  const Index slow = car.sub(car.thread(1, 50), 0, {sensor}, kMs, 15 * kMs);
  const Index both = car.sub(car.thread(0, 40), 0, {sensor, slow}, kMs);
  car.model.tasks[both].all = true;
  const auto found = depths(car.model);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(*found[1].needed, 2);
  EXPECT_EQ(*found[2].needed, 2);
}

/// The needed depth of the fast topic of a set. A thread above the node's thread is busy from 0 to
/// 11 ms. The fast topic comes at 0 and 10 ms, the slow one at `slow_at`, once in 20 ms.
Ns needed_of_the_fast_one(Ns slow_at)
{
  Example car(1);
  const Index busy = car.timer(car.thread(0, 60), 0, 20 * kMs, 11 * kMs);
  const Index fast = car.timer(car.thread(0, 71), 0, 10 * kMs, kMs / 10);
  const Index slow = car.timer(car.thread(0, 72), 0, 20 * kMs, kMs / 10);
  const Index fused = car.sub(car.thread(0, 40), 0, {fast, slow}, kMs);
  car.model.tasks[busy].release->offset = car.model.tasks[fast].release->offset = 0;
  car.model.tasks[slow].release->offset = slow_at;
  car.model.tasks[fused].newest = true;
  car.model.tasks[fused].store = kMs / 100;
  for (const HistoryDepth & depth : depths(car.model)) {
    if (depth.task == fused && depth.topic == car.model.tasks[fused].triggers[0].topic) {
      return *depth.needed;
    }
  }
  return -1;
}

TEST(HistoryDepth, AMessageThatNoSetHasMayBeOverwritten)
{
  EXPECT_EQ(needed_of_the_fast_one(14 * kMs), 1) << "the newer one would replace it in the set";
  EXPECT_EQ(needed_of_the_fast_one(5 * kMs), 2) << "the older one is part of a set";
}

TEST(HistoryDepth, OfASetThatIsNeverCompleteEachMessageCounts)
{
  Example car(2);
  const Index fast = car.timer(car.thread(0, 71), 0, 10 * kMs, kMs / 10);
  const Index slow = car.timer(car.thread(1, 72), 0, 20 * kMs, 21 * kMs);
  const Index fused = car.sub(car.thread(0, 40), 0, {fast, slow}, kMs);
  car.model.tasks[fast].release->offset = car.model.tasks[slow].release->offset = 0;
  car.model.tasks[fused].newest = true;
  for (const HistoryDepth & depth : depths(car.model)) {
    EXPECT_FALSE(depth.task == fused && depth.needed.ok());
  }
}

TEST(HistoryDepth, NoDepthIsEnoughForUnrelatedSources)
{
  Example car(1);
  const Index one = car.timer(car.thread(0, 60), 0, 100 * kMs, kMs);
  const Index two = car.timer(car.thread(0, 61), 0, 10 * kMs, kMs);
  const Index both = car.sub(car.thread(0, 40), 0, {one, two}, kMs);
  car.model.tasks[both].all = true;
  for (const HistoryDepth & depth : depths(car.model)) {
    ASSERT_FALSE(depth.needed.ok());
    EXPECT_EQ(
      depth.needed.faults().front(),
      "'/c2' waits for one message of each of its topics, whose sources have nothing to do with "
      "each other: the topic with the shorter period fills its history, so no depth is enough");
  }
}

TEST(HistoryDepth, WithoutABoundThereIsNone)
{
  Example car(1);
  const Index thread = car.thread(0, 50);
  const Index sensor = car.timer(thread, 1, 10 * kMs, 6 * kMs);
  car.sub(thread, 0, {sensor}, 6 * kMs);
  const auto found = depths(car.model);
  ASSERT_FALSE(found.front().needed.ok());
  EXPECT_NE(to_string(found.front().needed.faults().front()).find("overloaded"), std::string::npos);
}

TEST(HistoryDepth, FaultsAreThoseOfTheModel)
{
  Example car(1);
  car.timer(car.thread(0, 50), 0, 0, kMs);
  EXPECT_FALSE(history_depths(car.model).ok());
}

}  // namespace
}  // namespace takt_plan
