// Semantics of the reference system's nodes on takt_rcl. The test's own thread runs single steps.
#include "run/graph_node.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "graph/graph_parse.hpp"
#include "run/history.hpp"
#include "run/recorder.hpp"
#include "takt_host/private_domain.hpp"
#include "takt_rcl/executor.hpp"

namespace takt_workload
{

using takt_msgs::msg::Message4kb;

// One node of a graph between hand-made publishers and subscribers.
class Bench : public ::testing::Test
{
protected:
  void start(const std::string & text, const std::string & node, const std::string & output)
  {
    graph = *parse_graph(text, "test");
    table = std::make_unique<CallbackTable>(graph);
    takt_rcl::InitOptions init;
    init.domain_id = domain.id();
    context->init(0, nullptr, init);
    executor = std::make_unique<takt_rcl::Executor>(context);
    recorder = std::make_shared<Recorder>(*table, 2, 1000, 0);
    ASSERT_TRUE(executor->core().add_observer(recorder).ok());
    settings.context = context;
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
      if (graph.nodes[i].name == node) {
        tested = make_node(graph, *table, i, settings);
      }
    }
    takt_rcl::NodeOptions options;
    options.context(context);
    hand = std::make_unique<takt_rcl::Node>("hand", options);
    for (const auto & reception : tested->receptions()) {
      const std::string topic = reception.subscription->topic();
      publishers[topic] = hand->create_publisher<Message4kb>(topic, 1);
    }
    result = hand->create_subscription<Message4kb>(output, 10, [this](const Message4kb & message) {
      got.push_back(message);
      const takt_core::ActivationSet * const now = takt_core::current_activations();
      carried.push_back(now != nullptr ? *now : takt_core::ActivationSet{});
    });
    executor->add_node(tested->ros());
    executor->add_node(*hand);
    for (const auto & [topic, publisher] : publishers) {
      ASSERT_TRUE(publisher->wait_for_matched(1, std::chrono::seconds(60)));
    }
    ASSERT_TRUE(result->wait_for_matched(1, std::chrono::seconds(60)));
  }

  // Publishes a message with one entry, and runs the callbacks that it starts.
  void send(const std::string & topic, const std::string & from, std::uint32_t sequence)
  {
    Message4kb message;
    append_entry(message, from, takt_rt::now(), sequence, 0);
    publishers.at(topic)->publish(message);
    run(1);
  }

  void run(int callbacks)
  {
    for (int i = 0; i < callbacks; ++i) {
      EXPECT_TRUE(executor->spin_once(std::chrono::seconds(60)));
    }
  }

  // Runs the callbacks that are ready, and does not wait for others.
  void rest() { executor->spin_some(); }

  std::vector<std::string> names(const Message4kb & message)
  {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < message.size; ++i) {
      all.emplace_back(name_of(message.stats[i]));
    }
    return all;
  }

  takt_host::PrivateDomain domain;
  Graph graph;
  std::unique_ptr<CallbackTable> table;
  std::shared_ptr<takt_rcl::Context> context = std::make_shared<takt_rcl::Context>();
  std::shared_ptr<Recorder> recorder;
  NodeSettings settings;
  std::unique_ptr<takt_rcl::Executor> executor;
  std::unique_ptr<GraphNode> tested;
  std::unique_ptr<takt_rcl::Node> hand;
  std::map<std::string, std::shared_ptr<takt_rcl::Publisher<Message4kb>>> publishers;
  std::shared_ptr<takt_rcl::Subscription<Message4kb>> result;
  std::vector<Message4kb> got;
  std::vector<takt_core::ActivationSet> carried;
};

constexpr const char * kGraph = R"(
version: 1
name: test
nodes:
  - {name: A, kind: sensor, period: 1min}
  - {name: B, kind: sensor, period: 1min}
  - {name: F, kind: fusion, inputs: [A, B]}
  - {name: T, kind: transform, input: A}
  - {name: C, kind: cyclic, period: 50ms, inputs: [A, B]}
)";

TEST_F(Bench, FusionPublishesOncePerCompletePairAndForgetsBoth)
{
  start(kGraph, "/F", "/F");
  send("/A", "A", 1);
  rest();
  EXPECT_TRUE(got.empty());
  send("/A", "A", 2);  // replaces the first message in the slot
  rest();
  EXPECT_TRUE(got.empty());
  send("/B", "B", 1);
  run(1);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(names(got[0]), (std::vector<std::string>{"A", "B", "F"}));
  EXPECT_EQ(got[0].stats[0].sequence_number, 2u);
  EXPECT_EQ(got[0].stats[2].sequence_number, 1u);
  EXPECT_EQ(got[0].stats[2].dropped_samples, 1u);  // of A: its first message was replaced
  send("/B", "B", 2);
  rest();
  EXPECT_EQ(got.size(), 1u) << "both slots must be empty after a publish";
  send("/A", "A", 3);
  run(1);
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[1].stats[2].dropped_samples, 0u);
}

TEST_F(Bench, FusionCarriesTheActivationsOfAllItsInputs)
{
  start(kGraph, "/F", "/F");
  send("/A", "A", 1);
  send("/B", "B", 1);
  run(1);
  ASSERT_EQ(carried.size(), 1u);
  std::set<std::uint32_t> roots;
  for (const takt_core::Activation & activation : carried[0]) {
    roots.insert(activation.root);
  }
  std::set<std::uint32_t> inputs;
  for (const auto & reception : tested->receptions()) {
    inputs.insert(reception.subscription->number());
  }
  EXPECT_TRUE(std::includes(roots.begin(), roots.end(), inputs.begin(), inputs.end()));
}

TEST_F(Bench, FusionMergesHistoriesByNodeNameFirstOneWins)
{
  start(kGraph, "/F", "/F");
  send("/A", "Same", 7);
  send("/B", "Same", 9);
  run(1);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(names(got[0]), (std::vector<std::string>{"Same", "F"}));
  EXPECT_EQ(got[0].stats[0].sequence_number, 7u);
}

TEST_F(Bench, TransformCopiesTheHistoryAndCountsWhatItMissed)
{
  start(kGraph, "/T", "/T");
  send("/A", "A", 1);
  run(1);
  send("/A", "A", 5);
  run(1);
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(names(got[1]), (std::vector<std::string>{"A", "T"}));
  EXPECT_EQ(got[1].stats[1].sequence_number, 2u);
  EXPECT_EQ(got[0].stats[1].dropped_samples, 0u);
  EXPECT_EQ(got[1].stats[1].dropped_samples, 3u);
}

TEST_F(Bench, CyclicPublishesWhateverIsThereAndForgetsIt)
{
  start(kGraph, "/C", "/C");
  send("/A", "A", 1);
  // Both the input and the timer may be due. So the test runs steps until it has seen two cycles.
  while (got.size() < 2) {
    run(1);
  }
  const bool first = got[0].size == 2;  // the timer may have been due before the message
  EXPECT_TRUE(first || got[1].size == 2u);
  EXPECT_EQ(names(got[0]).back(), "C");
  EXPECT_EQ(names(got[1]).back(), "C");
  while (got.size() < 4) {
    run(1);
  }
  EXPECT_EQ(names(got[3]), (std::vector<std::string>{"C"})) << "it publishes with nothing cached";
}

TEST_F(Bench, EveryRunIsRecordedWithWhatItTookAndPublished)
{
  start(kGraph, "/F", "/F");
  send("/A", "A", 1);
  send("/B", "B", 1);
  const std::vector<RunRecord> runs = recorder->runs();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].callback, table->find("/F:sub(/A)"));
  EXPECT_EQ(runs[0].taken, 1u);
  EXPECT_EQ(runs[0].published, 0u);
  EXPECT_EQ(runs[0].taken_from, fold(publishers.at("/A")->gid()));
  EXPECT_EQ(runs[1].taken, 1u);
  EXPECT_EQ(runs[1].published, 1u);
  EXPECT_LE(runs[0].release, runs[0].start);
  EXPECT_LE(runs[0].start, runs[0].end);
  EXPECT_LE(runs[0].end, runs[1].start);
}

TEST(History, AddsNoMoreThanFits)
{
  Message4kb message;
  for (int i = 0; i < 70; ++i) {
    append_entry(message, "node" + std::to_string(i), takt_rt::from_ns(i), 1, 0);
  }
  EXPECT_EQ(message.size, 63u);
  Message4kb other;
  append_entry(other, "more", takt_rt::from_ns(1), 1, 0);
  merge_history(message, other);
  EXPECT_EQ(message.size, 63u);
  message.size = 1000;  // a foreign publisher may send any size
  EXPECT_EQ(used_entries(message), 63u);
  EXPECT_EQ(sizeof(Message4kb), 4096u);
}

}  // namespace takt_workload
