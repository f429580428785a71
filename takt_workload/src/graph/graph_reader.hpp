// The steps of reading a graph file. Set-up only.
#ifndef GRAPH_READER_HPP_
#define GRAPH_READER_HPP_

#include "graph/yaml_reader.hpp"
#include "takt_workload/graph.hpp"

namespace takt_workload
{

/// Values of `defaults:`.
struct NodeDefaults
{
  WorkTime work;
  std::uint32_t depth = 1;
};

/// One entry of `nodes:`.
Node read_node(const YAML::Node & node, const NodeDefaults & defaults, FileFaults & faults);

/// Names of nodes that have faults of their own: what else seems wrong with them may follow from
/// those and is not said. The empty name stands for a node whose name is not known.
using Doubtful = std::set<std::string>;

/// `chains:` and `kpis:`; after the nodes.
void read_chains(
  const YAML::Node & root, const Doubtful & doubtful, Graph & graph, FileFaults & faults);
void read_kpis(
  const YAML::Node & root, const Doubtful & doubtful, Graph & graph, FileFaults & faults);

/// What only the whole shows: doubled names, topics without a publisher, cycles without a timer. Adds
/// the nodes that it finds fault with.
void check_graph(const Graph & graph, Doubtful & doubtful, FileFaults & faults);

/// "Name" and "/Name" both mean "/Name".
std::string qualified(const std::string & name);

}  // namespace takt_workload

#endif  // GRAPH_READER_HPP_
