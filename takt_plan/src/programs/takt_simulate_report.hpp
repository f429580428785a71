// The output of takt_simulate: tables for people, JSON for machines.
#ifndef TAKT_PLAN__SRC__PROGRAMS__TAKT_SIMULATE_REPORT_HPP_
#define TAKT_PLAN__SRC__PROGRAMS__TAKT_SIMULATE_REPORT_HPP_

#include <string>
#include <string_view>
#include <vector>

#include "takt_plan/simulate.hpp"

namespace takt_plan::program
{

struct Report
{
  const SimulationModel & model;
  const std::vector<std::string> & warnings;
  const SimulationOptions & options;
  const SimulationResult & result;
  std::string system;    ///< name of the system's file
  std::string schedule;  ///< name of the schedule's file
};

std::string_view to_string(Phases phases);
std::string_view to_string(Execution execution);

std::string as_text(const Report & report);
std::string as_json(const Report & report);

}  // namespace takt_plan::program

#endif  // TAKT_PLAN__SRC__PROGRAMS__TAKT_SIMULATE_REPORT_HPP_
