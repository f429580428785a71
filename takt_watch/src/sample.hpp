// The values of one look at this process; counts begin with the watching.
//
// The alarm rules (alarm_rules.hpp) compare two samples, one window apart. Tests make samples by
// hand. Times are CLOCK_MONOTONIC.
#ifndef TAKT_WATCH__SRC__SAMPLE_HPP_
#define TAKT_WATCH__SRC__SAMPLE_HPP_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "takt_core/callback.hpp"
#include "takt_core/thread_mask.hpp"
#include "takt_rt/time.hpp"
#include "takt_schedule/watch_rules.hpp"

namespace takt_watch
{

/// Misses among the last `of` responses.
struct MissWindow
{
  std::uint32_t missed = 0;
  std::uint32_t of = 1;
};

struct CallbackSample
{
  std::string id{};
  std::string chain_id{};  ///< the callback's id in paths of chains
  takt_core::Kind kind = takt_core::Kind::subscription;
  std::string group{};
  bool exclusive = true;
  /// ThreadState::number of the threads that may run the callback
  std::vector<std::uint32_t> threads{};
  std::uint32_t depth = 1;
  std::uint32_t waiting = 0;
  std::optional<takt_rt::Duration> oldest_age{};  ///< absent: no message waits
  std::uint64_t arrivals = 0;
  std::uint64_t starts = 0;
  std::uint64_t empty_takes = 0;
  std::uint64_t overwritten = 0;
  std::optional<std::uint64_t> lost{};
  std::uint64_t skipped = 0;
  std::uint64_t guarded = 0;  ///< events that the guard noted and no list ignores; 0 without it
  /// How often another process has told the events that no list ignores; absent: there is no list.
  std::optional<std::uint32_t> guard_looks{};
  std::uint64_t guard_events = 0;  ///< all events that the guard noted, if there is a list
  std::uint64_t guard_seen = 0;    ///< those of them that the process had seen at its last look
  std::uint64_t responses = 0;     ///< responses that had a deadline
  std::uint64_t misses = 0;
  MissWindow window{};
  std::uint64_t overruns = 0;
  takt_rt::Duration longest_overrun{};  ///< the longest execution time of an overrun in this window
  takt_rt::Duration busy{};             ///< execution time of all runs so far
  takt_schedule::WatchRule rule{};
};

struct ChainSample
{
  std::string name{};
  std::vector<std::string> path{};  ///< the callbacks' CallbackSample::chain_id
  /// True if the root is in another process. Then each run of the last callback counts as an
  /// activation, from the arrival of its message.
  bool from_arrival = false;
  std::uint64_t activations = 0;  ///< activations that ended or are overdue
  std::uint64_t misses = 0;
  std::uint64_t overdue = 0;  ///< misses that were counted before the activation ended
  /// Time since the release of the first overdue activation. Absent: no activation is overdue, or
  /// one has ended since.
  std::optional<takt_rt::Duration> silent{};
  MissWindow window{};
  std::optional<takt_rt::Duration> deadline{};
  takt_rt::Duration longest{};  ///< the longest response in this window
  takt_schedule::ChainWatchRule rule{};
};

struct RunningCallback
{
  std::string id{};
  takt_rt::Time since{};
  std::optional<takt_rt::Duration> stall{};  ///< the `stall` limit of the callback's rule
};

struct ThreadSample
{
  std::uint32_t number = 0;
  std::string name{};
  std::int32_t tid = 0;
  std::vector<int> cores{};
  takt_rt::Duration on_cpu{};  ///< since the thread began
  /// Time since the thread began in which it was ready without a core.
  takt_rt::Duration run_queue_delay{};
  std::optional<RunningCallback> running{};
};

struct ExecutorSample
{
  std::string name{};
  /// The actions of alarms whose rules name no action.
  std::vector<takt_schedule::AlarmAction> on_alarm{takt_schedule::AlarmAction()};
  std::vector<CallbackSample> callbacks{};
  std::vector<ChainSample> chains{};
  std::vector<ThreadSample> threads{};
};

struct Sample
{
  takt_rt::Time time{};
  std::vector<ExecutorSample> executors{};
};

/// The executor of this name; null: no such executor. Valid as long as the sample.
inline const ExecutorSample * find_executor(const Sample & sample, const std::string & name)
{
  const auto found = std::find_if(
    sample.executors.begin(), sample.executors.end(),
    [&](const ExecutorSample & executor) { return executor.name == name; });
  return found == sample.executors.end() ? nullptr : &*found;
}

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__SAMPLE_HPP_
