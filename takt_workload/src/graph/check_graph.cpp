#include <fmt/format.h>

#include <map>

#include "graph/graph_reader.hpp"
#include "takt_workload/callback_table.hpp"

namespace takt_workload
{

namespace
{

// Returns the names of nodes with faults.
Doubtful check_names(const Graph & graph, const Doubtful & doubtful, FileFaults & faults)
{
  Doubtful found;
  const auto fault = [&](const Node & node, Place place, const std::string & what) {
    found.insert(node.name);
    faults.add(place, what);
  };
  std::map<std::string, Place> nodes;
  std::map<std::string, std::string> publishers;
  for (const Node & node : graph.nodes) {
    if (!node.name.empty() && !nodes.emplace(node.name, node.place).second) {
      fault(
        node, node.place,
        fmt::format("there is a node {} already, in line {}", node.name, nodes[node.name].line));
    }
    const auto publishes = [&](const std::string & topic, Place place) {
      if (!topic.empty() && !publishers.emplace(topic, node.name).second) {
        fault(
          node, place,
          fmt::format(
            "{} is published by {} already; a topic has one publisher here", topic,
            publishers[topic]));
      }
    };
    publishes(node.output, node.place);
    std::map<std::string, Place> inputs;
    for (const Input & input : node.inputs) {
      publishes(input.output, input.place);
      if (!input.topic.empty() && !inputs.emplace(input.topic, input.place).second) {
        fault(node, input.place, fmt::format("{} takes {} twice", node.name, input.topic));
      }
    }
  }
  for (const Node & node : graph.nodes) {
    for (const Input & input : node.inputs) {
      if (
        !input.topic.empty() && !publishers.contains(input.topic) && !doubtful.contains("") &&
        !doubtful.contains(input.topic)) {
        fault(
          node, input.place,
          fmt::format("nobody publishes {}{}", input.topic, did_you_mean(input.topic, publishers)));
      }
    }
  }
  return found;
}

// What never runs: fed by a cycle that no timer drives.
void check_driven(const Graph & graph, FileFaults & faults)
{
  const CallbackTable table(graph);
  const std::vector<CallbackLoad> loads = table.loads(graph);
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const CallbackEntry & callback = table.callbacks()[i];
    if (loads[i].rate <= 0.0) {
      faults.add(
        graph.nodes[callback.node].place,
        fmt::format("{} never runs: no timer drives what it waits for", callback.id));
    }
  }
}

}  // namespace

void check_graph(const Graph & graph, Doubtful & doubtful, FileFaults & faults)
{
  doubtful.merge(check_names(graph, doubtful, faults));
  if (doubtful.empty()) {
    check_driven(graph, faults);
  }
}

}  // namespace takt_workload
