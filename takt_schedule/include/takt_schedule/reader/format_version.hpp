// The key `version:` with which each of our files begins.
#ifndef TAKT_SCHEDULE__READER__FORMAT_VERSION_HPP_
#define TAKT_SCHEDULE__READER__FORMAT_VERSION_HPP_

#include "takt_schedule/reader/findings.hpp"
#include "takt_schedule/reader/map_reader.hpp"

namespace takt_schedule
{

/// Faults if it is missing or not `known`. False where reading on would only produce nonsense.
bool check_version(MapReader & map, Findings & findings, int known);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__READER__FORMAT_VERSION_HPP_
