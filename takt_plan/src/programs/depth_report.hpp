// Reports the history depths that callbacks need: warnings where the system's depth is less, and a
// table of all.
#ifndef TAKT_PLAN__SRC__PROGRAMS__DEPTH_REPORT_HPP_
#define TAKT_PLAN__SRC__PROGRAMS__DEPTH_REPORT_HPP_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/end_to_end/history_depth.hpp"
#include "takt_schedule/system.hpp"

namespace takt_plan::program
{

/// A sentence if bounds count messages of inputs (Task::input) whose depth the system does not say.
std::vector<std::string> assumed_depths(const takt_schedule::System & system, const Model & model);

/// True if more messages of the topic may wait than its `depth`.
bool too_small(const takt_schedule::System & system, const HistoryDepth & depth);

/// One warning for each topic of which more messages may wait than its `depth`, sorted by line of
/// the system model.
std::vector<std::string> depth_warnings(
  const takt_schedule::System & system, const std::vector<HistoryDepth> & depths);

std::string depth_table(
  const takt_schedule::System & system, const std::vector<HistoryDepth> & depths);

nlohmann::json depths_as_json(
  const takt_schedule::System & system, const std::vector<HistoryDepth> & depths);

}  // namespace takt_plan::program

#endif  // TAKT_PLAN__SRC__PROGRAMS__DEPTH_REPORT_HPP_
