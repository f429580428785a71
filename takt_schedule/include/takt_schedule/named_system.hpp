// The system model that a schedule names: `system` in its file.
//
// A path there is relative to the folder of the schedule, so that both can be led elsewhere together. A
// bare name, without a folder and an ending, is that of a model that is shipped.
//
// Set-up only: allocates and may block (looks at files).
#ifndef TAKT_SCHEDULE__NAMED_SYSTEM_HPP_
#define TAKT_SCHEDULE__NAMED_SYSTEM_HPP_

#include <string>
#include <vector>

#include "takt_core/result.hpp"

namespace takt_schedule
{

/// Where the model is that the schedule in this file names. `shipped`: folders of shipped models, of which
/// the first that has the name counts. Nothing else of the schedule is checked. Faults: those of a file
/// that is no YAML map, or that is none but a stream, which can be read only once; it names none, or one
/// that is not there.
takt_core::Result<std::string> named_system(
  const std::string & schedule_file, const std::vector<std::string> & shipped);

/// What a schedule that goes to `schedule_file` has to say so that `named_system` leads to `system_file`.
/// An empty `schedule_file`, or a stream, stands for one in the current folder. Empty if `system_file` is no
/// file.
std::string name_of_system(
  const std::string & system_file, const std::string & schedule_file,
  const std::vector<std::string> & shipped);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__NAMED_SYSTEM_HPP_
