// The costs of a run beside the callback's own time on a machine, as `takt calibrate -o FILE`
// measures them.
#ifndef TAKT_SCHEDULE__MACHINE_COSTS_HPP_
#define TAKT_SCHEDULE__MACHINE_COSTS_HPP_

#include <string>
#include <string_view>

#include "takt_rt/result.hpp"
#include "takt_rt/time.hpp"
#include "takt_schedule/system.hpp"

namespace takt_schedule
{

/// The content of such a file.
struct MachineCosts
{
  Overheads overheads;
  takt_rt::Duration jitter{};  ///< of each timer: how late its thread wakes up
};

/// Reads `version`, `overheads` and `jitter`; the faults name `file_name`, line and column. Set-up
/// only: allocates.
takt_rt::Result<MachineCosts> parse_costs(std::string_view text, std::string file_name);
/// Reads the file first. May block. A file that cannot be read is one fault.
takt_rt::Result<MachineCosts> load_costs(const std::string & path);

/// Gives all hosts of the model these overheads, and every timer at least the machine's jitter.
void add_costs(System & system, const MachineCosts & costs);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__MACHINE_COSTS_HPP_
