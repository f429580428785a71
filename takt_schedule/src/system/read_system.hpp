// The steps of reading a system model. Set-up only.
#ifndef TAKT_SCHEDULE__SRC__READ_SYSTEM_HPP_
#define TAKT_SCHEDULE__SRC__READ_SYSTEM_HPP_

#include "takt_schedule/reader/findings.hpp"
#include "takt_schedule/reader/map_reader.hpp"
#include "takt_schedule/system.hpp"

namespace takt_schedule::detail
{

/// `hosts:` (required), then `overheads:` for hosts without their own, and `communication:`.
void read_hosts(MapReader & map, Findings & findings, System & system);

/// The values of an `overheads:`; absent ones keep their value in `overheads`.
Overheads read_overheads(Findings & findings, const YamlNode & node, Overheads overheads);

/// Adds a fault at `at` and returns false if the host has no such core.
bool has_core(const HostModel & host, int core, const Source & at, Findings & findings);

/// `groups:` and `callbacks:`; after the hosts.
void read_groups(MapReader & map, Findings & findings, System & system);
void read_callbacks(MapReader & map, Findings & findings, System & system);

/// Checks the whole model: topics without a publisher, callbacks that trigger themselves, chain
/// paths without a connection, empty groups, overloaded cores.
void check_system(const System & system, Findings & findings);

/// Part of it: callbacks that trigger themselves, directly or through others, and so would run for
/// ever.
void check_cycles(const System & system, Findings & findings);

/// Part of it: waits within a run for callbacks that do not exist, cannot be waited for, or would
/// never end.
void check_waits(const System & system, Findings & findings);

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__READ_SYSTEM_HPP_
