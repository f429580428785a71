// Reads `chains:` of schedules and system models, and finds rules that tie for ids of chains.
#ifndef TAKT_SCHEDULE__SRC__READ_CHAINS_HPP_
#define TAKT_SCHEDULE__SRC__READ_CHAINS_HPP_

#include "takt_schedule/reader/map_reader.hpp"
#include "takt_schedule/schedule.hpp"
#include "watch/known_threads.hpp"

namespace takt_schedule::detail
{

/// `threads`: the threads that alarm actions may name; nullptr: the file has no watch keys.
void read_chains(
  MapReader & map, Findings & findings, const KnownThreads * threads,
  std::vector<ChainSchedule> & chains);

/// Ids of chains exist, so rules that tie for such an id are a fault. Call after both were read.
void check_ties(const Schedule & schedule, Findings & findings);

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__READ_CHAINS_HPP_
