// The tracks of one process: threads, slices beside them, chains and counters.
#ifndef TAKT_TRACE__SRC__TIMELINE__PROCESS_TRACKS_HPP_
#define TAKT_TRACE__SRC__TIMELINE__PROCESS_TRACKS_HPP_

#include <cstddef>
#include <vector>

#include "takt_trace/long_trace.hpp"
#include "timeline/thread_events.hpp"
#include "timeline/tracks.hpp"

namespace takt_trace::detail
{

struct PlacedThread
{
  std::size_t track = 0;
  ThreadEvents events;  ///< the places of takes and publishes; the tracks have the rest
};

/// The threads, in the order of the trace. Instants are in the order of their records.
std::vector<PlacedThread> add_tracks(const LongTrace & process, ProcessTimeline & timeline);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__TIMELINE__PROCESS_TRACKS_HPP_
