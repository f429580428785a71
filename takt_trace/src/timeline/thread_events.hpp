// Converts the records of one thread into slices, instants and samples. Accepts any records.
//
// Slices without an end are closed at the end of the trace. A record with an earlier time than the
// previous one gets that record's time. Set-up only: allocates; does not block.
#ifndef TAKT_TRACE__SRC__TIMELINE__THREAD_EVENTS_HPP_
#define TAKT_TRACE__SRC__TIMELINE__THREAD_EVENTS_HPP_

#include <cstddef>
#include <cstdint>

#include "takt_trace/long_trace.hpp"
#include "timeline/tracks.hpp"

namespace takt_trace::detail
{

struct TracedActivation
{
  std::uint32_t chain = 0;
  std::int64_t release = 0;
  std::int64_t end = 0;  ///< not before the release
};

struct NamedSample
{
  Text name;
  Sample sample{};
};

/// The event that a record became.
struct PlacedRecord
{
  std::size_t record = 0;
  std::int64_t time = 0;  ///< of the event
  std::size_t event = 0;  ///< index in its list
};

struct ThreadEvents
{
  LongVector<Slice> slices;      ///< runs and spans; nested strictly, outer ones first
  LongVector<Instant> instants;  ///< in the order of their records
  LongVector<Slice> told;        ///< recorded when they were over; may overlap
  LongVector<TracedActivation> activations;
  LongVector<NamedSample> samples;     ///< by counter; finite
  LongVector<Sample> core_waits;       ///< of runs, us
  LongVector<Slice> host_stalls;       ///< may overlap
  LongVector<PlacedRecord> takes;      ///< with the slices of the runs that took
  LongVector<PlacedRecord> publishes;  ///< with their instants
};

/// `trace_end`: of the process; slices in progress are closed then, or at the thread's last record
/// if that is later.
ThreadEvents thread_events(
  const LongTrace & process, const LongThread & thread, std::int64_t trace_end, Texts & texts);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__TIMELINE__THREAD_EVENTS_HPP_
