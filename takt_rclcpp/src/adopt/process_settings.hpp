// Settings of the adoptions in this process, from the environment; takt reads them once.
//
//     TAKT_SCHEDULE    path of a schedule file; empty: takt runs the program without a schedule
//     TAKT_EXECUTOR    name of the schedule's executor for this process; empty: the one whose
//                      rules name the program's callbacks
//     TAKT_STRICT      1: the program ends (exit code 2) where rclcpp's own loop would have to run
//     TAKT_REPORT_DIR  folder into which each adoption writes its report when it ends
//     TAKT_QUIET       1: takt prints only errors
//     TAKT_OBSERVE     1: takt also measures the sizes of messages, for a model
#ifndef ADOPT__PROCESS_SETTINGS_HPP_
#define ADOPT__PROCESS_SETTINGS_HPP_

#include <optional>
#include <string>

#include "takt_schedule/schedule.hpp"

namespace takt_rclcpp
{

struct ProcessSettings
{
  std::optional<takt_schedule::Schedule> schedule;
  std::string executor;
  std::string report_directory;
  bool strict = false;
  bool quiet = false;
  bool observe = false;
  /// The reasons why the schedule cannot be used. Empty: it can be used, or there is no schedule.
  takt_rt::Faults faults;
};

/// Stores a variable that takt removed from the environment, "NAME=value". Call it before
/// `process_settings`.
void tell_variable(const std::string & line);

/// Reads the environment and the schedule at the first call. Any thread; may block.
const ProcessSettings & process_settings();

/// `before` and, each on a line of its own, the sentences of `faults`.
std::string sentences(const std::string & before, const takt_rt::Faults & faults);

/// Writes one line to standard error, "[takt] ...". `always`: also if TAKT_QUIET is set.
void say(const std::string & line, bool always = false);

}  // namespace takt_rclcpp

#endif  // ADOPT__PROCESS_SETTINGS_HPP_
