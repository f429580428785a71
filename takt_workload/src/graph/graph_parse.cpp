#include "takt_workload/graph_parse.hpp"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "graph/graph_reader.hpp"
#include "takt_schedule/size.hpp"
#include "takt_schedule/tabs.hpp"

namespace takt_workload
{

namespace
{

constexpr std::size_t kMaxNodes = 1000;
constexpr std::size_t kMaxBytes = 1 << 20;
// Each publication is a copy of it, and each history of a subscription may hold `depth` of them.
constexpr std::size_t kLargestPayload = std::size_t{64} << 20U;

void read_message(MapReader & reader, Graph & graph)
{
  const std::string word = reader.text("message").value_or("Message4kb");
  if (word == "Int32") {
    graph.message = MessageType::Int32;
  } else if (word == "Payload") {
    graph.message = MessageType::Payload;
  } else if (word != "Message4kb") {
    reader.fault_at(
      "message", fmt::format("'message' must be Message4kb, Int32 or Payload, not '{}'", word));
  }
  const auto size = reader.text("payload", graph.message == MessageType::Payload);
  if (!size) {
    return;
  }
  auto bytes = takt_schedule::parse_size(*size);
  if (graph.message != MessageType::Payload) {
    reader.fault_at("payload", "'payload' needs 'message: Payload'");
  } else if (!bytes) {
    reader.fault_at("payload", fmt::format("'payload': {}", to_string(bytes.faults().front())));
  } else if (*bytes > kLargestPayload) {
    reader.fault_at(
      "payload", fmt::format(
                   "'payload' must be at most {}, not '{}'",
                   takt_schedule::print_size(kLargestPayload), *size));
  } else {
    graph.payload_bytes = *bytes;
  }
}

void read_graph(const YAML::Node & root, Graph & graph, FileFaults & faults)
{
  MapReader reader(root, "graph", faults);
  // Not asked of the reader, which would take the word for one of a graph's.
  if (root.IsMap() && root["executors"] && !reader.has("nodes")) {
    reader.fault(
      "this is a schedule (it has 'executors'), where a graph is expected; `takt check FILE` "
      "checks "
      "a schedule, and `takt run GRAPH --schedule FILE` runs a graph under it");
    return;
  }
  if (root.IsMap() && root["callbacks"] && !reader.has("nodes")) {
    reader.fault(
      "this is a system model (it has 'callbacks'), where a graph is expected; `takt plan FILE` "
      "makes a schedule for it");
    return;
  }
  if (reader.text("version", true) && !reader.integer("version", 1, 1)) {
    return;
  }
  graph.name = reader.text("name", true).value_or("");
  read_message(reader, graph);
  NodeDefaults defaults;
  if (reader.has("defaults")) {
    MapReader given(reader.get("defaults"), "defaults", faults);
    defaults.work = given.work("work").value_or(WorkTime{});
    defaults.depth = static_cast<std::uint32_t>(given.integer("depth", 1, 10'000).value_or(1));
    given.finish();
  }
  Doubtful doubtful;
  const YAML::Node nodes = reader.sequence("nodes");
  if (!nodes.IsDefined() || nodes.size() == 0 || nodes.size() > kMaxNodes) {
    reader.fault(fmt::format(
      "'nodes' must be a list of 1 to {} nodes, as in nodes: [{{name: A, kind: sensor, period: "
      "100ms}}]",
      kMaxNodes));
    doubtful.insert("");
  } else {
    for (const auto & node : nodes) {
      const std::size_t before = faults.count();
      graph.nodes.push_back(read_node(node, defaults, faults));
      if (faults.count() != before) {
        doubtful.insert(graph.nodes.back().name);
      }
    }
  }
  const YAML::Node chains = reader.sequence("chains");
  const YAML::Node kpis = reader.get("kpis");
  reader.finish();
  check_graph(graph, doubtful, faults);
  if (chains.IsDefined()) {
    read_chains(chains, doubtful, graph, faults);
  }
  read_kpis(kpis, doubtful, graph, faults);
}

}  // namespace

takt_core::Result<Graph> parse_graph(std::string_view text, const std::string & file_name)
{
  FileFaults faults(file_name);
  Graph graph;
  graph.file = file_name;
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(std::string(text));
    if (documents.size() > 1) {
      faults.add(
        place_of(documents[1]), "a graph file holds one document; remove what follows '---'");
    }
    if (documents.empty() || documents.front().IsNull()) {
      faults.add({1, 1}, "the file is empty; a graph starts with 'version: 1'");
    } else {
      read_graph(documents.front(), graph, faults);
    }
  } catch (const YAML::Exception & error) {
    const Place place =
      error.mark.is_null() ? Place{} : Place{error.mark.line + 1, error.mark.column + 1};
    if (const auto tab = takt_schedule::tab_in_indentation(text, place.line)) {
      faults.add({tab->line, tab->column}, std::string(takt_schedule::kTabFault));
    } else {
      faults.add(place, "not YAML: " + error.msg);
    }
  }
  if (!faults.empty()) {
    return faults.sorted();
  }
  return graph;
}

takt_core::Result<Graph> load_graph(const std::string & path)
{
  const std::string found = find_shipped(path, "graphs");
  std::error_code ignored;
  const auto status = std::filesystem::status(found, ignored);
  if (std::filesystem::is_directory(status)) {
    return takt_core::Faults{fmt::format("{}: is a directory; name a graph file", path)};
  }
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return takt_core::Faults{
      fmt::format("{}: cannot be read: it is not a regular file", path)};  // a pipe might never end
  }
  errno = 0;
  std::ifstream file(found);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    return takt_core::Faults{fmt::format(
      "{}: cannot be read: {}", path, errno != 0 ? std::strerror(errno) : "it is empty")};
  }
  if (text.str().size() > kMaxBytes) {
    return takt_core::Faults{fmt::format("{}: is longer than a graph can be", path)};
  }
  return parse_graph(text.str(), path);
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
