// Estimates the number of recorded runs of a graph, and their memory. Set-up only.
#ifndef TAKT_WORKLOAD__SRC__RUN__RECORD_SIZE_HPP_
#define TAKT_WORKLOAD__SRC__RUN__RECORD_SIZE_HPP_

#include <cstddef>
#include <vector>

#include "graph/callback_table.hpp"
#include "graph/graph.hpp"
#include "run/run_options.hpp"
#include "takt_rt/result.hpp"

namespace takt_workload
{

/// The number of runs of one part's callbacks, from the first release to the end of the drain, and
/// a quarter more. `part` -1: of all parts.
double expected_runs(
  const Graph & graph, const CallbackTable & table, const RunOptions & options,
  const std::vector<int> & parts, int part);

/// Checks that the run of `options` can be recorded and analysed in half of `available` bytes.
takt_rt::Status check_record_size(
  const Graph & graph, const RunOptions & options, double available);

/// The memory that this process may still use: the kernel's available memory, or the rest of the
/// control group's limit if that is less.
double available_memory();

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__RUN__RECORD_SIZE_HPP_
