// Reads a graph file. Returns all faults at once, each as "FILE:LINE: what".
//
// Set-up only: allocates and may block (reads the file). Never throws.
#ifndef TAKT_WORKLOAD__SRC__GRAPH__GRAPH_PARSE_HPP_
#define TAKT_WORKLOAD__SRC__GRAPH__GRAPH_PARSE_HPP_

#include <string>
#include <string_view>

#include "graph/graph.hpp"
#include "takt_rt/result.hpp"

namespace takt_workload
{

/// `file_name`: for messages only.
takt_rt::Result<Graph> parse_graph(std::string_view text, const std::string & file_name);

/// `path`: a file, or the name of a shipped graph ("autoware_reference") in the package's share
/// directory.
takt_rt::Result<Graph> load_graph(const std::string & path);

/// The file of a shipped graph or schedule: `name` if it is a file, else
/// share/takt_workload/<folder>/<name>[.yaml] beside the program. If neither is a file: `name`.
std::string find_shipped(const std::string & name, const std::string & folder);

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__GRAPH__GRAPH_PARSE_HPP_
