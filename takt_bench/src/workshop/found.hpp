// The results of one run of an exercise.
#ifndef TAKT_BENCH__SRC__WORKSHOP__FOUND_HPP_
#define TAKT_BENCH__SRC__WORKSHOP__FOUND_HPP_

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "takt_rt/fault.hpp"
#include "takt_rt/time.hpp"
#include "takt_trace/stall_index.hpp"
#include "workshop/slices.hpp"

namespace takt_bench::workshop
{

/// Filled on the thread that runs the exercise, while no other thread runs any more, except for the
/// logs.
struct Found
{
  takt_rt::Time from{}, to{};  ///< only slices that begin in this time count
  std::deque<SliceLog> logs{};
  std::vector<takt_trace::TimeSpan>
    stalls{};  ///< in which the host had a core that any log's thread may have used
  /// The host had a core at a moment at which a timer was due. These alone decide about its
  /// periods.
  std::vector<takt_trace::TimeSpan> stalls_when_due{};
  std::uint64_t stalls_without_room = 0;  ///< stalls that were not kept; their slices count
  bool stalls_seen = true;                ///< false: host stalls cannot be told apart
  takt_rt::Faults refused{};              ///< by the kernel
  std::uint64_t overruns = 0;             ///< periods without a cycle, outside of host stalls
  std::uint64_t overruns_in_stalls = 0;
  std::optional<std::uint64_t> dropped{};  ///< values that a queue refused
  std::optional<std::uint64_t>
    allocations{};  ///< of the real-time thread, in what the exercise is about
  /// All stalls that may have touched slices of that log.
  takt_trace::StallIndex stalls_of(const SliceLog & log) const
  {
    std::vector<takt_trace::TimeSpan> spans = stalls;
    spans.insert(spans.end(), log.stalls().begin(), log.stalls().end());
    return takt_trace::StallIndex(std::move(spans));
  }
  /// Sorts missed periods of that log's thread, each with the time that may have caused it, by
  /// whether the host did. After `stalls` and the log's.
  void count_overruns(const std::vector<takt_trace::TimeSpan> & missed, const SliceLog & log)
  {
    const takt_trace::StallIndex index = stalls_of(log);
    for (const takt_trace::TimeSpan & each : missed) {
      if (each.end >= from) {
        ++(index.overlaps(each.begin, each.end) ? overruns_in_stalls : overruns);
      }
    }
  }
};

}  // namespace takt_bench::workshop

#endif  // TAKT_BENCH__SRC__WORKSHOP__FOUND_HPP_
