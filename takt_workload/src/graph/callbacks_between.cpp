#include <algorithm>
#include <iterator>
#include <set>

#include "graph/callbacks_between.hpp"

namespace takt_workload
{

std::vector<std::uint32_t> callbacks_between(
  const Graph & graph, const CallbackTable & table, const std::vector<std::uint32_t> & roots,
  std::uint32_t sink)
{
  const auto spread = [&](std::set<std::uint32_t> reached, bool forward) {
    for (bool grew = true; grew;) {
      grew = false;
      for (std::uint32_t i = 0; i < table.callbacks().size(); ++i) {
        const CallbackEntry & a = table.callbacks()[i];
        for (std::uint32_t j = 0; j < table.callbacks().size(); ++j) {
          const CallbackEntry & b = table.callbacks()[j];
          const bool feeds = a.output_topic != kNone && a.output_topic == b.input_topic;
          // A reader that a timer drives ends a path.
          const bool ends = graph.nodes[a.node].kind == NodeKind::cyclic && !a.timer;
          if (feeds && !ends && reached.contains(forward ? i : j)) {
            grew = reached.insert(forward ? j : i).second || grew;
          }
        }
      }
    }
    return reached;
  };
  const auto from_roots = spread({roots.begin(), roots.end()}, true);
  const auto to_sink = spread({sink}, false);
  std::vector<std::uint32_t> both;
  std::set_intersection(
    from_roots.begin(), from_roots.end(), to_sink.begin(), to_sink.end(), std::back_inserter(both));
  return both;
}

}  // namespace takt_workload
