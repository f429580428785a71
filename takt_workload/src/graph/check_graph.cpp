#include <fmt/format.h>

#include <map>

#include "graph/callback_table.hpp"
#include "graph/graph_reader.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_workload
{

using takt_schedule::quoted;

namespace
{

// Adds faults for doubled names, and returns the names of nodes with faults.
Doubtful check_names(const Graph & graph, const Doubtful & doubtful, Findings & findings)
{
  Doubtful found;
  const auto fault = [&](const Node & node, const Source & at, const std::string & what) {
    found.insert(node.name);
    findings.fault(at, what);
  };
  std::map<std::string, Source> nodes;
  std::map<std::string, std::string> publishers;
  for (const Node & node : graph.nodes) {
    if (!node.name.empty() && !nodes.emplace(node.name, node.source).second) {
      fault(
        node, node.source,
        fmt::format("there is a node {} already, in line {}", node.name, nodes[node.name].line));
    }
    const auto publishes = [&](const std::string & topic, const Source & at) {
      if (!topic.empty() && !publishers.emplace(topic, node.name).second) {
        fault(
          node, at,
          fmt::format(
            "{} is published by {} already; a topic has one publisher here", topic,
            publishers[topic]));
      }
    };
    publishes(node.output, node.source);
    for (const Input & input : node.inputs) {
      publishes(input.output, input.source);
    }
  }
  std::vector<std::string> topics;
  for (const auto & [topic, publisher] : publishers) {
    topics.push_back(topic);
  }
  for (const Node & node : graph.nodes) {
    for (const Input & input : node.inputs) {
      if (
        !input.topic.empty() && !publishers.contains(input.topic) && !doubtful.contains("") &&
        !doubtful.contains(input.topic)) {
        const std::string best = findings.guesses().closest(input.topic, topics);
        fault(
          node, input.source,
          "nobody publishes " + quoted(input.topic) +
            (best.empty() ? std::string() : "; did you mean " + quoted(best) + "?"));
      }
    }
  }
  return found;
}

// Reports callbacks that never run, because a cycle without a timer feeds them.
void check_driven(const Graph & graph, Findings & findings)
{
  const CallbackTable table(graph);
  const std::vector<CallbackLoad> loads = table.loads(graph);
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const CallbackEntry & callback = table.callbacks()[i];
    if (loads[i].rate <= 0.0) {
      findings.fault(
        graph.nodes[callback.node].source,
        fmt::format("{} never runs: no path leads from a timer to its input", callback.id));
    }
  }
}

}  // namespace

void check_graph(const Graph & graph, Doubtful & doubtful, Findings & findings)
{
  doubtful.merge(check_names(graph, doubtful, findings));
  if (doubtful.empty()) {
    check_driven(graph, findings);
  }
}

}  // namespace takt_workload
