// The key `version:` at the beginning of each takt file.
#ifndef TAKT_SCHEDULE__READER__FORMAT_VERSION_HPP_
#define TAKT_SCHEDULE__READER__FORMAT_VERSION_HPP_

#include "takt_schedule/reader/findings.hpp"
#include "takt_schedule/reader/map_reader.hpp"

namespace takt_schedule
{

/// Faults if it is missing or not `known`. False if further reading would give only follow-up
/// faults.
bool check_version(MapReader & map, Findings & findings, int known);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__READER__FORMAT_VERSION_HPP_
