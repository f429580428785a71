// The key `version:` with which each of our files begins.
#ifndef TAKT_SCHEDULE__SRC__FORMAT_VERSION_HPP_
#define TAKT_SCHEDULE__SRC__FORMAT_VERSION_HPP_

#include "reader/findings.hpp"
#include "reader/map_reader.hpp"

namespace takt_schedule::detail
{

/// Faults if it is missing or not `known`. False where reading on would only produce nonsense.
bool check_version(MapReader & map, Findings & findings, int known);

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__FORMAT_VERSION_HPP_
