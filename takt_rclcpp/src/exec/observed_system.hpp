// A system model of what was observed: callbacks, groups, topics, times, and the chains that they make.
//
// Every number is measured or declared by the program; the comments say which, and what is not known is left
// out. Chains are proposals: the user gives them names, priorities and deadlines.
#ifndef EXEC__OBSERVED_SYSTEM_HPP_
#define EXEC__OBSERVED_SYSTEM_HPP_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "takt_schedule/system.hpp"

namespace takt_exec
{

struct ObservedSystem
{
  takt_schedule::System system;
  std::string header;              ///< for the top of the file
  std::vector<std::string> notes;  ///< what the user should know
};

/// `report`: as `join_reports` gives. `chains`: an earlier model's, kept as far as their callbacks were seen;
/// empty: all paths are proposed.
ObservedSystem observed_system(
  const nlohmann::ordered_json & report, const std::vector<takt_schedule::ChainSchedule> & chains);

}  // namespace takt_exec

#endif  // EXEC__OBSERVED_SYSTEM_HPP_
