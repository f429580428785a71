// The exact content of the shipped graphs, and the schedules that repeat a part of a graph.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "graph/callback_table.hpp"
#include "graph/graph_parse.hpp"
#include "shipped_graph.hpp"
#include "takt_schedule/parse.hpp"

namespace takt_workload
{

TEST(AutowareReference, HasTheReferenceSystemsNodesCallbacksAndTopics)
{
  const Graph graph = shipped("autoware_reference");
  const CallbackTable table(graph);
  EXPECT_EQ(graph.nodes.size(), 24u);
  EXPECT_EQ(table.callbacks().size(), 36u);
  EXPECT_EQ(table.topics().size(), 23u);
  EXPECT_EQ(graph.message, MessageType::Message4kb);
  std::map<NodeKind, int> kinds;
  std::map<NodeKind, std::size_t> subscriptions;
  std::size_t timers = 0;
  for (const Node & node : graph.nodes) {
    ++kinds[node.kind];
    subscriptions[node.kind] += node.inputs.size();
    timers += node.has_timer() ? 1 : 0;
  }
  const std::map<NodeKind, int> expected{{NodeKind::sensor, 6},       {NodeKind::transform, 9},
                                         {NodeKind::fusion, 5},       {NodeKind::cyclic, 1},
                                         {NodeKind::intersection, 1}, {NodeKind::command, 2}};
  EXPECT_EQ(kinds, expected);
  EXPECT_EQ(timers, 7u);
  EXPECT_EQ(subscriptions[NodeKind::transform], 9u);
  EXPECT_EQ(subscriptions[NodeKind::fusion], 10u);
  EXPECT_EQ(subscriptions[NodeKind::cyclic], 6u);
}

TEST(AutowareReference, HasTheReferenceSystemsSubscriberCounts)
{
  const Graph graph = shipped("autoware_reference");
  const CallbackTable table(graph);
  const std::map<std::string, std::size_t> more{
    {"/PointCloudFusion", 2},
    {"/NDTLocalizer", 2},
    {"/Lanelet2GlobalPlanner", 2},
    {"/Lanelet2MapLoader", 3},
    {"/BehaviorPlanner", 2}};
  for (const TopicEntry & topic : table.topics()) {
    const auto found = more.find(topic.name);
    EXPECT_EQ(topic.subscribers.size(), found == more.end() ? 1u : found->second) << topic.name;
  }
}

TEST(AutowareReference, HasItsPeriodsDepthsAndGroups)
{
  const Graph graph = shipped("autoware_reference");
  const CallbackTable table(graph);
  for (const char * id :
       {"/FrontLidarDriver:timer(100ms)", "/RearLidarDriver:timer(100ms)",
        "/PointCloudMap:timer(120ms)", "/Visualizer:timer(60ms)", "/Lanelet2Map:timer(100ms)",
        "/EuclideanClusterSettings:timer(25ms)", "/BehaviorPlanner:timer(100ms)"}) {
    EXPECT_NE(table.find(id), kNone) << id;
  }
  for (const Node & node : graph.nodes) {
    for (const Input & input : node.inputs) {
      EXPECT_EQ(input.depth, node.kind == NodeKind::command ? 10u : 1u) << node.name;
    }
    EXPECT_EQ(node.publisher_depth, 1u);
  }
  const auto & callbacks = table.callbacks();
  const auto ray = table.find("/EuclideanClusterDetector:sub(/RayGroundFilter)");
  const auto settings = table.find("/EuclideanClusterDetector:sub(/EuclideanClusterSettings)");
  ASSERT_NE(ray, kNone);
  ASSERT_NE(settings, kNone);
  EXPECT_EQ(callbacks[ray].group, "/EuclideanClusterDetector:group(RayGroundFilter)");
  EXPECT_NE(callbacks[ray].group, callbacks[settings].group);
  EXPECT_EQ(graph.nodes.front().name, "/FrontLidarDriver");
  EXPECT_EQ(graph.nodes.back().name, "/IntersectionOutput");
}

TEST(AutowareReference, LoadsTheCoresAsMuchAsTheOriginal)
{
  const Graph graph = shipped("autoware_reference");
  double works = 0.0;
  double cores = 0.0;
  for (const CallbackLoad & load : CallbackTable(graph).loads(graph)) {
    works += load.utilisation > 0.0 ? load.work_rate : 0.0;
    cores += load.utilisation;
  }
  EXPECT_NEAR(works, 190.0, 1e-6);
  EXPECT_NEAR(cores, 190.0 * 5.86e-3, 1e-6);
}

TEST(AutowareReference, HasChainsWithDeadlinesOfTheirPeriodsAndOfWhatTheyWaitFor)
{
  const Graph graph = shipped("autoware_reference");
  const CallbackTable table(graph);
  EXPECT_EQ(graph.chains.size(), 13u);
  for (const Chain & chain : graph.chains) {
    const auto root = table.find(chain.path.front());
    ASSERT_NE(root, kNone);
    // If the period of another sensor decides when data goes on, the chain's deadline includes time
    // to wait for that sensor.
    const bool waits =
      std::any_of(chain.path.begin(), chain.path.end(), [](const std::string & id) {
        return id.starts_with("/NDTLocalizer:") || id.starts_with("/Lanelet2GlobalPlanner:") ||
               id.starts_with("/Lanelet2MapLoader:");
      });
    const auto period = table.callbacks()[root].period;
    EXPECT_TRUE(waits ? chain.deadline > 2 * period : chain.deadline == period) << chain.name;
  }
  EXPECT_EQ(graph.chains[0].path.size(), 7u);
  EXPECT_TRUE(graph.chains[0].hot_path);
  EXPECT_EQ(graph.kpis.hot_path_sink, "/ObjectCollisionEstimator:sub(/EuclideanClusterDetector)");
}

TEST(ChainGraphs, AreAsTheReportDrawsThem)
{
  const Graph three = shipped("three_chains");
  EXPECT_EQ(CallbackTable(three).callbacks().size(), 9u);
  EXPECT_EQ(three.chains.size(), 3u);
  EXPECT_EQ(three.message, MessageType::Int32);
  const Graph four = shipped("four_chains");
  EXPECT_EQ(CallbackTable(four).callbacks().size(), 12u);
  ASSERT_EQ(four.chains.size(), 4u);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_GT(four.chains[i - 1].priority, four.chains[i].priority);
  }
}

// A schedule is complete without the graph, so it repeats the graph's chains. Both must stay equal.
TEST(Shipped, ScheduleAndGraphHaveTheSameChains)
{
  const Graph graph = shipped("autoware_reference");
  const auto schedule = takt_schedule::load_schedule(find_shipped("autoware_takt", "schedules"));
  ASSERT_TRUE(schedule.ok());
  const CallbackTable table(graph);
  ASSERT_EQ(schedule.value().chains.size(), graph.chains.size());
  for (const Chain & chain : graph.chains) {
    const auto & all = schedule.value().chains;
    const auto found = std::find_if(
      all.begin(), all.end(), [&](const auto & one) { return one.options.name == chain.name; });
    ASSERT_NE(found, all.end()) << chain.name;
    EXPECT_EQ(found->options.path, chain.path) << chain.name;
    EXPECT_EQ(found->options.priority, chain.priority) << chain.name;
    EXPECT_EQ(found->options.deadline, chain.deadline) << chain.name;
    EXPECT_EQ(found->options.period, table.callbacks()[table.find(chain.path.front())].period)
      << chain.name;
  }
}

}  // namespace takt_workload
