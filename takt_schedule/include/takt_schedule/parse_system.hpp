// Reads a system model file and reports all faults at once, as strictly as for a schedule.
//
// Set-up only: allocates and may block (reads the file). Never throws, for any bytes. Time and
// memory are linear in the text except for sorting; a text above 64 MiB is refused.
#ifndef TAKT_SCHEDULE__PARSE_SYSTEM_HPP_
#define TAKT_SCHEDULE__PARSE_SYSTEM_HPP_

#include <string>
#include <string_view>

#include "takt_rt/result.hpp"
#include "takt_schedule/system.hpp"

namespace takt_schedule
{

/// Faults and warnings read "FILE:LINE:COL: what; suggestion" and are sorted by line. `file_name`
/// serves only for these.
takt_rt::Result<System> parse_system(std::string_view text, std::string file_name);

/// Reads the file first. An unreadable file is one fault, "PATH: reason".
takt_rt::Result<System> load_system(const std::string & path);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__PARSE_SYSTEM_HPP_
