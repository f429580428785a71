// One hyperperiod as JSON: a row for each callback, with the windows of its jobs and a simulated
// run.
#ifndef TAKT_PLAN__SRC__PROGRAMS__HYPERPERIOD_JSON_HPP_
#define TAKT_PLAN__SRC__PROGRAMS__HYPERPERIOD_JSON_HPP_

#include <nlohmann/json.hpp>

#include "takt_plan/load_plan.hpp"
#include "takt_rt/result.hpp"

namespace takt_plan::program
{

/// Sorts rows by host, core and thread, the most urgent first. Faults: those of `hyperperiod`
/// (hyperperiod.hpp) and of the simulation.
takt_rt::Result<nlohmann::json> hyperperiod_json(const Plan & plan);

}  // namespace takt_plan::program

#endif  // TAKT_PLAN__SRC__PROGRAMS__HYPERPERIOD_JSON_HPP_
