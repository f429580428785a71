// Runs each part of a graph in its own process: start, barrier, end, records.
#ifndef SPLIT_HPP_
#define SPLIT_HPP_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "records/records.hpp"
#include "run/run_graph.hpp"
#include "run/run_options.hpp"
#include "run/run_part.hpp"

namespace takt_workload
{

/// Starts this program `options.split` times with `arguments`, each for one part (`parts`: the part
/// of each node). Calls `begin` when all parts have matched all endpoints; `begin` sets the epoch.
/// If a part fails, the others are ended at once. Its record has an `error` and comes after the
/// records of the others, which end at that time. A part that starts again gives the record of its
/// second process.
std::vector<ProcessRecord> run_split(
  const Graph & graph, const RunOptions & options, const std::vector<int> & parts,
  const std::vector<std::string> & arguments,
  const std::function<bool(takt_rt::Time & epoch)> & begin, const Progress & progress);

/// The part's side of the barrier: reports that all endpoints are matched, and waits for the start.
/// Empty if a signal came, or if the starting process has ended.
std::optional<PartStart> wait_at_barrier(int channel);

}  // namespace takt_workload

#endif  // SPLIT_HPP_
