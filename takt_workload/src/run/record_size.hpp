// How many runs a run of a graph will record, and what memory that takes. Set-up only.
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

/// Runs of one part's callbacks, from the first release to the end of the drain, with a quarter to
/// spare; of all parts for `part` -1.
double expected_runs(
  const Graph & graph, const CallbackTable & table, const RunOptions & options,
  const std::vector<int> & parts, int part);

/// Whether what `options` asks can be recorded and analysed in half of `available` bytes.
takt_rt::Status check_record_size(
  const Graph & graph, const RunOptions & options, double available);

/// Memory that this process may still take: what the kernel calls available, or what is left of the
/// control group's limit.
double available_memory();

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__RUN__RECORD_SIZE_HPP_
