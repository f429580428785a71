#include <fmt/format.h>

#include <cctype>
#include <set>

#include "graph/graph_reader.hpp"

namespace takt_workload
{

namespace
{

constexpr std::int64_t kMaxDepth = 10'000;
// What the middleware adds to a name must fit into its 255 letters, too.
constexpr std::size_t kMaxName = 200;
// Far below what any timer of a general-purpose kernel keeps; records of each run must fit somewhere.
constexpr takt_core::Duration kLeastPeriod = std::chrono::microseconds(10);

constexpr const char * kNames =
  "; use letters, digits and '_', with '/' between words that begin with no digit";

const std::set<std::string> kKinds{"sensor", "transform",    "fusion",
                                   "cyclic", "intersection", "command"};

bool valid_name(const std::string & name)
{
  bool begins = true;  // after a slash, where a digit must not stand
  for (std::size_t i = 1; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (c == '/' ? begins : !(std::isalpha(c) || c == '_' || (!begins && std::isdigit(c)))) {
      return false;
    }
    begins = c == '/';
  }
  return name.size() > 1 && !begins;
}

std::optional<std::string> name_of(MapReader & reader, const std::string & key, bool required)
{
  auto name = reader.text(key, required);
  if (!name) {
    return std::nullopt;
  }
  *name = qualified(*name);
  if (name->size() > kMaxName) {
    reader.fault_at(
      key, fmt::format("a name of {} letters; at most {} are possible", name->size(), kMaxName));
    return std::nullopt;
  }
  if (!valid_name(*name)) {
    reader.fault_at(key, fmt::format("'{}' is not a valid ROS name{}", *name, kNames));
    return std::nullopt;
  }
  return name;
}

std::uint32_t depth_of(MapReader & reader, const NodeDefaults & defaults)
{
  return static_cast<std::uint32_t>(reader.integer("depth", 1, kMaxDepth).value_or(defaults.depth));
}

void read_inputs(MapReader & reader, Node & node, const NodeDefaults & defaults)
{
  const std::uint32_t depth = depth_of(reader, defaults);
  for (const auto & [topic, place] : reader.texts("inputs")) {
    Input input;
    input.topic = qualified(topic);
    input.depth = depth;
    input.place = place;
    if (!valid_name(input.topic) || input.topic.size() > kMaxName) {
      reader.fault_at("inputs", fmt::format("'{}' is not a valid ROS name{}", topic, kNames));
    }
    node.inputs.push_back(std::move(input));
  }
  if (node.inputs.empty()) {
    reader.fault("'inputs' is missing; add inputs: [A, B]");
  }
}

void read_connections(
  MapReader & reader, Node & node, const NodeDefaults & defaults, FileFaults & faults)
{
  for (const auto & entry : reader.sequence("connections")) {
    MapReader one(entry, "connection of " + node.name, faults);
    Input input;
    input.place = one.place();
    input.topic = name_of(one, "input", true).value_or("");
    input.output = name_of(one, "output", true).value_or("");
    input.depth = depth_of(one, defaults);
    input.work = one.work("work").value_or(defaults.work);
    one.finish();
    node.inputs.push_back(std::move(input));
  }
  if (node.inputs.empty()) {
    reader.fault("'connections' is missing; add connections: [{input: A, output: B}]");
  }
}

void read_groups(MapReader & reader, Node & node)
{
  node.grouping = node.kind == NodeKind::intersection ? Grouping::callback : Grouping::node;
  const auto word = reader.text("groups");
  if (!word) {
    return;
  }
  if (*word == "node") {
    node.grouping = Grouping::node;
  } else if (*word == "callback") {
    node.grouping = Grouping::callback;
  } else if (*word == "reentrant") {
    node.grouping = Grouping::reentrant;
  } else {
    reader.fault_at(
      "groups", fmt::format("'groups' must be node, callback or reentrant, not '{}'", *word));
  }
  if (node.joins() && node.grouping != Grouping::node) {
    reader.fault_at(
      "groups", fmt::format(
                  "the callbacks of a {} node share what they keep: they need 'groups: node'",
                  to_string(node.kind)));
  }
}

}  // namespace

std::string qualified(const std::string & name)
{
  return name.starts_with('/') ? name : "/" + name;
}

Node read_node(const YAML::Node & yaml, const NodeDefaults & defaults, FileFaults & faults)
{
  std::string what = "node";
  if (yaml.IsMap() && yaml["name"] && yaml["name"].IsScalar()) {
    what += " " + yaml["name"].Scalar();
  }
  MapReader reader(yaml, what, faults);
  Node node;
  node.place = reader.place();
  node.name = name_of(reader, "name", true).value_or("");
  if (const auto word = reader.text("kind", true)) {
    const auto kind = node_kind_from_string(*word);
    if (!kind) {
      reader.fault_at("kind", fmt::format("'{}' is no kind{}", *word, did_you_mean(*word, kKinds)));
      return node;
    }
    node.kind = *kind;
  }
  node.host = reader.text("host").value_or("");
  read_groups(reader, node);
  if (node.has_timer()) {
    const auto period = reader.duration("period", true);
    node.period = period.value_or(takt_core::Duration{});
    node.offset = reader.duration("offset");
    if (period && *period < kLeastPeriod) {
      reader.fault_at("period", "'period' must be at least 10us");
    }
  }
  if (node.kind != NodeKind::command) {
    node.publisher_depth =
      static_cast<std::uint32_t>(reader.integer("publisher_depth", 1, kMaxDepth).value_or(1));
  }
  switch (node.kind) {
    case NodeKind::intersection:
      read_connections(reader, node, defaults, faults);
      break;
    case NodeKind::transform: {
      Input input;
      input.place = reader.place();
      input.topic = name_of(reader, "input", true).value_or("");
      input.output = name_of(reader, "output", false).value_or(node.name);
      input.depth = depth_of(reader, defaults);
      input.work = reader.work("work").value_or(defaults.work);
      node.inputs.push_back(std::move(input));
      break;
    }
    case NodeKind::command: {
      Input input;
      input.place = reader.place();
      input.topic = name_of(reader, "input", true).value_or("");
      input.depth = depth_of(reader, defaults);
      node.inputs.push_back(std::move(input));
      break;
    }
    case NodeKind::sensor:
      node.work = reader.work("work").value_or(WorkTime{});
      node.output = name_of(reader, "output", false).value_or(node.name);
      break;
    case NodeKind::fusion:
    case NodeKind::cyclic:
      node.work = reader.work("work").value_or(defaults.work);
      node.output = name_of(reader, "output", false).value_or(node.name);
      read_inputs(reader, node, defaults);
      break;
  }
  reader.finish();
  return node;
}

}  // namespace takt_workload
