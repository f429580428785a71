// The figures that the reference system itself computes, for comparison with its published figures.
#ifndef ORIGINAL_KPIS_HPP_
#define ORIGINAL_KPIS_HPP_

#include <nlohmann/json.hpp>
#include <vector>

#include "figures/figures.hpp"

namespace takt_workload
{

/// From the histories that the command nodes received: the hot path (only samples that reached a
/// command, so at most one in each planner cycle), its drops, the planner's period, and the latency
/// of each command. An empty object if no message had a history.
nlohmann::json original_kpis_json(
  const Graph & graph, const std::vector<ProcessRecord> & processes, const Analysis & analysis);

}  // namespace takt_workload

#endif  // ORIGINAL_KPIS_HPP_
