// Figures from synthetic records: the closed cases that the definitions prescribe.
#include "takt_workload/analysis.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "takt_core/thread_attributes.hpp"
#include "takt_workload/graph_parse.hpp"
#include "takt_workload/results.hpp"
#include "takt_workload/stall_witness.hpp"
#include "takt_workload/summary.hpp"

namespace takt_workload
{

using std::chrono::milliseconds;
using takt_core::from_ns;

// Two sensors, a fusion, the sink, and a planner that reads the sink.
constexpr const char * kGraph = R"(
version: 1
name: small
defaults: {work: 2ms}
nodes:
  - {name: Front, kind: sensor, period: 100ms}
  - {name: Rear, kind: sensor, period: 100ms}
  - {name: Fusion, kind: fusion, inputs: [Front, Rear]}
  - {name: Filter, kind: transform, input: Fusion}
  - {name: Sink, kind: transform, input: Filter}
  - {name: Planner, kind: cyclic, period: 100ms, inputs: [Sink]}
  - {name: Wheels, kind: command, input: Planner}
chains:
  - {name: front, path: [Front, Fusion, Filter, Sink, Planner], deadline: 30ms}
  - {name: rear, path: [Rear, Fusion, Filter, Sink, Planner], deadline: 30ms}
kpis:
  hot_path: {roots: [Front, Rear], sink: Sink}
  planner: {node: Planner, obstacle_input: Sink}
)";

class Records : public ::testing::Test
{
protected:
  Records() : graph(*parse_graph(kGraph, "small")), table(graph)
  {
    process.measured_from = at(0);
    process.measured_to = at(1000);
  }

  static takt_core::Time at(double ms)
  {
    return from_ns(static_cast<std::int64_t>(ms * 1e6) + 1000);
  }

  // One run; `published` true: with the topic's next sequence number.
  RunRecord & run(
    const std::string & id, double release, double start, double end, std::uint64_t taken,
    bool publishes)
  {
    RunRecord record;
    record.callback = table.find(id);
    EXPECT_NE(record.callback, kNone) << id;
    record.release = at(release);
    record.start = at(start);
    record.end = at(end);
    record.taken = taken;
    if (publishes) {
      record.published = ++sequences[table.callbacks()[record.callback].output_topic];
      if (!table.callbacks()[record.callback].timer) {
        record.work_asked = record.work_cpu = milliseconds(2);
      }
    }
    process.runs.push_back(record);
    return process.runs.back();
  }

  // An undisturbed activation of everything, released at `t`; message `n` everywhere.
  void round(double t, std::uint64_t n)
  {
    run("/Front:timer(100ms)", t, t + 1, t + 2, 0, true);
    run("/Rear:timer(100ms)", t, t + 3, t + 4, 0, true);
    run("/Fusion:sub(/Front)", t + 2, t + 4, t + 5, n, false);
    run("/Fusion:sub(/Rear)", t + 4, t + 5, t + 8, n, true);
    run("/Filter:sub(/Fusion)", t + 8, t + 9, t + 12, n, true);
    run("/Sink:sub(/Filter)", t + 12, t + 13, t + 16, n, true);
    run("/Planner:sub(/Sink)", t + 16, t + 17, t + 18, n, false);
    run("/Planner:timer(100ms)", t + 50, t + 51, t + 54, 0, true);
    run("/Wheels:sub(/Planner)", t + 54, t + 55, t + 56, n, false);
  }

  Analysis result() { return analyse(graph, {process}); }

  Graph graph;
  CallbackTable table;
  ProcessRecord process;
  std::map<std::uint32_t, std::uint64_t> sequences;
};

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
  run("/Planner:timer(100ms)", 250, 253, 254, 0, true);  // nothing arrived since
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
  run("/Filter:sub(/Fusion)", 109, 110, 113, 1, true);
  run("/Sink:sub(/Filter)", 113, 114, 117, 1, true);
  run("/Planner:sub(/Sink)", 117, 118, 119, 1, false);
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
  // Rear's message 2 is overwritten; nobody takes its message 3's fruit before the run ends.
  run("/Rear:timer(100ms)", 100, 101, 102, 0, true);
  run("/Rear:timer(100ms)", 960, 961, 962, 0, true);
  run("/Fusion:sub(/Rear)", 962, 963, 966, 3, true);
  // Released so late that the deadline had not passed when everything ended.
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
  graph.chains[0].deadline = takt_core::kForever;
  run("/Front:timer(100ms)", 100, 101, 102, 0, true);
  const Analysis figures = result();
  EXPECT_EQ(figures.chains[0].unfinished, 1u);
  EXPECT_EQ(figures.chains[0].missed_deadlines, 0u);
}

TEST_F(Records, SamplesThatOverlapAStallAreMarked)
{
  round(0, 1);
  round(100, 2);
  process.stalls.push_back({0, at(105), at(107)});
  const Analysis figures = result();
  EXPECT_EQ(figures.hot_path.latency.stalled, (std::vector<char>{0, 1}));
  EXPECT_EQ(figures.chains[0].responses.stalled, (std::vector<char>{0, 1}));
  EXPECT_EQ(figures.planner.lateness.stalled, (std::vector<char>{0, 0}));
  EXPECT_EQ(
    without_stalled(figures.hot_path.latency.ns, figures.hot_path.latency.stalled).size(), 1u);
}

TEST_F(Records, WhatTheKernelHeldBackIsNoStallOfTheHost)
{
  round(0, 1);
  process.stalls.push_back({0, at(5), at(7), Stall::Source::throttled});
  const Analysis figures = result();
  ASSERT_EQ(figures.stalls.size(), 1u);
  EXPECT_EQ(figures.hot_path.latency.stalled, (std::vector<char>{0}));
  EXPECT_EQ(figures.chains[0].responses.stalled, (std::vector<char>{0}));
}

TEST_F(Records, WhatIsWrittenOfTheRunsGivesTheSameChainsAgain)
{
  round(0, 1);
  round(100, 2);
  run("/Front:timer(100ms)", 200, 201, 202, 0, true).skipped = 1;
  process.epoch = at(0);
  const Analysis before = result();
  const auto all = nlohmann::json::parse(records_json(graph, {process}));
  EXPECT_EQ(all.at("version"), kRecordsVersion);
  std::map<std::string, std::size_t> column;
  for (const auto & name : all.at("columns")) {
    column.emplace(name.get<std::string>(), column.size());
  }
  process.runs.clear();
  for (const auto & row : all.at("runs")) {
    const auto value = [&](const char * name) { return row.at(column.at(name)); };
    const auto time = [&](const char * name) {
      return from_ns(value(name).get<std::int64_t>() + all.at("epoch_ns").get<std::int64_t>());
    };
    RunRecord one;
    one.callback = table.find(all.at("callbacks").at(value("callback").get<std::size_t>()));
    one.release = time("release_ns");
    one.start = time("start_ns");
    one.end = time("end_ns");
    one.taken = value("taken");
    one.published = value("published");
    one.skipped = value("skipped");
    process.runs.push_back(one);
  }
  const Analysis after = result();
  ASSERT_EQ(after.chains.size(), before.chains.size());
  for (std::size_t i = 0; i < after.chains.size(); ++i) {
    EXPECT_GT(after.chains[i].completed, 0u);
    EXPECT_EQ(after.chains[i].responses.ns, before.chains[i].responses.ns);
    EXPECT_EQ(after.chains[i].unfinished, before.chains[i].unfinished);
  }
  EXPECT_EQ(after.skipped_periods, before.skipped_periods);
}

TEST(Witness, IsHeldUpByTheHostOrByTheKernel)
{
  EXPECT_EQ(
    StallWitness::blame(milliseconds(10), std::chrono::microseconds(50)), Stall::Source::witness);
  EXPECT_EQ(StallWitness::blame(milliseconds(10), milliseconds(9)), Stall::Source::throttled);
}

// A thread of the same priority is not preempted: the witness is ready and waits, as it does when
// throttled, but here it is certain.
TEST(Witness, TellsWaitingForOtherThreadsFromAStall)
{
  if (!takt_core::may_use_realtime(99)) {
    GTEST_SKIP() << "no right to SCHED_FIFO 99";
  }
  const int core = takt_core::usable_cores().back();
  StallWitness witness({core});
  ASSERT_EQ(witness.blind(), "");
  takt_core::Time begin{};
  takt_core::Time end{};
  std::thread([&] {
    takt_core::ThreadAttributes attributes;
    attributes.policy = takt_core::Policy::fifo;
    attributes.priority = 99;
    attributes.cores = {core};
    ASSERT_TRUE(takt_core::apply(attributes).granted_all());
    begin = takt_core::now();
    while (takt_core::now() < begin + milliseconds(40)) {
    }
    end = takt_core::now();
  }).join();
  takt_core::Duration blamed{};
  for (const Stall & stall : witness.stop()) {
    if (stall.end > begin && stall.begin < end && stall.source == Stall::Source::throttled) {
      blamed += std::min(stall.end, end) - std::max(stall.begin, begin);
    }
  }
  EXPECT_GE(blamed, milliseconds(30));
}

// Only where it overran: whoever else ran during the same run was not held up.
TEST_F(Records, WorkThatOverranItsCpuTimeIsAStall)
{
  round(0, 1);
  process.runs[4].overrun_begin = at(10);
  process.runs[4].overrun_end = at(11);
  run("/Filter:sub(/Fusion)", 108, 109, 112, 2, true);
  process.runs.back().overrun_begin = at(111);
  process.runs.back().overrun_end = at(112);
  run("/Planner:timer(100ms)", 109, 110, 110.5, 0, true);
  const Analysis result_of_planner = result();
  EXPECT_EQ(result_of_planner.planner.lateness.stalled, (std::vector<char>{0, 0}));
  process.runs.resize(process.runs.size() - 2);
  const Analysis figures = result();
  ASSERT_EQ(figures.stalls.size(), 1u);
  EXPECT_EQ(figures.stalls[0].source, Stall::Source::overrun);
  EXPECT_EQ(figures.hot_path.latency.stalled, (std::vector<char>{1}));
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
  EXPECT_NEAR(figures.load.applied, 6e-3, 1e-9);     // the planner's timer works too in earnest
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
