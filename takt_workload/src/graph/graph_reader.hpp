// The steps that read a graph file. Set-up only.
#ifndef GRAPH_READER_HPP_
#define GRAPH_READER_HPP_

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "graph/graph.hpp"
#include "takt_schedule/reader/findings.hpp"
#include "takt_schedule/reader/map_reader.hpp"
#include "takt_schedule/reader/yaml_tree.hpp"

namespace takt_workload
{

using takt_schedule::Findings;
using takt_schedule::MapReader;
using takt_schedule::Source;
using takt_schedule::YamlNode;

/// Values of `defaults:`.
struct NodeDefaults
{
  WorkTime work;
  WorkTime sleep;
  std::uint32_t depth = 1;
};

/// Reads a time, or a map with `min`, `max` and optionally `mean` and `deviation`, under `key`
/// (`work` or `sleep`). Empty if it is absent or faulty. `owner` names the map in faults.
std::optional<WorkTime> read_work(
  MapReader & map, const std::string & key, const std::string & owner, Findings & findings);

/// The length of a history; leaves `depth` as it is if the key is absent or faulty.
void read_depth(MapReader & map, std::string_view key, std::uint32_t & depth);

/// One entry of `nodes:`.
Node read_node(const YamlNode & node, const NodeDefaults & defaults, Findings & findings);

/// Names of nodes with faults. Further faults of these nodes may follow from the first ones, and
/// are not reported. The empty name stands for a node with an unknown name.
using Doubtful = std::set<std::string>;

/// `chains:` and `kpis:`; after the nodes.
void read_graph_chains(
  const YamlNode & list, const Doubtful & doubtful, Graph & graph, Findings & findings);
void read_kpis(
  const YamlNode & node, const Doubtful & doubtful, Graph & graph, Findings & findings);

/// Finds faults of the whole graph: doubled names, topics without a publisher, cycles without a
/// timer. Adds the faulty nodes to `doubtful`.
void check_graph(const Graph & graph, Doubtful & doubtful, Findings & findings);

/// Adds the slash that "Name" lacks; "/Name" stays.
std::string qualified(const std::string & name);

}  // namespace takt_workload

#endif  // GRAPH_READER_HPP_
