// Whole graphs in this process: each activation is accounted for, and callbacks run on their
// threads.
#include <gtest/gtest.h>
#include <stdexcept>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "figures/figures.hpp"
#include "graph/graph_parse.hpp"
#include "run/run_graph.hpp"

namespace takt_workload
{

struct Outcome
{
  Graph graph;
  std::vector<ProcessRecord> records;
  Analysis analysis;
};

Outcome run(const takt_rt::Result<Graph> & graph, RunOptions options)
{
  options.warmup = std::chrono::milliseconds(300);
  options.duration = std::chrono::milliseconds(1500);
  Outcome outcome;
  EXPECT_TRUE(graph.ok());
  outcome.graph = prepared(*graph, options);
  outcome.records = run_graph(outcome.graph, options, {}, nullptr);
  EXPECT_EQ(outcome.records.front().error, "");
  outcome.analysis = analyse(outcome.graph, outcome.records);
  return outcome;
}

Outcome run(const std::string & name, const RunOptions & options)
{
  return run(load_graph(name), options);
}

void expect_all_accounted(const Outcome & outcome)
{
  EXPECT_EQ(outcome.records.front().unrecorded_runs, 0u);
  EXPECT_EQ(outcome.analysis.foreign_messages, 0u);
  EXPECT_EQ(outcome.analysis.unmatched_takes, 0u);
  for (std::size_t i = 0; i < outcome.graph.chains.size(); ++i) {
    const ChainFigures & chain = outcome.analysis.chains[i];
    EXPECT_GT(chain.released, 0u) << outcome.graph.chains[i].name;
    EXPECT_EQ(
      chain.released,
      chain.completed + chain.superseded + chain.lost + chain.unfinished + chain.skipped)
      << outcome.graph.chains[i].name;
    EXPECT_EQ(chain.responses.ns.size(), chain.completed);
  }
}

// The original system had this defect: it created callback groups and did not use them. The hot
// path then ran in the wrong executor, and no one noticed.
TEST(Placement, HotPathRunsOnTheHotThreadsAndNothingElseDoes)
{
  RunOptions options;
  options.schedule = "autoware_takt";
  options.work_scale = 0.05;
  const Outcome outcome = run("autoware_reference", options);
  expect_all_accounted(outcome);
  const CallbackTable table(outcome.graph);
  std::set<std::uint32_t> hot;
  for (const std::string & chain : {"front_lidar_to_obstacles", "rear_lidar_to_obstacles"}) {
    for (const Chain & one : outcome.graph.chains) {
      if (one.name == chain) {
        for (std::size_t i = 0; i + 1 < one.path.size(); ++i) {
          hot.insert(table.find(one.path[i]));
        }
      }
    }
  }
  EXPECT_EQ(
    hot.size(), 9u);  // two LiDARs, two transforms, both fusion inputs, filter, cluster, sink
  std::map<std::uint32_t, std::uint64_t> runs;
  for (const RunRecord & one : outcome.records.front().runs) {
    const bool planner =
      outcome.graph.nodes[table.callbacks()[one.callback].node].name == "/BehaviorPlanner";
    const std::string & id = table.callbacks()[one.callback].id;
    const bool settings = id == "/EuclideanClusterSettings:timer(25ms)" ||
                          id == "/EuclideanClusterDetector:sub(/EuclideanClusterSettings)" ||
                          id == "/IntersectionOutput:sub(/EuclideanIntersection)";
    EXPECT_EQ(hot.contains(one.callback), one.thread <= 1) << id << " on " << one.thread;
    EXPECT_EQ(planner, one.thread == 2) << id << " on " << one.thread;
    EXPECT_EQ(settings, one.thread == 3) << id << " on " << one.thread;
    ++runs[one.callback];
  }
  EXPECT_EQ(runs.size(), 36u);
}

TEST(Run, KpisFromRecordsContainThoseFromTheMessagesThemselves)
{
  RunOptions options;
  options.threads = 2;
  options.work_scale = 0.05;
  const Outcome outcome = run("autoware_reference", options);
  expect_all_accounted(outcome);
  // The records of the whole run, because a sink may run long before a command node gets its
  // message.
  std::vector<ProcessRecord> whole = outcome.records;
  whole.front().measured_from = whole.front().epoch;
  whole.front().measured_to = whole.front().observed_to;
  const std::vector<std::int64_t> records = analyse(outcome.graph, whole).hot_path.latency.ns;
  std::size_t compared = 0;
  for (const OriginalSample & sample : outcome.records.front().originals) {
    if (sample.has_hot_path) {
      ++compared;
      EXPECT_NE(std::find(records.begin(), records.end(), sample.hot_path.count()), records.end());
    }
  }
  EXPECT_GT(compared, 0u);
  for (const std::int64_t latency : records) {
    EXPECT_GE(latency, 0);
  }
}

TEST(Run, EachOrderRunsTheChainsWithoutLosingCount)
{
  for (const auto order :
       {takt_core::Order::priority, takt_core::Order::fifo, takt_core::Order::edf,
        takt_core::Order::window, takt_core::Order::stock}) {
    RunOptions options;
    options.order = order;
    options.work_scale = 0.1;
    options.witness = false;
    expect_all_accounted(run("three_chains", options));
  }
}

TEST(Run, ScheduledGroupingsPutCallbacksOnTheirThreads)
{
  RunOptions options;
  options.schedule = "three_chains_executors_2";
  options.work_scale = 0.1;
  const Outcome outcome = run("three_chains", options);
  // The nodes of thread 0, 1 and 2: {1,5,9} {2,6,7} {3,4,8}.
  const std::map<int, std::uint32_t> thread_of{{1, 0}, {5, 0}, {9, 0}, {2, 1}, {6, 1},
                                               {7, 1}, {3, 2}, {4, 2}, {8, 2}};
  const CallbackTable table(outcome.graph);
  for (const RunRecord & one : outcome.records.front().runs) {
    const int number = static_cast<int>(table.callbacks()[one.callback].node) + 1;
    EXPECT_EQ(one.thread, thread_of.at(number)) << table.callbacks()[one.callback].id;
  }
}

TEST(Run, ThreadsAreAccountedByTheKernel)
{
  RunOptions options;
  options.threads = 3;
  options.reference_timer = 50;
  const Outcome outcome = run("four_chains", options);
  std::size_t executor_threads = 0;
  takt_rt::Duration cpu{};
  for (const ThreadRecord & thread : outcome.records.front().threads) {
    executor_threads += thread.executor ? 1 : 0;
    cpu += thread.executor ? thread.cpu : takt_rt::Duration{};
  }
  EXPECT_EQ(executor_threads, 3u);
  // The kernel may leave out up to one tick per thread. Time that a hypervisor stole may be in
  // either figure.
  const double seconds = std::chrono::duration<double>(cpu).count();
  EXPECT_GT(seconds, 0.5 * outcome.analysis.load.applied * 1.5);
  EXPECT_GT(outcome.records.front().reference_lateness_ns.size(), 10u);
}

// The busy timer is ready again after each of its runs, and is more urgent. So the other timer
// never starts.
TEST(Run, ATimerThatNeverStartsShowsInItsPeriodsAndDeadlines)
{
  RunOptions options;
  options.order = takt_core::Order::priority;
  options.witness = false;
  const auto graph = parse_graph(
    R"(
version: 1
name: starved
nodes:
  - {name: Busy, kind: sensor, period: 10ms, work: 20ms}
  - {name: Starved, kind: sensor, period: 50ms}
  - {name: Sink, kind: command, input: Busy}
  - {name: End, kind: command, input: Starved}
chains:
  - {name: busy, path: [Busy, Sink], priority: 9}
  - {name: starved, path: [Starved, End], priority: 1, deadline: 50ms}
)",
    "starved");
  const Outcome outcome = run(graph, options);
  const CallbackTable table(outcome.graph);
  const std::uint32_t starved = table.find("/Starved:timer(50ms)");
  const auto & runs = outcome.records.front().runs;
  ASSERT_TRUE(std::none_of(
    runs.begin(), runs.end(), [&](const RunRecord & one) { return one.callback == starved; }));
  // 1.5 s of 50 ms each. The release that has waited since the warm-up does not count.
  EXPECT_EQ(outcome.analysis.callbacks[starved].skipped_periods, 30u);
  const ChainFigures & chain = outcome.analysis.chains.back();
  EXPECT_EQ(chain.released, 30u);
  EXPECT_EQ(chain.skipped, 30u);
  EXPECT_EQ(chain.missed_deadlines, 30u);
}

TEST(Run, AnExceptionWhileItMeasuresIsItsErrorNotACrash)
{
  RunOptions options;
  options.work_scale = 0.01;
  options.witness = false;
  options.warmup = std::chrono::milliseconds(300);
  options.duration = std::chrono::seconds(60);
  const auto graph = load_graph("three_chains");
  const Graph scaled = prepared(*graph, options);
  const auto records = run_graph(
    scaled, options, {}, [](takt_rt::Duration) { throw std::runtime_error("no terminal"); });
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records.front().error, "no terminal");
}

TEST(Run, ATimerIsRecordedWhateverItsPeriod)
{
  RunOptions options;
  options.witness = false;
  const Outcome outcome = run(
    parse_graph(
      "version: 1\nname: odd\nnodes:\n  - {name: a, kind: sensor, period: 2.5ms}\n"
      "  - {name: b, kind: command, input: a}\n"
      "chains:\n  - {name: c, path: [\"/a:timer(2500us)\", b]}\n",
      "odd.yaml"),
    options);
  expect_all_accounted(outcome);
  EXPECT_GT(outcome.analysis.chains.at(0).completed, 0u);
}

// The topic's messages go to both subscriptions. Each subscription starts its own path.
TEST(Run, ATopicThatANodeTakesTwiceComesTwice)
{
  RunOptions options;
  options.witness = false;
  const Outcome outcome = run(
    parse_graph(
      R"yaml(
version: 1
name: twice
defaults: {depth: 10}
nodes:
  - {name: A, kind: sensor, period: 20ms}
  - {name: F, kind: fusion, inputs: [A, A]}
  - name: I
    kind: intersection
    connections:
      - {input: A, output: left}
      - {input: A, output: right}
  - {name: C, kind: cyclic, period: 40ms, inputs: [F, F]}
  - {name: End, kind: fusion, inputs: [left, right]}
chains:
  - {name: fusion, path: [A, "/F:sub(/A)#2", "/C:sub(/F)"]}
  - {name: left, path: [A, "/I:sub(/A)", End]}
  - {name: right, path: [A, "/I:sub(/A)#2", End]}
)yaml",
      "twice.yaml"),
    options);
  expect_all_accounted(outcome);
  const CallbackTable table(outcome.graph);
  std::map<std::uint32_t, std::uint64_t> runs;
  for (const RunRecord & one : outcome.records.front().runs) {
    ++runs[one.callback];
  }
  for (const CallbackEntry & entry : table.callbacks()) {
    EXPECT_GT(runs[table.find(entry.id)], 0u) << entry.id;
  }
  for (const ChainFigures & chain : outcome.analysis.chains) {
    EXPECT_GT(chain.completed, 0u);
  }
}

// A sleep holds its thread, but not its core. The other node, on the same thread, runs after the
// sleep.
TEST(Run, ASleepHoldsTheThreadAndTakesNoProcessorTime)
{
  RunOptions options;
  options.witness = false;
  const auto graph = parse_graph(
    R"(
version: 1
name: sleeper
nodes:
  - {name: A, kind: sensor, period: 100ms, offset: 0ms, work: 1ms, sleep: 20ms}
  - {name: B, kind: sensor, period: 100ms, offset: 5ms}
  - {name: End, kind: command, input: A}
chains: [{name: a, path: [A, End]}]
kpis: {hot_path: {roots: [A], sink: End}}
)",
    "sleeper");
  const Outcome outcome = run(graph, options);
  expect_all_accounted(outcome);
  const CallbackTable table(outcome.graph);
  const CallbackFigures & a = outcome.analysis.callbacks[table.find("/A:timer(100ms)")];
  const CallbackFigures & b = outcome.analysis.callbacks[table.find("/B:timer(100ms)")];
  ASSERT_FALSE(a.slept_ns.empty());
  EXPECT_EQ(a.slept_ns.size(), a.execution_ns.size());
  for (std::size_t i = 0; i < a.slept_ns.size(); ++i) {
    EXPECT_GE(a.slept_ns[i], 20'000'000);
    EXPECT_GE(a.execution_ns[i], a.slept_ns[i] + a.work_cpu_ns[i]);
  }
  EXPECT_TRUE(b.slept_ns.empty());
  ASSERT_FALSE(b.start_delay_ns.empty());
  EXPECT_GE(*std::min_element(b.start_delay_ns.begin(), b.start_delay_ns.end()), 10'000'000);
  takt_rt::Duration cpu{};
  for (const ThreadRecord & thread : outcome.records.front().threads) {
    cpu += thread.executor ? thread.cpu : takt_rt::Duration{};
  }
  EXPECT_LT(cpu.count(), std::accumulate(a.slept_ns.begin(), a.slept_ns.end(), std::int64_t{0}));
  EXPECT_GE(outcome.analysis.hot_path.floor_ns, 20'000'000);
  for (const std::int64_t held_up : outcome.analysis.hot_path.parts.held_up_ns) {
    EXPECT_GE(held_up, 0);
  }
}

TEST(Run, AnImpossibleScheduleIsAnErrorNotACrash)
{
  RunOptions options;
  options.schedule = "autoware_takt";
  options.executor = "nobody";
  options.witness = false;
  auto graph = load_graph("three_chains");
  const auto records = run_graph(*graph, options, {}, nullptr);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_NE(records.front().error.find("nobody"), std::string::npos);
}

TEST(Parts, AreContiguousBlocksOrAsTheMapSays)
{
  const auto loaded = load_graph("three_chains");
  const Graph & graph = loaded.value();
  RunOptions options;
  options.split = 3;
  EXPECT_EQ(parts_of(graph, options), (std::vector<int>{0, 0, 0, 1, 1, 1, 2, 2, 2}));
  options.split_map = "callback_1,callback_9;/callback_2";
  EXPECT_EQ(parts_of(graph, options), (std::vector<int>{0, 1, 2, 2, 2, 2, 2, 2, 0}));
  options.split_map = "callback_1,callback_1";
  EXPECT_THROW(parts_of(graph, options), std::invalid_argument);
  options.split_map = "nobody";
  EXPECT_THROW(parts_of(graph, options), std::invalid_argument);
  options.split_map = "callback_1;;callback_2";
  EXPECT_THROW(parts_of(graph, options), std::invalid_argument) << "a process without a node";
  options.split_map.clear();
  options.split = 9;
  EXPECT_EQ(parts_of(graph, options).back(), 8);
  options.split = 10;
  EXPECT_THROW(parts_of(graph, options), std::invalid_argument) << "of nine nodes";
}

}  // namespace takt_workload

int main(int argc, char ** argv)
{
  setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST", 0);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
