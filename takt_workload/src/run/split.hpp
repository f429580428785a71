// Runs the parts of a graph in processes of their own: start, barrier, end, records.
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

/// Starts this program `options.split` times with `arguments`, each for one part (`parts` says which
/// nodes are in which); `begin` is called when all have matched all their endpoints, and gives the
/// epoch. A part that fails ends the others at once: its record has `error`, and stands behind those
/// of the others, which have what they recorded until then. A part that is to start again leaves the record of its second
/// process.
std::vector<ProcessRecord> run_split(
  const Graph & graph, const RunOptions & options, const std::vector<int> & parts,
  const std::vector<std::string> & arguments,
  const std::function<bool(takt_rt::Time & epoch)> & begin, const Progress & progress);

/// A part's side of the barrier: says that all is matched and waits for its start. Nothing if a signal
/// came, or if who started it is gone.
std::optional<PartStart> wait_at_barrier(int channel);

}  // namespace takt_workload

#endif  // SPLIT_HPP_
