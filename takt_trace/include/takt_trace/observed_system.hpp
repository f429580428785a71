// Makes a system model from observations: callbacks, groups, topics, times, and the chains that
// they form.
//
// Every number was measured, or declared by the program; comments in the model say which. Unknown
// values are omitted. Chains are proposals: the user gives them names, priorities and deadlines.
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

/// A system model, and the texts that go with its file.
struct ObservedSystem
{
  takt_schedule::System system;
  std::string header;              ///< for the top of the file
  std::vector<std::string> notes;  ///< facts for the user
};

/// As a percentile of CPU times: the longest one.
constexpr double kLongestTime = 100;

/// Choices for `observed_system`.
struct ModelOptions
{
  /// Chains of an earlier model, or declared ones: kept as far as their callbacks were observed.
  /// Empty: proposes all paths.
  std::vector<takt_schedule::ChainSchedule> chains{};
  /// The report's names are those of a schedule. Otherwise a single executor is named `main`.
  bool keep_executor_names = false;
  std::string times{};  ///< sentences about the execution times; empty: those of an adopted program
  takt_rt::Duration between_processes{};               ///< longest time of a message; zero: unknown
  std::optional<takt_schedule::MachineCosts> costs{};  ///< of this machine; absent: unknown
  /// Of a callback's CPU times, above 0: its worst time in the model. 100: the longest one.
  double percentile = kLongestTime;
};

/// `report`: {"version": 1, "executors": [...]} of adopted executors
/// (takt_rclcpp/src/adopt/report.cpp), or from `trace_report`. Set-up only: allocates.
ObservedSystem observed_system(
  const nlohmann::ordered_json & report, const ModelOptions & options = {});

}  // namespace takt_trace

#endif  // TAKT_TRACE__OBSERVED_SYSTEM_HPP_
