// Traces as tracks for drawing; both writers use them.
//
// Set-up only: allocates; does not block.
#ifndef TAKT_TRACE__SRC__TIMELINE__TIMELINE_HPP_
#define TAKT_TRACE__SRC__TIMELINE__TIMELINE_HPP_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "takt_trace/long_trace.hpp"
#include "timeline/tracks.hpp"

namespace takt_trace::detail
{

/// The clocks of the first process at one moment, in nanoseconds.
struct ClockReading
{
  std::uint64_t boottime = 0;
  std::uint64_t realtime = 0;
};

/// One end of an arrow from an instant to the begin of a slice. Both ends have the arrow's number,
/// which is above 0.
struct ArrowEnd
{
  std::size_t process = 0;
  std::size_t track = 0;
  std::int64_t time = 0;
  std::size_t event = 0;  ///< number of the instant, or index of the slice
  std::uint64_t arrow = 0;

  bool is_of(std::size_t of_process, std::size_t of_track) const
  {
    return process == of_process && track == of_track;
  }
};

struct Timeline
{
  /// The clock: CLOCK_REALTIME if there are several hosts, else CLOCK_BOOTTIME.
  bool realtime = false;
  ClockReading clocks;
  std::vector<ProcessTimeline> processes;
  LongVector<ArrowEnd> arrow_begins;  ///< by process, track, and the order of the track's instants
  LongVector<ArrowEnd> arrow_ends;    ///< by process, track, and the order of the track's slices
};

Timeline make_timeline(const std::vector<LongTrace> & processes);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__TIMELINE__TIMELINE_HPP_
