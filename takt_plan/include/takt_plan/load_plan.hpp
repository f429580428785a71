// Reads a system model and a schedule for it, from files.
//
// Set-up only: allocates and may block (reads the files). Any bytes are safe to feed.
#ifndef TAKT_PLAN__LOAD_PLAN_HPP_
#define TAKT_PLAN__LOAD_PLAN_HPP_

#include <string>
#include <vector>

#include "takt_core/result.hpp"
#include "takt_schedule/schedule.hpp"
#include "takt_schedule/system.hpp"

namespace takt_plan
{

struct Plan
{
  takt_schedule::System system;
  takt_schedule::Schedule schedule;
  /// Of both files and of one against the other, as a rule that matches no callback.
  std::vector<std::string> warnings;
};

/// The schedule is checked against the system's callbacks and for its machines, not for this one: their
/// cores, and every right granted. Faults: those of both files, and of one against the other.
takt_core::Result<Plan> load_plan(const std::string & system, const std::string & schedule);

}  // namespace takt_plan

#endif  // TAKT_PLAN__LOAD_PLAN_HPP_
