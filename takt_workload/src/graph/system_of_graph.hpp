// Makes the system model of a graph, for analysis, simulation and planning.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_WORKLOAD__SRC__GRAPH__SYSTEM_OF_GRAPH_HPP_
#define TAKT_WORKLOAD__SRC__GRAPH__SYSTEM_OF_GRAPH_HPP_

#include <map>
#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "takt_schedule/system.hpp"

namespace takt_workload
{

/// Data of the model that the graph does not have.
struct SystemOptions
{
  int cores = 4;
  takt_schedule::Overheads overheads;
  bool has_overheads = false;  ///< the overheads are known, even if they are zero
  takt_rt::Duration jitter{};  ///< of each timer
  /// Measured worst execution times by callback. Callbacks without one have the graph's work.
  std::map<std::string, takt_rt::Duration> times;
  /// The number of each node's process, from 0. Empty: one process. See parts_of (run_options.hpp).
  std::vector<int> parts;
  takt_rt::Duration between_processes{};  ///< additional time of a message between processes
  bool witness = false;  ///< includes the threads with which takt_run watches for stalls
};

/// Makes one host `machine` with one executor `main`, or for several processes the executors
/// `part_1`, `part_2` and so on. The callbacks have the ids of a run. A fusion is a set of its
/// subscriptions (trigger: newest). The inputs of a cyclic node take their messages without work,
/// and its timer reads their topics. The best and worst execution times are the graph's work.
/// `overheads` has the other costs of a run. A timer without an offset has its first release after
/// one period.
takt_schedule::System system_of(const Graph & graph, const SystemOptions & options = {});

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__GRAPH__SYSTEM_OF_GRAPH_HPP_
