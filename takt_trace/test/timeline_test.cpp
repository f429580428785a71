// Content that viewers show besides runs and spans: chains, messages, instants, counters, several
// processes.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/timeline_fixture.hpp"

namespace takt_trace::test
{
namespace
{

TEST_P(Timeline, NoProcessesAreAnEmptyTrace)
{
  EXPECT_TRUE(see({}).tracks.empty());
  EXPECT_EQ(see({process_of({})}).tracks.size(), 0U);
  EXPECT_EQ(see({process_of({{}})}).tracks.size(), 1U);
}

// ---- slices told afterwards ----

TEST_P(Timeline, SlicesThatWereToldAfterwardsAreOnAsManyLanesAsOverlapsNeed)
{
  const SeenTrace seen = see({process_of(
    {{run_start(10, 0), slice(50, 0, 0, 20), slice(50, 1, 15, 30), slice(50, 0, 20, 25),
      slice(51, 0, 30, 40), slice(52, 0, 40, 39), run_end(60, 0, 10)},
     {slice(50, 1, 0, 100)}})});
  EXPECT_EQ(seen.track("worker0").slices, (Slices{{kLidar, 10, 60}}));
  const auto lanes = seen.named("slices");
  ASSERT_EQ(lanes.size(), 3U);
  EXPECT_EQ(lanes[0].slices, (Slices{{"load", 0, 20}, {"load", 20, 25}, {"load", 30, 40}}));
  EXPECT_EQ(lanes[1].slices, (Slices{{"sort", 15, 30}}));
  EXPECT_EQ(lanes[2].slices, (Slices{{"sort", 0, 100}}));
}

// ---- chains ----

TEST_P(Timeline, AnActivationIsFromItsReleaseToTheEndOfTheRunThatEndsNext)
{
  const SeenTrace seen = see({process_of(
    {{run_start(2'000'000, 2), chain_end(3'500'000, 0, 1'000'000), run_end(4'000'000, 2, 2'000'000),
      run_start(5'000'000, 2), run_end(6'000'000, 2, 5'000'000)},
     {chain_end(20'000'000, 0, 9'000'000), instant(30'000'000, 0)}})});
  const SeenTrack chain = seen.track("chain see");
  EXPECT_EQ(chain.slices, (Slices{{"see", 1'000'000, 4'000'000}}));
  EXPECT_EQ(chain.slices.at(0).category, "chain");
  EXPECT_EQ(seen.track("response time of see").samples, (Samples{{4'000'000, 3.0}}));
}

TEST_P(Timeline, ActivationsThatOverlapAreOnFurtherLanes)
{
  const SeenTrace seen = see({process_of(
    {{chain_end(10, 0, 1), run_end(10, 2, 9), chain_end(20, 0, 5), run_end(20, 2, 19),
      chain_end(30, 0, 10), run_end(30, 2, 29)}})});
  const auto lanes = seen.named("chain see");
  ASSERT_EQ(lanes.size(), 2U);
  EXPECT_EQ(lanes[0].slices, (Slices{{"see", 1, 10}, {"see", 10, 30}}));
  EXPECT_EQ(lanes[1].slices, (Slices{{"see", 5, 20}}));
}

TEST_P(Timeline, AMissedDeadlineIsAnInstantWhereItPassed)
{
  constexpr std::int64_t ms = 1'000'000;
  const SeenTrace seen = see({process_of(
    {{chain_end(15 * ms, 1, 5 * ms), run_end(15 * ms, 2, 1), chain_end(30 * ms + 1, 1, 20 * ms),
      run_end(30 * ms + 1, 2, 1)}})});
  const SeenTrack chain = seen.track("chain brake");
  ASSERT_EQ(chain.slices.size(), 2U);
  EXPECT_EQ(chain.slices[0].facts, Facts{});
  EXPECT_EQ(chain.slices[1].facts, (Facts{{"deadline_missed", "true"}}));
  ASSERT_EQ(chain.instants.size(), 1U);
  EXPECT_EQ(chain.instants[0].name, "deadline missed");
  EXPECT_EQ(chain.instants[0].time, 30U * ms);
}

TEST_P(Timeline, AChainWithoutADeadlineMissesNone)
{
  const SeenTrace seen =
    see({process_of({{chain_end(900'000'000, 0, 1), run_end(900'000'000, 2, 1)}})});
  EXPECT_TRUE(seen.track("chain see").instants.empty());
}

TEST_P(Timeline, ResponseTimesOfSeveralThreadsAreInTheOrderOfTime)
{
  const SeenTrace seen = see({process_of(
    {{chain_end(9, 0, 1), run_end(2'000'001, 2, 1)},
     {chain_end(9, 0, 1), run_end(1'000'001, 2, 1)}})});
  EXPECT_EQ(
    seen.track("response time of see").samples, (Samples{{1'000'001, 1.0}, {2'000'001, 2.0}}));
}

TEST_P(Timeline, ActivationsThatEndBeforeTheirReleaseAreLeftOut)
{
  EXPECT_TRUE(
    see({process_of({{chain_end(9, 0, 20), run_end(10, 2, 1)}})}).named("chain see").empty());
}

TEST_P(Timeline, WhereRecordsWereDroppedAnActivationDoesNotEndWithAnotherRun)
{
  ProcessTrace process =
    process_of({{run_start(1, 2), chain_end(5, 0, 1), run_start(20, 1), run_end(30, 1, 20)}});
  process.threads[0].dropped = 1;
  EXPECT_TRUE(see({process}).named("chain see").empty());
}

// ---- arrows ----

TEST_P(Timeline, AnArrowLeadsFromThePublishToTheRunThatTookTheMessage)
{
  const ProcessTrace lidar =
    process_of({{run_start(10, 0), publish(12, 0, {7, 1}), run_end(15, 0, 10)}});
  ProcessTrace filter = process_of(
    {{take(19, 1, {7, 1}), run_start(20, 1), run_end(25, 1, 20)},
     {take(29, 3, {7, 1}), run_start(30, 3), run_end(35, 3, 30)}});
  filter.pid = 200;
  for (TracedThread & thread : filter.threads) {
    thread.name += " of filter";
    thread.tid += 100;
  }
  const SeenTrace seen = see({lidar, filter});
  const auto published = seen.track("worker0").instants;
  ASSERT_EQ(published.size(), 1U);
  EXPECT_EQ(published[0].name, "publish /points");
  EXPECT_EQ(published[0].category, "message");
  EXPECT_EQ(published[0].time, 12U);
  ASSERT_EQ(published[0].arrows.size(), 2U);
  EXPECT_EQ(seen.track("worker0 of filter").slices.at(0).arrows.at(0), published[0].arrows[0]);
  EXPECT_EQ(seen.track("worker1 of filter").slices.at(0).arrows.at(0), published[0].arrows[1]);
}

TEST_P(Timeline, ARunThatTookSeveralMessagesEndsSeveralArrows)
{
  const SeenTrace seen = see({process_of(
    {{publish(1, 0, {7, 1}), publish(2, 0, {7, 2})},
     {take(8, 1, {7, 1}), take(9, 1, {7, 2}), run_start(10, 1), run_end(11, 1, 10)}})});
  EXPECT_EQ(seen.track("worker1").slices.at(0).arrows.size(), 2U);
}

TEST_P(Timeline, ATakeWithoutItsRunHasNoArrow)
{
  const SeenTrace seen = see({process_of(
    {{publish(1, 0, {7, 1}), publish(2, 0, {7, 2})},
     {take(8, 1, {7, 1}), run_start(10, 2), run_end(11, 2, 10), run_start(12, 1),
      run_end(13, 1, 12), take(14, 1, {7, 2})}})});
  EXPECT_TRUE(seen.track("worker0").instants.at(0).arrows.empty());
  EXPECT_TRUE(seen.track("worker0").instants.at(1).arrows.empty());
  EXPECT_TRUE(seen.track("worker1").slices.at(0).arrows.empty());
  EXPECT_TRUE(seen.track("worker1").slices.at(1).arrows.empty());
}

TEST_P(Timeline, AnArrowThatWouldGoBackInTimeIsLeftOut)
{
  const SeenTrace seen = see({process_of(
    {{publish(10, 0, {7, 1})}, {take(9, 1, {7, 1}), run_start(10, 1), run_end(11, 1, 10)}})});
  EXPECT_TRUE(seen.track("worker0").instants.at(0).arrows.empty());
}

// ---- instants and counters ----

TEST_P(Timeline, InstantsExceptionsAndEmptyTakesAreOnTheirThread)
{
  const SeenTrace seen = see({process_of(
    {{of_callback(1, RecordKind::empty_take, 1), run_start(2, 0), instant(3, 2),
      of_callback(4, RecordKind::exception, 0), run_end(5, 0, 2)}})});
  const auto instants = seen.track("worker0").instants;
  ASSERT_EQ(instants.size(), 3U);
  EXPECT_EQ(instants[0].name, "empty take");
  EXPECT_EQ(instants[0].facts, (Facts{{"callback", kFilter}}));
  EXPECT_EQ(instants[1].name, "level");
  EXPECT_EQ(instants[2].name, "exception");
  EXPECT_EQ(instants[2].facts, (Facts{{"callback", kLidar}}));
}

TEST_P(Timeline, ACounterIsOneTrackOfItsProcess)
{
  ProcessTrace other = process_of({{counter(5, 2, 9)}});
  other.pid = 200;
  other.program = "other";
  const SeenTrace seen =
    see({process_of({{counter(3, 2, 1.5), counter(5, 2, -1e300)}, {counter(4, 2, 1e-9)}}), other});
  const auto tracks = seen.named("level");
  ASSERT_EQ(tracks.size(), 2U);
  EXPECT_EQ(tracks[0].samples, (Samples{{3, 1.5}, {4, 1e-9}, {5, -1e300}}));
  EXPECT_EQ(tracks[1].samples, (Samples{{5, 9.0}}));
  EXPECT_EQ(tracks[1].process, "other");
}

TEST_P(Timeline, ValuesThatAreNotFiniteAreLeftOut)
{
  using Limits = std::numeric_limits<double>;
  const SeenTrace seen = see({process_of(
    {{counter(1, 2, Limits::quiet_NaN()), counter(2, 2, 4), counter(3, 2, Limits::infinity())}})});
  EXPECT_EQ(seen.track("level").samples, (Samples{{2, 4.0}}));
}

// ---- several processes ----

TEST_P(Timeline, ProcessesOfOneHostShareTheClockThatGoesOnInSuspend)
{
  ProcessTrace one = process_of({{instant(10, 0)}});
  one.to_boottime = 1000;
  one.to_realtime = 5'000'000;
  ProcessTrace other = one;
  other.to_boottime = 2000;
  other.threads[0].name = "other";
  const SeenTrace seen = see({one, other});
  EXPECT_EQ(seen.track("worker0").instants.at(0).time, 1010U);
  EXPECT_EQ(seen.track("other").instants.at(0).time, 2010U);
}

TEST_P(Timeline, ProcessesOfSeveralHostsShareTheTimeOfDay)
{
  ProcessTrace one = process_of({{instant(10, 0)}});
  one.to_boottime = 1000;
  one.to_realtime = 1'700'000'000'000'000'000;
  ProcessTrace other = one;
  other.host = "there";
  other.to_realtime += 500;
  other.threads[0].name = "other";
  const SeenTrace seen = see({one, other});
  EXPECT_EQ(
    seen.track("other").instants.at(0).time - seen.track("worker0").instants.at(0).time, 500U);
  EXPECT_EQ(seen.track("other").process, "pipeline on there");
}

TEST_P(Timeline, ProcessesOfOneProgramAreToldApartByTheirExecutors)
{
  ProcessTrace sensing = process_of({{instant(10, 0)}, {}, {}});
  sensing.threads[0].name = "a";
  sensing.threads[0].executor = "sensing";
  sensing.threads[1].executor = "";
  sensing.threads[2].executor = "fusion";
  ProcessTrace planning = process_of({{instant(10, 0)}});
  planning.pid = 200;
  planning.threads[0] = {200, "b", "planning", 0, {instant(10, 0)}};
  ProcessTrace other = process_of({{instant(10, 0)}});
  other.pid = 300;
  other.program = "/opt/robot/lib/camera";
  other.threads[0] = {300, "c", "main", 0, {instant(10, 0)}};
  const SeenTrace seen = see({sensing, planning, other});
  EXPECT_EQ(seen.track("a").process, "pipeline (sensing, fusion)");
  EXPECT_EQ(seen.track("b").process, "pipeline (planning)");
  EXPECT_EQ(seen.track("c").process, "camera");
}

TEST_P(Timeline, EqualNumbersOfSeveralHostsAreNotOneProcess)
{
  const ProcessTrace one = process_of({{instant(10, 0)}, {}});
  ProcessTrace other = one;
  other.host = "there";
  const SeenTrace seen = see({one, other, one});  // the decoders find equal numbers
  ASSERT_EQ(seen.tracks.size(), 6U);
  EXPECT_EQ(seen.tracks[0].pid, 100);
  EXPECT_EQ(seen.tracks[1].tid, 101);
}

}  // namespace
}  // namespace takt_trace::test
