// Reads `chains:` and what follows from them for the executors.
#ifndef TAKT_SCHEDULE__SRC__READ_CHAINS_HPP_
#define TAKT_SCHEDULE__SRC__READ_CHAINS_HPP_

#include "map_reader.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule::detail
{

/// Executors must have been read: ids of chains exist, so rules that tie over them are faults here
/// already.
void read_chains(MapReader & map, Findings & findings, Schedule & schedule);

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__READ_CHAINS_HPP_
