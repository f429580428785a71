// A system model of what was observed: callbacks, groups, topics, times, and the chains that they make.
//
// Every number is measured or declared by the program; the comments say which, and what is not known is left
// out. Chains are proposals: the user gives them names, priorities and deadlines.
#ifndef TAKT_TRACE__OBSERVED_SYSTEM_HPP_
#define TAKT_TRACE__OBSERVED_SYSTEM_HPP_

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "takt_rt/time.hpp"
#include "takt_schedule/machine_costs.hpp"
#include "takt_schedule/system.hpp"

namespace takt_trace
{

struct ObservedSystem
{
  takt_schedule::System system;
  std::string header;              ///< for the top of the file
  std::vector<std::string> notes;  ///< what the user should know
};

struct ModelOptions
{
  /// Of an earlier model, or declared: kept as far as their callbacks were seen. Empty: all paths are proposed.
  std::vector<takt_schedule::ChainSchedule> chains{};
  /// The report's names are those of a schedule. Else a single executor is `main`.
  bool keep_executor_names = false;
  std::string
    times{};  ///< sentences on what the execution times are; empty: those of `takt observe`
  takt_rt::Duration between_processes{};  ///< that messages need at most; zero: not known
  std::optional<takt_schedule::MachineCosts> costs{};  ///< of this machine; absent: not known
};

/// `report`: {"version": 1, "executors": [...]} of adopted executors (takt_rclcpp/src/adopt/report.cpp), or of
/// `trace_report`. Set-up only: allocates.
ObservedSystem observed_system(
  const nlohmann::ordered_json & report, const ModelOptions & options = {});

}  // namespace takt_trace

#endif  // TAKT_TRACE__OBSERVED_SYSTEM_HPP_
