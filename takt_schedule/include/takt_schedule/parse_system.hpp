// Reading a system model file: all faults at once, as strict as reading a schedule.
//
// Set-up only: allocates and may block (reads the file). Never throws; any bytes are safe to feed.
// Time and memory are linear in the text but for sorting; more than 64 MiB of it are refused.
#ifndef TAKT_SCHEDULE__PARSE_SYSTEM_HPP_
#define TAKT_SCHEDULE__PARSE_SYSTEM_HPP_

#include <string>
#include <string_view>

#include "takt_rt/result.hpp"
#include "takt_schedule/system.hpp"

namespace takt_schedule
{

/// Faults and warnings read "FILE:LINE:COL: what; suggestion" and are sorted by line.
/// `file_name` is used for nothing else.
takt_rt::Result<System> parse_system(std::string_view text, std::string file_name);

/// Reads the file first. A file that cannot be read is one fault, "PATH: reason".
takt_rt::Result<System> load_system(const std::string & path);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__PARSE_SYSTEM_HPP_
