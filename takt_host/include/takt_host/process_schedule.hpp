// The schedule of this process: the file that TAKT_SCHEDULE names, and the executor of it that fits
// the program.
#ifndef TAKT_HOST__PROCESS_SCHEDULE_HPP_
#define TAKT_HOST__PROCESS_SCHEDULE_HPP_

#include <optional>
#include <string>
#include <vector>

#include "takt_rt/result.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_host
{

/// A schedule, and one of its executors.
struct ProcessSchedule
{
  takt_schedule::Schedule schedule;
  std::string executor;
  takt_rt::Faults warnings;  ///< of the choice
};

/// Nothing without TAKT_SCHEDULE. TAKT_EXECUTOR names the executor; else choose_executor does, by
/// the ids of the program's callbacks and by `name`, or the file has one executor only. Faults:
/// those of the file; no executor fits `node`, the node that has the callbacks. Set-up only: reads
/// a file.
takt_rt::Result<std::optional<ProcessSchedule>> schedule_of_process(
  const std::vector<std::string> & ids, const std::string & name, const std::string & node);

}  // namespace takt_host

#endif  // TAKT_HOST__PROCESS_SCHEDULE_HPP_
