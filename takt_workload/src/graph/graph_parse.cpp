#include "graph/graph_parse.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "graph/graph_reader.hpp"
#include "takt_schedule/reader/file_text.hpp"
#include "takt_schedule/reader/format_version.hpp"
#include "takt_schedule/size.hpp"

namespace takt_workload
{

namespace
{

constexpr int kGraphVersion = 1;
constexpr std::size_t kMaxNodes = 1000;
// Each publication copies the payload, and each subscription's history may hold `depth` copies.
constexpr std::size_t kLargestPayload = std::size_t{64} << 20U;

void read_message(MapReader & map, Graph & graph, Findings & findings)
{
  constexpr std::array<std::pair<MessageType, std::string_view>, 3> kTypes{{
    {MessageType::Message4kb, "Message4kb"},
    {MessageType::Int32, "Int32"},
    {MessageType::Payload, "Payload"},
  }};
  map.choice<MessageType>("message", kTypes, graph.message);
  const bool variable = graph.message == MessageType::Payload;
  if (variable ? !map.require("payload", "64KiB") : !map.has("payload")) {
    return;
  }
  map.size("payload", graph.payload_bytes);
  if (!variable) {
    findings.fault(map.at("payload"), "payload needs 'message: Payload'");
  } else if (graph.payload_bytes > kLargestPayload) {
    findings.fault(
      map.value_at("payload"),
      fmt::format(
        "payload must be at most {}, not {}", takt_schedule::print_size(kLargestPayload),
        takt_schedule::print_size(graph.payload_bytes)));
  }
}

/// The kind of file that a user may have named by mistake.
const char * other_kind(const MapReader & map)
{
  if (map.has("nodes")) {
    return nullptr;
  }
  if (map.has("executors")) {
    return "this is a schedule (it has 'executors'), where a graph is expected; `takt check FILE` "
           "checks a schedule, and `takt run GRAPH --schedule FILE` runs a graph under it";
  }
  return map.has("callbacks")
           ? "this is a system model (it has 'callbacks'), where a graph is expected; `takt plan "
             "FILE` makes a schedule for it"
           : nullptr;
}

void read_nodes(MapReader & map, Findings & findings, Graph & graph, Doubtful & doubtful)
{
  NodeDefaults defaults;
  if (const YamlNode * const node = map.find("defaults")) {
    MapReader given(findings, *node, "defaults", {"work", "sleep", "depth"});
    defaults.work = read_work(given, "work", "defaults", findings).value_or(WorkTime{});
    defaults.sleep = read_work(given, "sleep", "defaults", findings).value_or(WorkTime{});
    read_depth(given, "depth", defaults.depth);
  }
  const YamlNode * const nodes =
    map.require("nodes", "[{name: A, kind: sensor, period: 100ms}]") ? map.find("nodes") : nullptr;
  if (nodes == nullptr || !takt_schedule::expect_list(findings, *nodes, "nodes")) {
    doubtful.insert("");
    return;
  }
  if (nodes->items.empty() || nodes->items.size() > kMaxNodes) {
    findings.fault(
      map.at("nodes"), fmt::format(
                         "nodes must be a list of 1 to {} nodes, as in nodes: [{{name: A, kind: "
                         "sensor, period: 100ms}}]",
                         kMaxNodes));
    doubtful.insert("");
    return;
  }
  for (const takt_schedule::YamlPtr & node : nodes->items) {
    const std::size_t before = findings.fault_count();
    graph.nodes.push_back(read_node(*node, defaults, findings));
    if (findings.fault_count() != before) {
      doubtful.insert(graph.nodes.back().name);
    }
  }
}

void read_graph(MapReader & map, Findings & findings, Graph & graph)
{
  if (map.require("name", "some_name")) {
    const auto name = map.scalar("name", "a name");
    graph.name = name ? name->text : "";
  }
  read_message(map, graph, findings);
  Doubtful doubtful;
  read_nodes(map, findings, graph, doubtful);
  check_graph(graph, doubtful, findings);
  if (const YamlNode * const chains = map.find("chains")) {
    read_graph_chains(*chains, doubtful, graph, findings);
  }
  if (const YamlNode * const kpis = map.find("kpis")) {
    read_kpis(*kpis, doubtful, graph, findings);
  }
}

}  // namespace

takt_rt::Result<Graph> parse_graph(std::string_view text, const std::string & file_name)
{
  Findings findings(file_name);
  const takt_schedule::YamlPtr root =
    takt_schedule::parse_yaml(text, findings, takt_schedule::kGraphLimits);
  if (root == nullptr) {
    return findings.faults();
  }
  Graph graph;
  graph.file = file_name;
  MapReader map(
    findings, *root, "a graph",
    {"version", "name", "message", "payload", "defaults", "nodes", "chains", "kpis"});
  if (const char * const kind = other_kind(map)) {
    return takt_rt::Faults{takt_schedule::located(file_name, root->at, kind)};
  }
  if (root->is_map() && takt_schedule::check_version(map, findings, kGraphVersion)) {
    read_graph(map, findings, graph);
  }
  if (!findings.ok()) {
    return findings.faults();
  }
  return graph;
}

takt_rt::Result<Graph> load_graph(const std::string & path)
{
  const std::string found = find_shipped(path, "graphs");
  const auto text =
    takt_schedule::file_text(found, "a graph file", takt_schedule::kGraphLimits.text);
  return text ? parse_graph(*text, path) : text.faults();
}

std::string find_shipped(const std::string & name, const std::string & folder)
{
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::is_regular_file(name, ignored) || name.find('/') != std::string::npos) {
    return name;
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path share = program.parent_path() / "../../share/takt_workload" / folder;
  for (const fs::path & place : {share, fs::path(TAKT_WORKLOAD_SOURCE) / folder}) {
    for (const std::string ending : {"", ".yaml"}) {
      if (fs::is_regular_file(place / (name + ending), ignored)) {
        return fs::weakly_canonical(place / (name + ending), ignored).string();
      }
    }
  }
  return name;
}

}  // namespace takt_workload
