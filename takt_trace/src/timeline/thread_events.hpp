// The records of one thread as slices, instants and what else they tell. Any records are safe.
//
// Slices that have no end are closed where the trace ends. Times of slices never go back: a record with an earlier time
// than the one before takes that one's time. Set-up only: allocates; does not block.
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

/// Where a record of the thread went.
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
  LongVector<Slice> told;        ///< when they were over; may overlap
  LongVector<TracedActivation> activations;
  LongVector<NamedSample> samples;     ///< by counter; finite
  LongVector<Sample> core_waits;       ///< of runs, us
  LongVector<Slice> host_stalls;       ///< may overlap
  LongVector<PlacedRecord> takes;      ///< with the slices of the runs that took
  LongVector<PlacedRecord> publishes;  ///< with their instants
};

/// `trace_end`: of the process; slices that go on then are closed, or at the thread's last record if that is later.
ThreadEvents thread_events(
  const LongTrace & process, const LongThread & thread, std::int64_t trace_end, Texts & texts);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__TIMELINE__THREAD_EVENTS_HPP_
