#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>

#include "graph/graph_reader.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_workload
{

using takt_schedule::quoted;

namespace
{

constexpr int kMaxDepth = 10'000;
// The middleware adds characters to a name; together they may have 255.
constexpr std::size_t kMaxName = 200;
// No timer of a general-purpose kernel keeps shorter periods, and the records of all runs must fit
// into memory.
constexpr takt_rt::Duration kLeastPeriod = std::chrono::microseconds(10);

constexpr const char * kNames =
  "; use letters, digits and '_', with '/' between words that begin with no digit";

/// The words for the values up to `last`. For `MapReader::choice`.
template <typename Enum>
std::vector<std::pair<Enum, std::string_view>> words_of(Enum last)
{
  std::vector<std::pair<Enum, std::string_view>> words;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    words.emplace_back(static_cast<Enum>(i), to_string(static_cast<Enum>(i)));
  }
  return words;
}

/// The keys of a node of this kind; of all kinds if the kind is unknown.
std::vector<std::string> keys_of(std::optional<NodeKind> kind)
{
  std::vector<std::string> keys{"name", "kind", "host", "groups"};
  const auto add =
    [&](std::initializer_list<NodeKind> kinds, std::initializer_list<const char *> more) {
      if (!kind || std::find(kinds.begin(), kinds.end(), *kind) != kinds.end()) {
        keys.insert(keys.end(), more.begin(), more.end());
      }
    };
  using enum NodeKind;
  add({sensor, cyclic}, {"period", "offset"});
  add({transform, command}, {"input"});
  add({fusion, cyclic}, {"inputs"});
  add({intersection}, {"connections"});
  add({transform, fusion, cyclic, intersection, command}, {"depth"});
  add({sensor, transform, fusion, cyclic}, {"output", "work", "sleep"});
  add({sensor, transform, fusion, cyclic, intersection}, {"publisher_depth"});
  return keys;
}

bool valid_name(const std::string & name)
{
  bool begins = true;  // the next character follows a slash, so it must not be a digit
  for (std::size_t i = 1; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (c == '/' ? begins : !(std::isalpha(c) || c == '_' || (!begins && std::isdigit(c)))) {
      return false;
    }
    begins = c == '/';
  }
  return name.size() > 1 && !begins;
}

class NodeReader
{
public:
  NodeReader(const NodeDefaults & defaults, Findings & findings)
  : defaults_(defaults),
    findings_(findings)
  {
  }

  Node read(const YamlNode & yaml)
  {
    const auto * const kind_entry = yaml.entry("kind");
    const auto kind =
      kind_entry != nullptr ? node_kind_from_string(kind_entry->value->text) : std::nullopt;
    const auto * const name_entry = yaml.entry("name");
    what_ = "node";
    if (name_entry != nullptr && name_entry->value->is_scalar()) {
      what_ += " " + quoted(name_entry->value->text);
    }
    MapReader map(findings_, yaml, what_, keys_of(kind));
    Node node;
    node.source = yaml.at;
    node.name = required_name(map, "name", "some_name");
    if (map.require("kind", "sensor")) {
      map.choice<NodeKind>("kind", words_of(NodeKind::command), node.kind);
    }
    if (!kind) {
      return node;
    }
    if (const auto host = map.scalar("host", "the name of a host")) {
      node.host = host->text;
    }
    read_groups(map, node);
    if (node.has_timer()) {
      read_timer(map, node);
    }
    read_depth(map, "publisher_depth", node.publisher_depth);
    read_ways(map, node);
    return node;
  }

private:
  std::string name(MapReader & map, std::string_view key)
  {
    const auto word = map.scalar(key, "a name");
    return word ? valid(*word) : std::string();
  }

  std::string required_name(MapReader & map, std::string_view key, std::string_view example)
  {
    return map.require(key, example) ? name(map, key) : std::string();
  }

  /// The qualified name. If it is faulty, reports a fault and returns an empty name.
  std::string valid(const takt_schedule::Word & word)
  {
    std::string name = qualified(word.text);
    if (name.size() > kMaxName) {
      findings_.fault(
        word.at,
        fmt::format("a name of {} letters; at most {} are possible", name.size(), kMaxName));
    } else if (!valid_name(name)) {
      findings_.fault(word.at, fmt::format("{} is not a valid ROS name{}", quoted(name), kNames));
    } else {
      return name;
    }
    return {};
  }

  void read_timer(MapReader & map, Node & node)
  {
    if (map.require("period", "100ms")) {
      std::optional<takt_rt::Duration> period;
      map.duration("period", false, period);
      node.period = period.value_or(takt_rt::Duration{});
      if (period && *period < kLeastPeriod) {
        findings_.fault(map.value_at("period"), "period must be at least 10us");
      }
    }
    map.duration("offset", false, node.offset);
  }

  void read_groups(MapReader & map, Node & node)
  {
    node.grouping = node.kind == NodeKind::intersection ? Grouping::callback : Grouping::node;
    constexpr std::array<std::pair<Grouping, std::string_view>, 3> kGroupings{{
      {Grouping::node, "node"},
      {Grouping::callback, "callback"},
      {Grouping::reentrant, "reentrant"},
    }};
    map.choice<Grouping>("groups", kGroupings, node.grouping);
    if (node.joins() && node.grouping != Grouping::node) {
      findings_.fault(
        map.value_at("groups"), fmt::format(
                                  "the callbacks of a {} node share stored messages; write "
                                  "'groups: node'",
                                  to_string(node.kind)));
    }
  }

  Input input_of(MapReader & map)
  {
    Input input;
    input.source = map.at();
    input.topic = required_name(map, "input", "A");
    input.depth = defaults_.depth;
    read_depth(map, "depth", input.depth);
    return input;
  }

  void read_inputs(MapReader & map, Node & node)
  {
    std::uint32_t depth = defaults_.depth;
    read_depth(map, "depth", depth);
    if (!map.require("inputs", "[A, B]")) {
      return;
    }
    for (const takt_schedule::Word & word : map.words("inputs", "a list of topics, as in [A, B]")) {
      Input input;
      input.topic = valid(word);
      input.depth = depth;
      input.source = word.at;
      node.inputs.push_back(std::move(input));
    }
  }

  void read_connections(MapReader & map, Node & node)
  {
    if (!map.require("connections", "[{input: A, output: B}]")) {
      return;
    }
    const YamlNode & list = *map.find("connections");
    if (!takt_schedule::expect_list(findings_, list, "connections")) {
      return;
    }
    for (const takt_schedule::YamlPtr & entry : list.items) {
      const std::string what = "connection of " + what_;
      MapReader one(findings_, *entry, what, {"input", "output", "depth", "work", "sleep"});
      Input input = input_of(one);
      input.output = required_name(one, "output", "B");
      read_effort(one, what, defaults_, input);
      node.inputs.push_back(std::move(input));
    }
    if (list.items.empty()) {
      findings_.fault(list.at, "connections is empty; write [{input: A, output: B}]");
    }
  }

  /// Reads the work and sleep of a run before it publishes. `Way`: a node or one of its
  /// connections.
  template <typename Way>
  void read_effort(
    MapReader & map, const std::string & owner, const NodeDefaults & defaults, Way & way)
  {
    way.work = read_work(map, "work", owner, findings_).value_or(defaults.work);
    way.sleep = read_work(map, "sleep", owner, findings_).value_or(defaults.sleep);
  }

  std::string output(MapReader & map, const Node & node)
  {
    return map.has("output") ? name(map, "output") : node.name;
  }

  /// Reads the inputs, the work and the outputs of a node.
  void read_ways(MapReader & map, Node & node)
  {
    switch (node.kind) {
      case NodeKind::intersection:
        read_connections(map, node);
        break;
      case NodeKind::transform: {
        Input input = input_of(map);
        input.output = output(map, node);
        read_effort(map, what_, defaults_, input);
        node.inputs.push_back(std::move(input));
        break;
      }
      case NodeKind::command:
        node.inputs.push_back(input_of(map));
        break;
      case NodeKind::sensor:
        read_effort(map, what_, NodeDefaults{}, node);
        node.output = output(map, node);
        break;
      case NodeKind::fusion:
      case NodeKind::cyclic:
        read_effort(map, what_, defaults_, node);
        node.output = output(map, node);
        read_inputs(map, node);
        break;
    }
  }

  const NodeDefaults & defaults_;
  Findings & findings_;
  std::string what_;  ///< the node's name in faults
};

}  // namespace

std::string qualified(const std::string & name)
{
  return name.starts_with('/') ? name : "/" + name;
}

void read_depth(MapReader & map, std::string_view key, std::uint32_t & depth)
{
  std::optional<int> value;
  map.integer(key, 1, kMaxDepth, value);
  depth = value ? static_cast<std::uint32_t>(*value) : depth;
}

Node read_node(const YamlNode & node, const NodeDefaults & defaults, Findings & findings)
{
  return NodeReader(defaults, findings).read(node);
}

}  // namespace takt_workload
