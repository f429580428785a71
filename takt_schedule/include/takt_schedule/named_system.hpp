// Finds the system model of a schedule: `system` in its file.
//
// A path there is relative to the schedule's folder, so that both files can be moved together. A
// bare name, without a folder and an ending, is the name of a shipped model.
//
// Set-up only: allocates and may block (looks at files).
#ifndef TAKT_SCHEDULE__NAMED_SYSTEM_HPP_
#define TAKT_SCHEDULE__NAMED_SYSTEM_HPP_

#include <string>
#include <vector>

#include "takt_rt/result.hpp"

namespace takt_schedule
{

/// The path of the system model that the schedule in `schedule_file` names. `shipped`: folders of
/// shipped models; the first folder that has a model of that name counts. The function checks no
/// other part of the schedule. Faults: the file is not a regular file (a stream can be read only
/// once); it is not a YAML map; it names no model; the model that it names does not exist or is a
/// stream.
takt_rt::Result<std::string> named_system(
  const std::string & schedule_file, const std::vector<std::string> & shipped);

/// The value of `system` with which a schedule that is written to `schedule_file` names
/// `system_file`: `named_system` then finds it. If `schedule_file` is empty or a stream, the result
/// is for a schedule in the current folder. The result is empty if `system_file` is not a regular
/// file.
std::string name_of_system(
  const std::string & system_file, const std::string & schedule_file,
  const std::vector<std::string> & shipped);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__NAMED_SYSTEM_HPP_
