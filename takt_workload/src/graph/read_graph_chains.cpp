#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "graph/callback_table.hpp"
#include "graph/callbacks_between.hpp"
#include "graph/graph_reader.hpp"
#include "takt_core/adapter/callback_ids.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_workload
{

using takt_schedule::quoted;

namespace
{

// Resolves references (node names and callback ids) to callbacks.
class References
{
public:
  References(const Graph & graph, const Doubtful & doubtful, Findings & findings)
  : graph_(graph),
    doubtful_(doubtful),
    table_(graph),
    findings_(findings)
  {
  }

  const CallbackTable & table() const { return table_; }

  // The timer of node `word`, or the callback with the id `word`.
  std::uint32_t timer(const std::string & word, const Source & at)
  {
    if (word.find(':') != std::string::npos) {
      return by_id(word, at);
    }
    const std::uint32_t node = node_of(word, at);
    if (node != kNone) {
      for (const std::uint32_t callback : table_.of_node(node)) {
        if (table_.callbacks()[callback].timer) {
          return callback;
        }
      }
      findings_.fault(
        at, fmt::format("{} has no timer; name a node that has one, or a timer's id", word));
    }
    return kNone;
  }

  // The subscription of node `word` to a topic that the callback `from` (or its node) publishes.
  std::uint32_t next(const std::string & word, const Source & at, std::uint32_t from)
  {
    const bool is_id = word.find(':') != std::string::npos;
    const std::uint32_t node = is_id ? kNone : node_of(word, at);
    if (!is_id && node == kNone) {
      return kNone;
    }
    if (is_id && doubted(qualified(word.substr(0, word.find(':'))))) {
      return kNone;
    }
    const std::uint32_t topic = table_.callbacks()[from].output_topic;
    if (topic == kNone) {
      findings_.fault(
        at, fmt::format(
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
    findings_.fault(
      at, fmt::format("{} does not subscribe to {}", word, table_.topics()[topic].name));
    return kNone;
  }

  std::uint32_t by_id(const std::string & id, const Source & at)
  {
    const std::uint32_t callback = table_.find(takt_core::adapter::normal_id(id));
    if (callback == kNone && !doubted(qualified(id.substr(0, id.find(':'))))) {
      std::vector<std::string> known;
      for (const CallbackEntry & entry : table_.callbacks()) {
        known.push_back(entry.id);
      }
      findings_.fault(at, "there is no callback " + quoted(id) + meant(id, known));
    }
    return callback;
  }

  std::uint32_t node_of(const std::string & word, const Source & at)
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
    std::vector<std::string> known;
    for (const Node & node : graph_.nodes) {
      known.push_back(word.starts_with('/') || node.name.empty() ? node.name : node.name.substr(1));
    }
    findings_.fault(at, "there is no node " + quoted(word) + meant(word, known));
    return kNone;
  }

private:
  std::string meant(const std::string & word, const std::vector<std::string> & known)
  {
    const std::string best = findings_.guesses().closest(word, known);
    return best.empty() ? "" : "; did you mean " + quoted(best) + "?";
  }

  // True if a fault of this node may follow from other faults, or if the node does not exist.
  bool doubted(const std::string & node) const
  {
    return doubtful_.contains(node) || doubtful_.contains("");
  }

  const Graph & graph_;
  const Doubtful & doubtful_;
  CallbackTable table_;
  Findings & findings_;
};

}  // namespace

void read_graph_chains(
  const YamlNode & list, const Doubtful & doubtful, Graph & graph, Findings & findings)
{
  if (!takt_schedule::expect_list(findings, list, "chains")) {
    return;
  }
  References references(graph, doubtful, findings);
  std::map<std::string, int> lines;
  for (const takt_schedule::YamlPtr & entry : list.items) {
    MapReader map(
      findings, *entry, "a chain", {"name", "path", "priority", "deadline", "hot_path"});
    Chain chain;
    chain.source = entry->at;
    if (map.require("name", "some_name")) {
      const auto name = map.scalar("name", "a name");
      chain.name = name ? name->text : "";
    }
    map.integer("priority", 0, 255, chain.priority);
    map.duration("deadline", true, chain.deadline);
    map.boolean("hot_path", chain.hot_path);
    const auto [first, fresh] = lines.emplace(chain.name, chain.source.line);
    if (!chain.name.empty() && !fresh) {
      findings.fault(
        entry->at,
        fmt::format(
          "duplicate chain {}; it is on line {} already", quoted(chain.name), first->second));
    }
    std::vector<takt_schedule::Word> path;
    if (map.require("path", "[A, B], of nodes or callback ids")) {
      path = map.words("path", "a list of nodes or callback ids, as in [A, B]");
    }
    std::uint32_t callback = kNone;
    for (std::size_t i = 0; i < path.size(); ++i) {
      const auto & [word, at] = path[i];
      callback = i == 0 ? references.timer(word, at) : references.next(word, at, callback);
      if (callback == kNone) {
        break;
      }
      chain.path.push_back(references.table().callbacks()[callback].id);
    }
    graph.chains.push_back(std::move(chain));
  }
}

namespace
{

// Reports a root from which no way leads to the sink: the hot path would have no samples, without
// any message.
void check_reached(
  const Graph & graph, const CallbackTable & table, const Source & at, Findings & findings)
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
      findings.fault(
        at, fmt::format(
              "no path leads from {} to {}", table.callbacks()[root].id, graph.kpis.hot_path_sink));
    }
  }
}

}  // namespace

void read_kpis(const YamlNode & node, const Doubtful & doubtful, Graph & graph, Findings & findings)
{
  References references(graph, doubtful, findings);
  const auto id_of = [&](std::uint32_t callback) {
    return callback == kNone ? std::string() : references.table().callbacks()[callback].id;
  };
  const auto word_of = [](MapReader & map, std::string_view key) {
    return map.require(key, "A") ? map.scalar(key, "a node or a callback id") : std::nullopt;
  };
  // The only subscription of a node, or the callback with this id.
  const auto only_input = [&](MapReader & map, std::string_view key) -> std::string {
    const auto word = word_of(map, key);
    if (!word || word->text.find(':') != std::string::npos) {
      return word ? id_of(references.by_id(word->text, word->at)) : "";
    }
    const std::uint32_t found = references.node_of(word->text, word->at);
    if (found != kNone && graph.nodes[found].inputs.size() != 1) {
      findings.fault(word->at, quoted(word->text) + " has not one input; name a callback id");
      return "";
    }
    return found == kNone
             ? ""
             : subscription_id(graph.nodes[found].name, graph.nodes[found].inputs[0].topic);
  };
  MapReader map(findings, node, "kpis", {"hot_path", "planner"});
  if (const YamlNode * const given = map.find("hot_path")) {
    MapReader hot(findings, *given, "hot_path", {"roots", "sink"});
    if (hot.require("roots", "[A], of nodes with timers")) {
      for (const auto & [word, at] : hot.words("roots", "a list of nodes with timers")) {
        graph.kpis.hot_path_roots.push_back(id_of(references.timer(word, at)));
      }
    }
    graph.kpis.hot_path_sink = only_input(hot, "sink");
    if (doubtful.empty()) {
      check_reached(graph, references.table(), hot.value_at("roots"), findings);
    }
  }
  if (const YamlNode * const given = map.find("planner")) {
    MapReader planner(findings, *given, "planner", {"node", "obstacle_input"});
    if (const auto word = word_of(planner, "node")) {
      graph.kpis.planner = id_of(references.timer(word->text, word->at));
    }
    if (const auto topic = planner.scalar("obstacle_input", "a topic")) {
      const std::uint32_t timer = references.table().find(graph.kpis.planner);
      if (timer != kNone) {
        const Node & owner = graph.nodes[references.table().callbacks()[timer].node];
        graph.kpis.obstacle_input =
          id_of(references.by_id(subscription_id(owner.name, qualified(topic->text)), topic->at));
      }
    }
  }
}

}  // namespace takt_workload
