// The steps of reading a system model. Set-up only.
#ifndef TAKT_SCHEDULE__SRC__READ_SYSTEM_HPP_
#define TAKT_SCHEDULE__SRC__READ_SYSTEM_HPP_

#include "takt_schedule/reader/findings.hpp"
#include "takt_schedule/reader/map_reader.hpp"
#include "takt_schedule/system.hpp"

namespace takt_schedule::detail
{

/// `hosts:` (required), then `overheads:` for hosts that have none of their own, `communication:`.
void read_hosts(MapReader & map, Findings & findings, System & system);

/// The values of an `overheads:`; those that it does not name stay as they are in `overheads`.
Overheads read_overheads(Findings & findings, const YamlNode & node, Overheads overheads);

/// Faults at `at`, and false, if the host has no such core.
bool has_core(const HostModel & host, int core, const Source & at, Findings & findings);

/// `groups:` and `callbacks:`; after the hosts.
void read_groups(MapReader & map, Findings & findings, System & system);
void read_callbacks(MapReader & map, Findings & findings, System & system);

/// What only the whole shows: topics without a publisher, callbacks that trigger themselves, paths of
/// chains that are no paths, groups nobody is in, cores that are asked too much of.
void check_system(const System & system, Findings & findings);

/// Part of it: a callback that triggers itself, by however many others, would never come to rest.
void check_cycles(const System & system, Findings & findings);

/// Part of it: waits within a run for callbacks that are not there, cannot be waited for, or would never end.
void check_waits(const System & system, Findings & findings);

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__READ_SYSTEM_HPP_
