// The content of a trace of one process, as read from its file (trace_file.hpp).
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

/// A callback that a trace's records refer to.
struct TracedCallback
{
  std::string id;         ///< `/ns/node:timer(100ms)`
  std::string kind;       ///< takt_core::Kind, as takt_core names it
  std::string group;      ///< the callback group
  std::string executor;   ///< its name in schedules
  bool exclusive = true;  ///< its group excludes
};

/// A chain that a trace's records refer to.
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
  std::string name;           ///< the kernel's name
  std::string executor;       ///< empty: no executor's thread
  std::uint64_t dropped = 0;  ///< records that a full ring dropped
  Records records;            ///< in the order of recording
};
using TracedThread = BasicThread<std::vector<Record>>;

/// The kernel's estimate of the error of CLOCK_REALTIME.
struct RealtimeClock
{
  bool synchronised = false;         ///< NTP or PTP sets it
  std::int64_t max_error = 0;        ///< ns
  std::int64_t estimated_error = 0;  ///< ns

  friend bool operator==(const RealtimeClock &, const RealtimeClock &) = default;
};

/// One process with its threads. `Records`: a list of `Record`.
template <typename Records>
struct BasicTrace
{
  std::int64_t pid = 0;
  std::string program;  ///< path
  std::string host;
  /// The differences of CLOCK_REALTIME and CLOCK_BOOTTIME to a time of the trace (CLOCK_MONOTONIC),
  /// read when the trace began.
  std::int64_t to_realtime = 0;
  std::int64_t to_boottime = 0;
  std::optional<RealtimeClock> realtime_clock{};  ///< when the trace began; absent: unknown
  std::int64_t began = 0;  ///< flight recorder: the time from which all records are kept
  std::int64_t ended = 0;  ///< 0: the recording was not ended
  bool witnessed = false;  ///< the process watched for stalls of its host
  // Records refer to these by index.
  std::vector<TracedCallback> callbacks;
  std::vector<TracedChain> chains;
  std::vector<std::string> topics;
  std::vector<std::string> names;  ///< for spans, instants, counters and slices
  std::vector<BasicThread<Records>> threads;
};
using ProcessTrace = BasicTrace<std::vector<Record>>;

}  // namespace takt_trace

#endif  // TAKT_TRACE__TRACE_HPP_
