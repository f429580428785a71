// What a trace holds, of one process: read from its file (trace_file.hpp), written as pages and traces of others.
//
// Plain values; copied and moved freely.
#ifndef TAKT_TRACE__TRACE_HPP_
#define TAKT_TRACE__TRACE_HPP_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "takt_trace/record.hpp"

namespace takt_trace
{

struct TracedCallback
{
  std::string id;         ///< `/ns/node:timer(100ms)`
  std::string kind;       ///< takt_core::Kind, as takt_core names it
  std::string group;      ///< of callbacks that exclude each other, or not
  std::string executor;   ///< its name in schedules
  bool exclusive = true;  ///< its group is
};

struct TracedChain
{
  std::string name;
  int priority = 0;
  std::int64_t deadline = 0;      ///< nanoseconds from the root's release; 0: none
  std::vector<std::string> path;  ///< callback ids
};

/// `Records`: a list of `Record`.
template <typename Records>
struct BasicThread
{
  std::int64_t tid = 0;
  std::string name;           ///< as the kernel has it
  std::string executor;       ///< empty: no executor's
  std::uint64_t dropped = 0;  ///< records that a full ring lost
  Records records;            ///< in the order in which they were recorded
};
using TracedThread = BasicThread<std::vector<Record>>;

/// What the kernel knows of CLOCK_REALTIME's distance from true time.
struct RealtimeClock
{
  bool synchronised = false;         ///< something (NTP, PTP) sets it
  std::int64_t max_error = 0;        ///< ns
  std::int64_t estimated_error = 0;  ///< ns

  friend bool operator==(const RealtimeClock &, const RealtimeClock &) = default;
};

template <typename Records>
struct BasicTrace
{
  std::int64_t pid = 0;
  std::string program;  ///< path
  std::string host;
  /// What to add to a time of the trace (CLOCK_MONOTONIC) for CLOCK_REALTIME and for CLOCK_BOOTTIME, as read when the
  /// trace began.
  std::int64_t to_realtime = 0;
  std::int64_t to_boottime = 0;
  std::optional<RealtimeClock> realtime_clock{};  ///< when the trace began; absent: not known
  std::int64_t began =
    0;  ///< of the flight recorder: the earliest time of which nothing was overwritten
  std::int64_t ended = 0;  ///< 0: the process did not end it
  bool witnessed = false;  ///< the process watched for stalls of its host
  // Records name these by index.
  std::vector<TracedCallback> callbacks;
  std::vector<TracedChain> chains;
  std::vector<std::string> topics;
  std::vector<std::string> names;  ///< of spans, instants, counters and slices
  std::vector<BasicThread<Records>> threads;
};
using ProcessTrace = BasicTrace<std::vector<Record>>;

}  // namespace takt_trace

#endif  // TAKT_TRACE__TRACE_HPP_
