// Reads a system model and a schedule for it, and makes one analysis model from them.
//
// Set-up only: allocates and may block (reads the files). Safe for any bytes.
#ifndef TAKT_PLAN__LOAD_PLAN_HPP_
#define TAKT_PLAN__LOAD_PLAN_HPP_

#include <string>
#include <string_view>
#include <vector>

#include "takt_plan/model.hpp"
#include "takt_rt/result.hpp"
#include "takt_schedule/schedule.hpp"
#include "takt_schedule/system.hpp"

namespace takt_plan
{

/// A system and a schedule for it.
struct Plan
{
  takt_schedule::System system;
  takt_schedule::Schedule schedule;
  Model model;  ///< of the system and the schedule (src/model/build_model.hpp)
  /// Warnings of both files, and of the schedule's check against the system, such as a rule that
  /// matches no callback.
  std::vector<std::string> warnings;
};

/// Reads two files. Checks the schedule against the system's callbacks and machines, not against
/// this machine: with the cores of those machines, and with every right granted. Faults: all of
/// both files. If they have none: those of `build_model`, and those that would keep an executor
/// from starting with these callbacks (takt_schedule::check).
takt_rt::Result<Plan> load_plan(const std::string & system, const std::string & schedule);

/// The same for texts. Messages call them "system.yaml" and "schedule.yaml".
takt_rt::Result<Plan> parse_plan(std::string_view system, std::string_view schedule);
/// The same for a parsed system.
takt_rt::Result<Plan> parse_plan(takt_schedule::System system, std::string_view schedule);

}  // namespace takt_plan

#endif  // TAKT_PLAN__LOAD_PLAN_HPP_
