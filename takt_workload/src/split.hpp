// Runs the parts of a graph in processes of their own: start, barrier, end, records.
#ifndef SPLIT_HPP_
#define SPLIT_HPP_

#include <functional>
#include <string>
#include <vector>

#include "takt_workload/records.hpp"
#include "takt_workload/run_graph.hpp"
#include "takt_workload/run_options.hpp"

namespace takt_workload
{

/// Starts this program `options.split` times with `arguments`, each for one part; `begin` is called
/// when all have matched all their endpoints, and gives the epoch. A part that fails ends the others.
std::vector<ProcessRecord> run_split(
  const RunOptions & options, const std::vector<std::string> & arguments,
  const std::function<bool(takt_core::Time & epoch)> & begin, const Progress & progress);

}  // namespace takt_workload

#endif  // SPLIT_HPP_
