// States of callbacks, parked callbacks, waits for a core, and stalls of the host, as viewers show
// them.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "support/timeline_fixture.hpp"

namespace takt_trace::test
{
namespace
{

TEST_P(Timeline, MessagesThatAHistoryLostAreInstantsOnTheThreadOfTheNextRun)
{
  const SeenTrace seen = see({process_of(
    {{callback_state(20, 1, 0, 0, 10), run_start(20, 1), run_end(30, 1, 20),
      callback_state(60, 1, 0, 0, 14), callback_state(70, 1, 5, 0, 14)},
     {callback_state(50, 1, 0, 0, 13), callback_state(55, 2, 0, 0, 100)}})});
  const auto first = seen.track("worker0").instants;
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].name, "1 message overwritten");
  EXPECT_EQ(first[0].time, 60U);
  EXPECT_EQ(first[0].category, "message");
  EXPECT_EQ(first[0].facts, (Facts{{"callback", kFilter}}));
  const auto second = seen.track("worker1").instants;
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].name, "3 messages overwritten") << "since the state on the other thread";
  EXPECT_EQ(second[0].time, 50U);
}

TEST_P(Timeline, StatesOfACallbackAreCounters)
{
  const SeenTrace seen = see({process_of(
    {{callback_state(20, 1, 0, 90, 0), callback_state(40, 1, 3, 90, 0),
      callback_state(60, 1, 3, 120, 2)},
     {callback_state(50, 1, 4, 90, 0), callback_state(50, 9, 1, 0, 0)}})});
  EXPECT_EQ(
    seen.track("waiting " + kFilter).samples,
    (Samples{{20, 0.0}, {40, 3.0}, {50, 4.0}, {60, 3.0}}));
  EXPECT_EQ(
    seen.track("priority " + kFilter).samples,
    (Samples{{20, 90.0}, {40, 90.0}, {50, 90.0}, {60, 120.0}}));
  EXPECT_EQ(
    seen.track("overwritten " + kFilter).samples,
    (Samples{{20, 0.0}, {40, 0.0}, {50, 0.0}, {60, 2.0}}));
  EXPECT_EQ(seen.track("waiting callback 9").samples, (Samples{{50, 1.0}}));
}

TEST_P(Timeline, ValuesThatAreAlwaysZeroAndPrioritiesThatStayHaveNoCounter)
{
  const SeenTrace seen = see({process_of(
    {{callback_state(20, 1, 0, 90, 0), callback_state(21, 2, 0, 70, 4),
      callback_state(40, 1, 0, 90, 0)}})});
  std::vector<std::string> names;
  for (const SeenTrack & track : seen.tracks) {
    names.push_back(track.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"worker0", "overwritten " + kBrake}));
}

TEST_P(Timeline, NoStateDoesHarm)
{
  using Limits = std::numeric_limits<std::int64_t>;
  const SeenTrace seen = see({process_of(
    {{callback_state(1, 9, -5, Limits::min(), Limits::min()),
      callback_state(2, 9, Limits::max(), Limits::max(), Limits::max()),
      callback_state(3, 9, 0, 0, 0)}})});
  EXPECT_EQ(seen.track("worker0").instants.size(), 1U);
  EXPECT_EQ(seen.track("overwritten callback 9").samples.size(), 3U);
}

TEST_P(Timeline, TheWaitsOfRunsForACoreAreACounterOfTheirThread)
{
  ProcessTrace process = process_of(
    {{run_start(10, 0), kernel_wait(20, 0, 1'500, 2'000), run_end(20, 0, 10), run_start(30, 0),
      kernel_wait(40, 0, -1, 500), run_end(40, 0, 30)},
     {run_start(10, 1), run_end(20, 1, 10)}});
  const SeenTrace seen = see({process});
  EXPECT_EQ(seen.track("core wait of worker0 (100)").samples, (Samples{{20, 3.5}, {40, 0.5}}));
  EXPECT_TRUE(seen.named("core wait of worker1 (101)").empty());
}

TEST_P(Timeline, AParkedCallbackIsAnInstant)
{
  const auto instants =
    see({process_of({{of_callback(7, RecordKind::parked, 2)}})}).track("worker0").instants;
  ASSERT_EQ(instants.size(), 1U);
  EXPECT_EQ(instants[0].name, "parked: group busy");
  EXPECT_EQ(instants[0].time, 7U);
  EXPECT_EQ(instants[0].facts, (Facts{{"callback", kBrake}}));
}

TEST_P(Timeline, StallsOfTheHostHaveATrackAndTheirThreadsHaveNone)
{
  const SeenTrace seen = see({process_of(
    {{run_start(10, 0), run_end(60, 0, 10)},
     {host_stall(0, 5, 20), host_stall(0, 40, 50, true), host_stall(0, 70, 65)},
     {host_stall(1, 15, 30)}})});
  EXPECT_TRUE(seen.named("worker1").empty());
  EXPECT_TRUE(seen.named("worker2").empty());
  const auto lanes = seen.named("host");
  ASSERT_EQ(lanes.size(), 2U);
  EXPECT_EQ(
    lanes[0].slices,
    (Slices{
      {"host took core 0", 5, 20}, {"kernel throttled real-time threads of core 0", 40, 50}}));
  EXPECT_EQ(lanes[0].slices[0].category, "host");
  EXPECT_EQ(lanes[1].slices, (Slices{{"host took core 1", 15, 30}}));
}

TEST_P(Timeline, AThreadThatAlsoRecordsOtherThingsStays)
{
  const SeenTrace seen = see({process_of({{host_stall(0, 5, 20), instant(30, 0)}})});
  EXPECT_EQ(seen.track("worker0").instants.size(), 1U);
  EXPECT_EQ(seen.track("host").slices.size(), 1U);
}

}  // namespace
}  // namespace takt_trace::test
