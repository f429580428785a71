// The records of one thread as slices, instants and what else they tell. Any records are safe.
//
// Slices that have no end are closed where the trace ends. Times of slices never go back: a record with an earlier time
// than the one before takes that one's time. Set-up only: allocates; does not block.
#ifndef TAKT_TRACE__SRC__THREAD_EVENTS_HPP_
#define TAKT_TRACE__SRC__THREAD_EVENTS_HPP_

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "takt_trace/trace.hpp"
#include "timeline.hpp"

namespace takt_trace::detail
{

struct TracedActivation
{
  std::uint32_t chain = 0;
  std::int64_t release = 0;
  std::int64_t end = 0;  ///< not before the release
};

struct ThreadEvents
{
  std::vector<Slice> slices;      ///< runs and spans; nested strictly, outer ones first
  std::vector<Instant> instants;  ///< in the order of their records
  std::vector<Slice> told;        ///< when they were over; may overlap
  std::vector<TracedActivation> activations;
  std::vector<std::pair<Text, Sample>> samples;  ///< by counter; finite
  std::vector<Sample> core_waits;                ///< of runs, us
  std::vector<Slice> host_stalls;                ///< may overlap
  // Where records went, by their index in the thread.
  std::unordered_map<std::size_t, std::size_t> run_of_take;         ///< index in `slices`
  std::unordered_map<std::size_t, std::size_t> instant_of_publish;  ///< index in `instants`
};

/// `trace_end`: of the process; slices that go on then are closed, or at the thread's last record if that is later.
ThreadEvents thread_events(
  const ProcessTrace & process, const TracedThread & thread, std::int64_t trace_end, Texts & texts);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__THREAD_EVENTS_HPP_
