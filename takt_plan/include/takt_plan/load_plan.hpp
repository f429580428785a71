// Reads a system model and a schedule for it, and makes the analysis model of both.
//
// Set-up only: allocates and may block (reads the files). Any bytes are safe to feed.
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

struct Plan
{
  takt_schedule::System system;
  takt_schedule::Schedule schedule;
  Model model;  ///< of both (src/model/build_model.hpp)
  /// Of both files and of one against the other, as a rule that matches no callback.
  std::vector<std::string> warnings;
};

/// From files. The schedule is checked against the system's callbacks and for its machines, not for
/// this one: their cores, and every right granted. Faults: those of both files, all at once; if they
/// have none, those of `build_model` and what would keep an executor from starting with these callbacks
/// (takt_schedule::check).
takt_rt::Result<Plan> load_plan(const std::string & system, const std::string & schedule);

/// The same of texts, which messages call "system.yaml" and "schedule.yaml".
takt_rt::Result<Plan> parse_plan(std::string_view system, std::string_view schedule);
/// Of a system that is there already.
takt_rt::Result<Plan> parse_plan(takt_schedule::System system, std::string_view schedule);

}  // namespace takt_plan

#endif  // TAKT_PLAN__LOAD_PLAN_HPP_
