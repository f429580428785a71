#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "graph/graph_reader.hpp"
#include "takt_workload/analysis.hpp"
#include "takt_workload/callback_table.hpp"

namespace takt_workload
{

namespace
{

// Resolves references (node names and callback ids) to callbacks.
class References
{
public:
  References(const Graph & graph, const Doubtful & doubtful, FileFaults & faults)
  : graph_(graph),
    doubtful_(doubtful),
    table_(graph),
    faults_(faults)
  {
  }

  const CallbackTable & table() const { return table_; }

  // The timer of a node, or the callback of that id.
  std::uint32_t timer(const std::string & word, Place place)
  {
    if (word.find(':') != std::string::npos) {
      return by_id(word, place);
    }
    const std::uint32_t node = node_of(word, place);
    if (node != kNone) {
      for (const std::uint32_t callback : table_.of_node(node)) {
        if (table_.callbacks()[callback].timer) {
          return callback;
        }
      }
      faults_.add(
        place, fmt::format("{} has no timer; name a node that has one, or a timer's id", word));
    }
    return kNone;
  }

  // The subscription of node `word` that gets what callback `from` (or its node) publishes.
  std::uint32_t next(const std::string & word, Place place, std::uint32_t from)
  {
    const bool is_id = word.find(':') != std::string::npos;
    const std::uint32_t node = is_id ? kNone : node_of(word, place);
    if (!is_id && node == kNone) {
      return kNone;
    }
    if (is_id && doubted(qualified(word.substr(0, word.find(':'))))) {
      return kNone;
    }
    const std::uint32_t topic = table_.callbacks()[from].output_topic;
    if (topic == kNone) {
      faults_.add(
        place, fmt::format(
                 "{} publishes nothing that a chain could follow (a chain ends at a timer-driven "
                 "reader)",
                 table_.callbacks()[from].id));
      return kNone;
    }
    for (const std::uint32_t callback : table_.topics()[topic].subscribers) {
      const CallbackEntry & entry = table_.callbacks()[callback];
      if (is_id ? entry.id == word : entry.node == node) {
        return callback;
      }
    }
    faults_.add(
      place, fmt::format("{} does not subscribe to {}", word, table_.topics()[topic].name));
    return kNone;
  }

  std::uint32_t by_id(const std::string & id, Place place)
  {
    const std::uint32_t callback = table_.find(id);
    if (callback == kNone && !doubted(qualified(id.substr(0, id.find(':'))))) {
      std::set<std::string> known;
      for (const CallbackEntry & entry : table_.callbacks()) {
        known.insert(entry.id);
      }
      faults_.add(place, fmt::format("there is no callback {}{}", id, did_you_mean(id, known, 0)));
    }
    return callback;
  }

  std::uint32_t node_of(const std::string & word, Place place)
  {
    if (doubtful_.contains(qualified(word))) {
      return kNone;
    }
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      if (graph_.nodes[i].name == qualified(word)) {
        return i;
      }
    }
    if (doubtful_.contains("")) {
      return kNone;
    }
    std::set<std::string> known;
    for (const Node & node : graph_.nodes) {
      known.insert(word.starts_with('/') ? node.name : node.name.substr(1));
    }
    faults_.add(place, fmt::format("there is no node {}{}", word, did_you_mean(word, known, 0)));
    return kNone;
  }

private:
  // Whether what is said of a node, or of one that is not there, may only follow from other faults.
  bool doubted(const std::string & node) const
  {
    return doubtful_.contains(node) || doubtful_.contains("");
  }

  const Graph & graph_;
  const Doubtful & doubtful_;
  CallbackTable table_;
  FileFaults & faults_;
};

}  // namespace

void read_chains(
  const YAML::Node & list, const Doubtful & doubtful, Graph & graph, FileFaults & faults)
{
  References references(graph, doubtful, faults);
  for (const auto & entry : list) {
    MapReader reader(entry, "chain", faults);
    Chain chain;
    chain.place = reader.place();
    chain.name = reader.text("name", true).value_or("");
    chain.priority = static_cast<int>(reader.integer("priority", 0, 255).value_or(0));
    chain.deadline = reader.duration("deadline").value_or(takt_core::kForever);
    chain.hot_path = reader.boolean("hot_path").value_or(false);
    for (const Chain & other : graph.chains) {
      if (!chain.name.empty() && other.name == chain.name) {
        reader.fault(fmt::format("there are two chains '{}'", chain.name));
      }
    }
    const auto path = reader.texts("path");
    std::uint32_t callback = kNone;
    for (std::size_t i = 0; i < path.size(); ++i) {
      const auto & [word, place] = path[i];
      callback = i == 0 ? references.timer(word, place) : references.next(word, place, callback);
      if (callback == kNone) {
        break;
      }
      chain.path.push_back(references.table().callbacks()[callback].id);
    }
    if (path.empty()) {
      reader.fault("'path' is missing; add path: [A, B], of nodes or callback ids");
    }
    reader.finish();
    graph.chains.push_back(std::move(chain));
  }
}

namespace
{

// A root that does not lead to the sink would leave the hot path without a sample, silently.
void check_reached(const Graph & graph, const CallbackTable & table, MapReader & hot)
{
  const std::uint32_t sink = table.find(graph.kpis.hot_path_sink);
  std::vector<std::uint32_t> roots;
  for (const std::string & id : graph.kpis.hot_path_roots) {
    roots.push_back(table.find(id));
  }
  if (sink == kNone || std::find(roots.begin(), roots.end(), kNone) != roots.end()) {
    return;
  }
  const auto between = callbacks_between(graph, table, roots, sink);
  for (const std::uint32_t root : roots) {
    if (std::find(between.begin(), between.end(), root) == between.end()) {
      hot.fault_at(
        "roots",
        fmt::format(
          "no path leads from {} to {}", table.callbacks()[root].id, graph.kpis.hot_path_sink));
    }
  }
}

}  // namespace

void read_kpis(
  const YAML::Node & node, const Doubtful & doubtful, Graph & graph, FileFaults & faults)
{
  if (!node.IsDefined()) {
    return;
  }
  References references(graph, doubtful, faults);
  const auto id_of = [&](std::uint32_t callback) {
    return callback == kNone ? std::string() : references.table().callbacks()[callback].id;
  };
  // The only subscription of a node, or the callback of that id.
  const auto only_input = [&](MapReader & reader, const std::string & key) -> std::string {
    const auto word = reader.text(key, true);
    const Place place = place_of(reader.get(key));
    if (!word || word->find(':') != std::string::npos) {
      return word ? id_of(references.by_id(*word, place)) : "";
    }
    const std::uint32_t found = references.node_of(*word, place);
    if (found != kNone && graph.nodes[found].inputs.size() != 1) {
      reader.fault_at(key, fmt::format("{} has not one input: give a callback id", *word));
      return "";
    }
    return found == kNone
             ? ""
             : subscription_id(graph.nodes[found].name, graph.nodes[found].inputs[0].topic);
  };
  MapReader reader(node, "kpis", faults);
  if (reader.has("hot_path")) {
    MapReader hot(reader.get("hot_path"), "hot_path", faults);
    for (const auto & [word, place] : hot.texts("roots")) {
      graph.kpis.hot_path_roots.push_back(id_of(references.timer(word, place)));
    }
    if (graph.kpis.hot_path_roots.empty()) {
      hot.fault("'roots' is missing; add roots: [A], of nodes with timers");
    }
    graph.kpis.hot_path_sink = only_input(hot, "sink");
    if (doubtful.empty()) {
      check_reached(graph, references.table(), hot);
    }
    hot.finish();
  }
  if (reader.has("planner")) {
    MapReader planner(reader.get("planner"), "planner", faults);
    if (const auto word = planner.text("node", true)) {
      graph.kpis.planner = id_of(references.timer(*word, place_of(planner.get("node"))));
    }
    if (const auto topic = planner.text("obstacle_input")) {
      const std::uint32_t timer = references.table().find(graph.kpis.planner);
      if (timer != kNone) {
        const Node & owner = graph.nodes[references.table().callbacks()[timer].node];
        graph.kpis.obstacle_input = id_of(references.by_id(
          subscription_id(owner.name, qualified(*topic)), place_of(planner.get("obstacle_input"))));
      }
    }
    planner.finish();
  }
  reader.finish();
}

}  // namespace takt_workload
