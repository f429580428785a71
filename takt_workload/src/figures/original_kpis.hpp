// The figures as the reference system itself computes them, to lay beside its published ones.
#ifndef ORIGINAL_KPIS_HPP_
#define ORIGINAL_KPIS_HPP_

#include <nlohmann/json.hpp>
#include <vector>

#include "figures/figures.hpp"

namespace takt_workload
{

/// From the histories that the command nodes received: hot path (only those that reached a command,
/// so at most one per planner cycle), its drops, planner period, latency of each command. Empty
/// object if no message carried a history.
nlohmann::json original_kpis_json(
  const Graph & graph, const std::vector<ProcessRecord> & processes, const Analysis & analysis);

}  // namespace takt_workload

#endif  // ORIGINAL_KPIS_HPP_
