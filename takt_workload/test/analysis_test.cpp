// Figures from synthetic records: the closed cases that the definitions prescribe.
#include "figures/summary.hpp"
#include "synthetic_records.hpp"

namespace takt_workload
{

TEST_F(Records, HotPathRunsFromTheLaterRootToTheSink)
{
  round(0, 1);
  round(100, 2);
  const Analysis figures = result();
  ASSERT_EQ(figures.hot_path.latency.ns.size(), 2u);
  EXPECT_EQ(figures.hot_path.latency.ns[0], 10'000'000);  // rear start 3 -> sink start 13
  EXPECT_EQ(figures.hot_path.from_due_ns[0], 13'000'000);
  EXPECT_EQ(figures.hot_path.floor_ns, 4'000'000);  // fusion and filter
  EXPECT_EQ(figures.hot_path.drops, 0u);
}

// Each of three runs takes 3 ms: 2 ms of work, 0.5 ms of preemption and 0.5 ms of publishing.
TEST_F(Records, PartsOfTheHotPathAddUpToIt)
{
  round(0, 1);
  for (RunRecord & run : process.runs) {
    if (run.work_cpu > takt_rt::Duration{}) {
      run.work_end = run.end - std::chrono::microseconds(500);
    }
  }
  const Analysis figures = result();
  const HotPathParts & parts = figures.hot_path.parts;
  ASSERT_EQ(parts.work_ns.size(), 1u);
  EXPECT_EQ(parts.work_ns[0], 4'000'000);        // fusion and filter, but not the sink
  EXPECT_EQ(parts.held_up_ns[0], 1'000'000);     // fusion and filter
  EXPECT_EQ(parts.publishing_ns[0], 2'000'000);  // 1 ms of the sensor, and 0.5 ms each of fusion
                                                 // and filter
  EXPECT_EQ(parts.handing_over_ns[0], 3'000'000);
  EXPECT_EQ(
    figures.hot_path.latency.ns[0],
    parts.work_ns[0] + parts.held_up_ns[0] + parts.publishing_ns[0] + parts.handing_over_ns[0]);
}

// A message wakes a more urgent thread of the same core. So the run that published the message ends
// after the next run began.
TEST_F(Records, NoPartOfTheHotPathIsNegativeWhereTheNextRunPreemptsTheOneBefore)
{
  round(0, 1);
  for (RunRecord & run : process.runs) {
    if (run.work_cpu > takt_rt::Duration{}) {
      run.work_end = run.end;
      run.end += std::chrono::milliseconds(20);
    }
  }
  const Analysis figures = result();
  const HotPathParts & parts = figures.hot_path.parts;
  ASSERT_EQ(parts.work_ns.size(), 1u);
  EXPECT_GE(parts.publishing_ns[0], 0);
  EXPECT_GE(parts.handing_over_ns[0], 0);
  EXPECT_EQ(
    figures.hot_path.latency.ns[0],
    parts.work_ns[0] + parts.held_up_ns[0] + parts.publishing_ns[0] + parts.handing_over_ns[0]);
}

// The last message came from the root that started first. The path back from the sample does not
// lead to the other root.
TEST_F(Records, PartsAreOfSamplesThatTheirMessagesLeadTo)
{
  run("/Front:timer(100ms)", 0, 1, 2, 0, true);
  run("/Rear:timer(100ms)", 0, 3, 4, 0, true);
  run("/Fusion:sub(/Rear)", 4, 4, 5, 1, false);
  run("/Fusion:sub(/Front)", 2, 5, 8, 1, true);
  tail(8, 1);
  const Analysis figures = result();
  EXPECT_EQ(figures.hot_path.latency.ns, (std::vector<std::int64_t>{10'000'000}));
  EXPECT_TRUE(figures.hot_path.parts.work_ns.empty());
}

// The longer path may begin at a root from which no sample is measured. Then no sample waits for
// the work of that root.
TEST_F(Records, TheFloorIsThatOfTheRootThatIsMeasuredFrom)
{
  graph = *parse_graph(
    R"yaml(
version: 1
name: example
nodes:
  - {name: Front, kind: sensor, period: 100ms}
  - {name: Rear, kind: sensor, period: 100ms}
  - {name: Filter, kind: transform, input: Front, work: 2ms}
  - {name: Fusion, kind: fusion, inputs: [Filter, Rear], work: 2ms}
  - {name: Planner, kind: cyclic, period: 100ms, inputs: [Fusion], work: 2ms}
kpis:
  hot_path: {roots: [Front, Rear], sink: "/Planner:sub(/Fusion)"}
)yaml",
    "example");
  table = CallbackTable(graph);
  const auto front = [this](double t, std::uint64_t n, bool completes) {
    run("/Front:timer(100ms)", t, t, t + 1, 0, true);
    run("/Filter:sub(/Front)", t + 1, t + 1, t + 3, n, true);
    run("/Fusion:sub(/Filter)", t + 3, t + 4, t + 6, n, completes);
  };
  const auto rear = [this](double t, std::uint64_t n, bool completes) {
    run("/Rear:timer(100ms)", t, t, t + 1, 0, true);
    run("/Fusion:sub(/Rear)", t + 1, t + 2, t + 4, n, completes);
  };
  front(0, 1, false);
  rear(5, 1, true);
  EXPECT_EQ(result().hot_path.floor_ns, 2'000'000);  // without a sample: the floor that holds for
                                                     // both roots
  run("/Planner:sub(/Fusion)", 9, 9, 10, 1, false);
  const Analysis later_rear = result();
  EXPECT_EQ(later_rear.hot_path.latency.ns, (std::vector<std::int64_t>{4'000'000}));
  EXPECT_EQ(later_rear.hot_path.floor_ns, 2'000'000);  // the fusion alone
  process.runs.clear();
  sequences.clear();
  rear(0, 1, false);
  front(5, 1, true);
  run("/Planner:sub(/Fusion)", 11, 11, 12, 1, false);
  const Analysis later_front = result();
  EXPECT_EQ(later_front.hot_path.latency.ns, (std::vector<std::int64_t>{6'000'000}));
  EXPECT_EQ(later_front.hot_path.floor_ns, 4'000'000);  // filter and fusion
  front(100, 2, false);
  rear(105, 2, true);
  run("/Planner:sub(/Fusion)", 109, 109, 110, 2, false);
  EXPECT_EQ(result().hot_path.floor_ns, 2'000'000);  // the floor that holds for both samples
}

TEST_F(Records, ChainsRunFromReleaseThroughTheFusionToTheLastEnd)
{
  round(0, 1);
  round(100, 2);
  const Analysis figures = result();
  for (const ChainFigures & chain : figures.chains) {
    EXPECT_EQ(chain.released, 2u);
    EXPECT_EQ(chain.completed, 2u);
    EXPECT_EQ(chain.missed_deadlines, 0u);
    EXPECT_EQ(chain.responses.ns, (std::vector<std::int64_t>{18'000'000, 18'000'000}));
  }
}

TEST_F(Records, PlannerPeriodsLatenessAndStaleCycles)
{
  round(0, 1);
  round(100, 2);
  run("/Planner:timer(100ms)", 250, 253, 254, 0, true);  // no message arrived since the last cycle
  const Analysis figures = result();
  EXPECT_EQ(figures.planner.period_ns, (std::vector<std::int64_t>{100'000'000, 102'000'000}));
  EXPECT_EQ(
    figures.planner.lateness.ns, (std::vector<std::int64_t>{1'000'000, 1'000'000, 3'000'000}));
  EXPECT_EQ(figures.planner.stale_cycles, 1u);
}

TEST_F(Records, AnOverwrittenMessageIsADropAndLosesItsActivation)
{
  round(0, 1);
  // Rear's message 2 is overwritten by its message 3 before the fusion takes it.
  run("/Front:timer(100ms)", 100, 101, 102, 0, true);
  run("/Rear:timer(100ms)", 100, 101, 102, 0, true);
  run("/Fusion:sub(/Front)", 102, 103, 104, 2, false);
  run("/Rear:timer(100ms)", 200, 201, 202, 0, true);
  run("/Fusion:sub(/Rear)", 202, 203, 206, 3, true);
  const Analysis figures = result();
  EXPECT_EQ(figures.hot_path.drops, 1u);
  EXPECT_EQ(figures.drops, 1u);
  const ChainFigures & rear = figures.chains[1];
  EXPECT_EQ(rear.released, 3u);
  EXPECT_EQ(rear.completed, 1u);
  EXPECT_EQ(rear.lost, 1u);
  EXPECT_EQ(rear.unfinished, 1u);
  EXPECT_EQ(figures.chains[0].unfinished, 1u);
}

TEST_F(Records, NewerDataInASlotSupersedesOlder)
{
  run("/Front:timer(100ms)", 0, 1, 2, 0, true);
  run("/Fusion:sub(/Front)", 2, 3, 4, 1, false);
  run("/Front:timer(100ms)", 100, 101, 102, 0, true);
  run("/Fusion:sub(/Front)", 102, 103, 104, 2, false);
  run("/Rear:timer(100ms)", 100, 104, 105, 0, true);
  run("/Fusion:sub(/Rear)", 105, 106, 109, 1, true);
  tail(109, 1);
  const Analysis figures = result();
  EXPECT_EQ(figures.chains[0].superseded, 1u);
  EXPECT_EQ(figures.chains[0].completed, 1u);
  EXPECT_EQ(figures.chains[0].responses.ns, (std::vector<std::int64_t>{19'000'000}));
  EXPECT_EQ(figures.hot_path.latency.ns, (std::vector<std::int64_t>{10'000'000}));
}

TEST_F(Records, SkippedPeriodsAreCountedAlthoughSequencesAreContiguous)
{
  round(0, 1);
  run("/Front:timer(100ms)", 100, 340, 341, 0, true).skipped = 2;
  const Analysis figures = result();
  EXPECT_EQ(figures.skipped_periods, 2u);
  EXPECT_EQ(figures.drops, 0u);
}

TEST_F(Records, WhatCompletesLateMissesItsDeadline)
{
  round(0, 1);
  process.runs[6].end = at(31);
  const Analysis figures = result();
  EXPECT_EQ(figures.chains[0].late, 1u);
  EXPECT_EQ(figures.chains[0].missed_deadlines, 1u);
}

TEST_F(Records, WhatNeverArrivesMissesItsDeadlineButWhatIsReplacedDoesNot)
{
  round(0, 1);
  // Front's message 2 is replaced in the fusion's slot by its message 3, which is not published.
  run("/Front:timer(100ms)", 100, 101, 102, 0, true);
  run("/Fusion:sub(/Front)", 102, 103, 104, 2, false);
  run("/Front:timer(100ms)", 200, 201, 202, 0, true);
  run("/Fusion:sub(/Front)", 202, 203, 204, 3, false);
  // Rear's message 2 is overwritten. Its message 3 leads to a message of the fusion, which no
  // callback takes before the run ends.
  run("/Rear:timer(100ms)", 100, 101, 102, 0, true);
  run("/Rear:timer(100ms)", 960, 961, 962, 0, true);
  run("/Fusion:sub(/Rear)", 962, 963, 966, 3, true);
  // This release is so late that its deadline had not passed when the observation ended.
  run("/Front:timer(100ms)", 990, 991, 992, 0, true);
  process.observed_to = at(1015);
  const Analysis figures = result();
  const ChainFigures & front = figures.chains[0];
  EXPECT_EQ(front.superseded, 1u);
  EXPECT_EQ(front.unfinished, 2u);  // messages 3 and 4
  EXPECT_EQ(front.overdue, 1u);
  EXPECT_EQ(front.missed_deadlines, 1u);
  const ChainFigures & rear = figures.chains[1];
  EXPECT_EQ(rear.lost, 1u);
  EXPECT_EQ(rear.overdue, 1u);
  EXPECT_EQ(rear.missed_deadlines, 2u);
}

TEST_F(Records, WithoutADeadlineNoneIsMissed)
{
  graph.chains[0].deadline = takt_rt::kForever;
  run("/Front:timer(100ms)", 100, 101, 102, 0, true);
  const Analysis figures = result();
  EXPECT_EQ(figures.chains[0].unfinished, 1u);
  EXPECT_EQ(figures.chains[0].missed_deadlines, 0u);
}

TEST_F(Records, WarmUpIsLeftOutButItsMessagesStillCount)
{
  round(0, 1);
  round(100, 2);
  process.measured_from = at(100);
  const Analysis figures = result();
  EXPECT_EQ(figures.hot_path.latency.ns.size(), 1u);
  EXPECT_EQ(figures.chains[0].released, 1u);
  EXPECT_EQ(figures.drops, 0u);
  EXPECT_EQ(figures.planner.period_ns.size(), 1u);
}

TEST_F(Records, LoadIsTheWorkThatWasReallyDone)
{
  round(0, 1);
  const Analysis figures = result();
  EXPECT_NEAR(figures.load.asked, 8e-3 * 10, 1e-9);  // fusion, filter, sink, planner
  EXPECT_NEAR(figures.load.applied, 6e-3, 1e-9);     // work of the planner's timer counts too
}

TEST_F(Records, TheEndsOfTheMeasuredTimeAreNoOverload)
{
  round(0, 1);
  process.measured_to = at(150);  // one and a half periods, and one round of work
  EXPECT_FALSE(result().load.overloaded());
  process.measured_to = at(1000);
  EXPECT_TRUE(result().load.overloaded());
  process.measured_to = process.measured_from;
  EXPECT_FALSE(result().load.overloaded()) << "nothing was measured";
}

TEST_F(Records, SkippedPeriodsCountWhereTheyWereDue)
{
  // The timer is due at 100, 200 and 300 ms, and runs at 350 ms.
  run("/Front:timer(100ms)", 100, 350, 351, 0, true).skipped = 2;
  process.measured_from = at(250);
  EXPECT_EQ(result().skipped_periods, 1u);
  process.measured_from = at(310);
  EXPECT_EQ(result().skipped_periods, 0u);
}

TEST_F(Records, ATimerThatNeverStartsSkipsItsPeriods)
{
  process.timers = {{table.find("/Front:timer(100ms)"), at(0)}};
  process.observed_to = at(1500);
  const Analysis figures = result();
  EXPECT_EQ(figures.skipped_periods, 9u) << "due from 100 to 900 ms while that of 0 ms waited";
  EXPECT_EQ(figures.callbacks[table.find("/Front:timer(100ms)")].skipped_periods, 9u);
  const ChainFigures & front = figures.chains[0];
  EXPECT_EQ(front.released, 10u);
  EXPECT_EQ(front.skipped, 9u);
  EXPECT_EQ(front.unfinished, 1u);
  EXPECT_EQ(front.overdue, 1u);
  EXPECT_EQ(front.missed_deadlines, 10u);
  EXPECT_EQ(figures.chains[1].released, 0u) << "nothing is known of the other sensor's timer";
}

TEST_F(Records, ATimerThatIsStarvedFromSomeTimeOnSkipsWhatFollows)
{
  round(0, 1);
  round(100, 2);
  process.timers = {{table.find("/Front:timer(100ms)"), at(200)}};
  process.measured_from = at(450);
  process.observed_to = at(800);  // the user ended the run early
  process.measured_to = at(750);
  const Analysis figures = result();
  EXPECT_EQ(figures.skipped_periods, 3u) << "due at 500, 600 and 700 ms";
  EXPECT_EQ(figures.chains[0].released, 3u);
  EXPECT_EQ(figures.chains[0].missed_deadlines, 3u);
}

TEST_F(Records, ATimerThatWaitsForItsNextReleaseSkipsNothing)
{
  round(0, 1);
  process.timers = {{table.find("/Front:timer(100ms)"), at(1100)}};
  process.observed_to = at(1050);
  const Analysis figures = result();
  EXPECT_EQ(figures.skipped_periods, 0u);
  EXPECT_EQ(figures.chains[0].released, 1u);
}

TEST_F(Records, ASkippedPeriodOfItsRootMissesTheChainsDeadline)
{
  round(0, 1);
  run("/Front:timer(100ms)", 100, 340, 341, 0, true).skipped = 2;
  graph.chains[1].deadline = takt_rt::kForever;
  run("/Rear:timer(100ms)", 100, 240, 241, 0, true).skipped = 1;
  const Analysis figures = result();
  const ChainFigures & front = figures.chains[0];
  EXPECT_EQ(front.released, 4u);
  EXPECT_EQ(front.completed, 1u);
  EXPECT_EQ(front.skipped, 2u);
  EXPECT_EQ(front.unfinished, 1u);
  EXPECT_EQ(front.missed_deadlines, 3u) << "two skipped, one overdue";
  EXPECT_EQ(figures.chains[1].skipped, 1u);
  EXPECT_EQ(figures.chains[1].missed_deadlines, 0u) << "it has no deadline";
}

TEST_F(Records, JoinAcrossProcessesDoesNotDependOnTheirOrder)
{
  round(0, 1);
  round(100, 2);
  ProcessRecord other = process;
  other.process = 1;
  other.runs.clear();
  std::vector<RunRecord> kept;
  for (RunRecord & one : process.runs) {
    const bool moves = table.callbacks()[one.callback].node >= 3;
    one.process = moves ? 1 : 0;
    (moves ? other.runs : kept).push_back(one);
  }
  process.runs = kept;
  const Analysis figures = analyse(graph, {other, process});
  EXPECT_EQ(figures.chains[0].completed, 2u);
  EXPECT_EQ(figures.unmatched_takes, 0u);
  EXPECT_EQ(figures.hot_path.latency.ns.size(), 2u);
}

TEST(Percentiles, NeedTenSamplesBeyondThem)
{
  std::vector<std::int64_t> samples;
  for (int i = 1; i <= 99; ++i) {
    samples.push_back(i);
  }
  EXPECT_TRUE(summarise(samples).p50.has_value());
  EXPECT_FALSE(summarise(samples).p90.has_value());
  samples.push_back(100);
  EXPECT_EQ(summarise(samples).p90, 90);
  EXPECT_EQ(summarise(samples).p50, 50);
  EXPECT_FALSE(summarise(samples).p99.has_value());
  samples.resize(1000, 7);
  EXPECT_TRUE(summarise(samples).p99.has_value());
  EXPECT_FALSE(summarise(samples).p999.has_value());
  EXPECT_EQ(summarise({}).count, 0u);
  EXPECT_FALSE(summarise({1, 2, 3}).p50.has_value());
}

}  // namespace takt_workload
