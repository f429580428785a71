#include "analysis/jobs/node_ways.hpp"

#include <algorithm>
#include <utility>

namespace takt_plan::detail
{

std::vector<std::vector<Index>> ways_of_nodes(
  const Flow & flow, const JobGraph & graph, const Chain & chain)
{
  std::vector<std::vector<Index>> found;
  for (const Index stream : flow.streams.of(chain.path.front())) {
    if (flow.streams.all()[stream].from.empty()) {
      found.push_back({graph.node_of_stream[stream]});
    }
  }
  for (Index i = 1; i <= chain.path.size() && !found.empty(); ++i) {
    std::vector<std::vector<Index>> longer;
    for (std::vector<Index> & way : found) {
      const Index task = chain.path[i - 1];
      if (flow.streams.set(task) != nullptr) {
        way.push_back(graph.node_of_stream[flow.streams.after(task).front()]);
      }
      if (i == chain.path.size()) {
        longer.push_back(std::move(way));
        continue;
      }
      for (const Index stream : flow.streams.of(chain.path[i])) {
        if (graph.node_of_stream[stream] == kNone) {
          continue;  // the callback only reads the message, and belongs to another part
        }
        const JobNode & node = graph.nodes[graph.node_of_stream[stream]];
        const bool goes_on = std::any_of(
          node.from.begin(), node.from.end(),
          [&](const auto & from) { return from.node == way.back(); });
        if (goes_on) {
          longer.push_back(way);
          longer.back().push_back(graph.node_of_stream[stream]);
        }
      }
    }
    found = std::move(longer);
  }
  return found;
}

}  // namespace takt_plan::detail
