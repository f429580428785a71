// System models of graphs: each callback of the graph is in the model, with the same id.
#include "graph/system_of_graph.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>

#include "graph/callback_table.hpp"
#include "graph/graph_parse.hpp"
#include "run/run_options.hpp"
#include "shipped_graph.hpp"
#include "takt_schedule/parse_system.hpp"
#include "takt_schedule/to_yaml.hpp"

namespace takt_workload
{
namespace
{

using takt_schedule::System;

TEST(SystemOfGraph, HasAllCallbacksAndChainsOfShippedGraphs)
{
  for (const std::string name : {"autoware_reference", "three_chains", "four_chains"}) {
    const Graph graph = shipped(name);
    const System system = system_of(graph);
    std::set<std::string> ids, expected;
    for (const auto & callback : system.callbacks) {
      for (const std::string & id : callback.all_ids()) {
        EXPECT_TRUE(ids.insert(id).second) << id;
      }
    }
    const CallbackTable table(graph);
    for (const CallbackEntry & entry : table.callbacks()) {
      expected.insert(entry.id);
    }
    EXPECT_EQ(ids, expected) << name;
    EXPECT_EQ(system.chains.size(), graph.chains.size());
    const auto read = takt_schedule::parse_system(takt_schedule::to_yaml(system), "s.yaml");
    ASSERT_TRUE(read.ok()) << name << ": " << read.faults().front();
    EXPECT_EQ(read->callbacks, system.callbacks);
    // The graph does not say what a run costs.
    ASSERT_EQ(read->warnings.size(), 1U);
    EXPECT_NE(to_string(read->warnings[0]).find("has no overheads"), std::string::npos)
      << read->warnings[0];
  }
}

TEST(SystemOfGraph, FusionsAreSetsAndPlannersReadWhatTheyStore)
{
  const System system = system_of(shipped("autoware_reference"));
  std::size_t sets = 0, readers = 0;
  for (const auto & callback : system.callbacks) {
    sets += callback.trigger == takt_schedule::Trigger::newest ? 1 : 0;
    readers += callback.reads.empty() ? 0 : 1;
  }
  EXPECT_EQ(sets, 5U);
  EXPECT_EQ(readers, 1U);
  EXPECT_EQ(system.callbacks.size(), 36U - 5U);
}

TEST(SystemOfGraph, HasSleepsAndTopicsThatANodeTakesTwice)
{
  using namespace std::chrono_literals;
  const auto graph = parse_graph(
    "version: 1\nname: g\nnodes:\n"
    "  - {name: A, kind: sensor, period: 10ms, work: 1ms, sleep: {min: 1ms, max: 2ms}}\n"
    "  - {name: F, kind: fusion, inputs: [A, A], work: 1ms, sleep: 3ms}\n"
    "  - {name: C, kind: cyclic, period: 10ms, inputs: [F, F]}\n"
    "chains: [{name: c, path: [A, \"/F:sub(/A)#2\", C], deadline: 100ms}]\n",
    "g");
  ASSERT_EQ(graph.faults(), takt_rt::Faults{});
  const System system = system_of(graph.value());
  const auto read = takt_schedule::parse_system(takt_schedule::to_yaml(system), "s.yaml");
  ASSERT_TRUE(read.ok()) << read.faults().front();
  EXPECT_EQ(read->callbacks, system.callbacks);
  ASSERT_EQ(system.callbacks.size(), 5u);
  EXPECT_EQ(system.callbacks[0].time.worst, 1ms) << "without the sleep";
  EXPECT_EQ(system.callbacks[0].sleep, 2ms);
  EXPECT_EQ(system.callbacks[1].ids, (std::vector<std::string>{"/F:sub(/A)", "/F:sub(/A)#2"}));
  EXPECT_EQ(system.callbacks[1].triggers, (std::vector<std::string>{"/A", "/A"}));
  EXPECT_EQ(system.callbacks[1].sleep, 3ms);
  EXPECT_EQ(system.callbacks[3].id, "/C:sub(/F)#2");
  EXPECT_EQ(system.callbacks[4].reads, std::vector<std::string>{"/F"});
}

TEST(SystemOfGraph, HasAnExecutorForEachProcess)
{
  using namespace std::chrono_literals;
  const Graph graph = shipped("three_chains");
  RunOptions run;
  run.split = 3;
  run.split_map = "callback_1;callback_2,callback_3";
  SystemOptions options;
  options.parts = parts_of(graph, run);
  options.between_processes = 150us;
  const System system = system_of(graph, options);
  EXPECT_EQ(system.communication.processes, 150us);
  for (const auto & callback : system.callbacks) {
    EXPECT_EQ(
      callback.executor, callback.id.starts_with("/callback_1:")   ? "part_1"
                         : callback.id.starts_with("/callback_2:") ? "part_2"
                         : callback.id.starts_with("/callback_3:") ? "part_2"
                                                                   : "part_3")
      << callback.id;
  }
  const auto read = takt_schedule::parse_system(takt_schedule::to_yaml(system), "s.yaml");
  ASSERT_TRUE(read.ok()) << read.faults().front();
  EXPECT_EQ(read->callbacks, system.callbacks);
}

TEST(SystemOfGraph, TakesWhatWasMeasured)
{
  using namespace std::chrono_literals;
  SystemOptions options;
  options.cores = 2;
  options.jitter = 100us;
  options.witness = true;
  options.times = {
    {"/PointCloudFusion:sub(/PointsTransformerRear)", 7ms},
    {"/RayGroundFilter:sub(/PointCloudFusion)", 4ms}};
  const System system = system_of(shipped("autoware_reference"), options);
  EXPECT_EQ(system.hosts.front().other_threads.size(), 2U);
  for (const auto & callback : system.callbacks) {
    EXPECT_EQ(callback.jitter, callback.is_timer() ? 100us : 0us);
    if (callback.id.starts_with("/PointCloudFusion")) {
      EXPECT_EQ(callback.time.worst, 7ms) << "the longest of the set";
    }
    if (callback.id.starts_with("/RayGroundFilter")) {
      EXPECT_EQ(callback.time.worst, 4ms) << "also if it is less than the graph's work";
      EXPECT_EQ(callback.time.best, 4ms);
    }
  }
}

}  // namespace
}  // namespace takt_workload
