// The system model of a graph: what analysis, simulation and planning need to know of it.
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

/// What a model says beyond its graph.
struct SystemOptions
{
  int cores = 4;
  takt_schedule::Overheads overheads;
  bool has_overheads = false;  ///< they are known, if only to be none
  takt_rt::Duration jitter{};  ///< of each timer
  /// Worst execution times that were measured, by callback; of all others the graph's work.
  std::map<std::string, takt_rt::Duration> times;
  /// Per node, which process runs it, from 0; empty: one process. See parts_of (run_options.hpp).
  std::vector<int> parts;
  takt_rt::Duration between_processes{};  ///< that a message takes in addition
  bool witness = false;  ///< the threads with which takt_run watches for stalls are there, too
};

/// One host `machine`, one executor `main`, or for each process one: `part_1`, `part_2` and so on. Callbacks are those that a run has, with the same ids:
/// a fusion is a set of its subscriptions (trigger: newest); the inputs of a cyclic node take their
/// message in no time, and its timer reads their topics. Execution times are the work of the graph, worst
/// and best; what a run costs beside it is in `overheads`. Without an offset a timer is first released
/// after one period.
takt_schedule::System system_of(const Graph & graph, const SystemOptions & options = {});

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__GRAPH__SYSTEM_OF_GRAPH_HPP_
