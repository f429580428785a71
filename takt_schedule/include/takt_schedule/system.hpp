// The content of a system model file as plain data. docs/system.md explains every field.
//
// The input of analysis, simulation and planning: callbacks, their triggers, execution times and
// publications, chains with deadlines, and the machines. `parse_system` (parse_system.hpp) reads
// one from text. Set-up only.
#ifndef TAKT_SCHEDULE__SYSTEM_HPP_
#define TAKT_SCHEDULE__SYSTEM_HPP_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "takt_core/callback.hpp"
#include "takt_core/group.hpp"
#include "takt_rt/time.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule
{

/// How long one run takes on an otherwise idle core, without `Overheads`.
struct ExecutionTime
{
  takt_rt::Duration worst{};
  takt_rt::Duration best{};  ///< at most `worst`; if absent, `worst`
  /// Times with their counts, ascending; empty: unknown.
  std::vector<std::pair<takt_rt::Duration, std::uint64_t>> histogram;
  friend bool operator==(const ExecutionTime &, const ExecutionTime &) = default;
};

/// Which of several inputs start a callback.
enum class Trigger
{
  any,    ///< each message of each topic
  all,    ///< one message of every topic, matched by order of arrival
  newest  ///< each message; only the run that completes a set of the newest of every topic works
};

/// Limit for `waits_for` of one callback.
constexpr std::size_t kMostWaits = 100;

/// One entry of `callbacks:`.
struct CallbackModel
{
  std::string id;
  /// `Trigger::newest`: ids of the subscriptions that share the work, one for each of `triggers`;
  /// `id` is the first. Otherwise empty.
  std::vector<std::string> ids;
  std::string executor;  ///< as in the schedule; each executor is one process
  std::string host;      ///< of the executor
  std::string group;     ///< id; empty: an exclusive group of its own
  ExecutionTime time;

  /// For timers, and for sources outside the model (a driver, another process): at most one release
  /// each `period`, `offset` after the start (timers; absent: any phase), and up to `jitter` late.
  /// Absent: topics trigger the callback.
  std::optional<takt_rt::Duration> period;
  std::optional<takt_rt::Duration> offset;
  bool any_phase = false;  ///< timers: no schedule can set the offset
  takt_rt::Duration jitter{};

  std::vector<std::string> triggers;  ///< topics that start it
  Trigger trigger = Trigger::any;     ///< for several topics
  std::vector<std::string> reads;     ///< topics whose latest message it uses; they do not start it
  std::vector<std::string> publishes;  ///< topics, one message each per run
  std::uint32_t depth = 10;            ///< messages kept per topic (KEEP_LAST)
  bool depth_known = false;            ///< false: `depth` is ROS 2's default, and assumed
  /// Ids of callbacks that each run starts and waits for, one after the other, as for a service's
  /// answer.
  std::vector<std::string> waits_for;
  /// Longest sleep of each run, after its work and before `waits_for`: a wait outside the model. It
  /// holds the thread and no core.
  takt_rt::Duration sleep{};

  /// Of a subscription: its runs only store messages for other callbacks of its group, so it makes
  /// no difference when they come as long as they come before those.
  bool stores = false;
  /// It publishes right before it returns, so a schedule may say `publishes_last`.
  bool publishes_last = false;

  std::vector<int> cores;  ///< constraint: only these cores; empty: any
  Source source;

  /// The kind in the id; a subscription if the id has none.
  takt_core::Kind kind() const;
  /// True if the id names a timer.
  bool is_timer() const { return kind() == takt_core::Kind::timer; }
  /// Every id by which a schedule may name it: `ids`, or `id` alone.
  std::vector<std::string> all_ids() const
  {
    return ids.empty() ? std::vector<std::string>{id} : ids;
  }
  friend bool operator==(const CallbackModel &, const CallbackModel &) = default;
};

/// One entry of `groups:`.
struct GroupModel
{
  std::string id;
  takt_core::GroupKind kind = takt_core::GroupKind::mutually_exclusive;
  Source source;
  friend bool operator==(const GroupModel &, const GroupModel &) = default;
};

/// The cost of one dispatch beside the callback itself.
struct Overheads
{
  takt_rt::Duration dispatch{};        ///< per run: release to start, and completion
  takt_rt::Duration middleware{};      ///< per message: publishing and taking it
  takt_rt::Duration context_switch{};  ///< per preemption or wake-up
  friend bool operator==(const Overheads &, const Overheads &) = default;
};

/// A thread besides the executors': of interrupts, drivers or the middleware.
struct OtherThread
{
  std::string name;
  int priority = 0;        ///< SCHED_FIFO; 0: below all real-time threads
  std::vector<int> cores;  ///< it may use any of these; empty: all of the host's
  takt_rt::Duration time{};
  takt_rt::Duration period{};
  Source source;
  friend bool operator==(const OtherThread &, const OtherThread &) = default;
};

/// One entry of `hosts:`.
struct HostModel
{
  std::string name;
  std::vector<int> cores;     ///< rising
  std::vector<int> reserved;  ///< of `cores`: kept for the rest of the system
  /// Share of each core for the modelled callbacks. The default leaves the share that Linux by
  /// default withholds from SCHED_FIFO threads (sched_rt_runtime_us in sched(7)).
  double utilization_cap = 0.95;
  int least_priority = 1;  ///< real-time priorities that a plan may use
  int most_priority = 90;
  Overheads overheads;
  bool has_overheads = false;  ///< the overheads are known; zero if the times include them
  std::vector<OtherThread> other_threads;
  Source source;
  friend bool operator==(const HostModel &, const HostModel &) = default;
};

/// Longest transmission time of a message, in addition to `Overheads::middleware`.
struct Communication
{
  takt_rt::Duration processes{};  ///< between executors of one host
  takt_rt::Duration hosts{};      ///< between hosts
  friend bool operator==(const Communication &, const Communication &) = default;
};

/// The content of a system model's file.
struct System
{
  std::string file;  ///< as named to `parse_system`; for messages
  std::vector<HostModel> hosts;
  Communication communication;
  std::vector<GroupModel> groups;
  std::vector<CallbackModel> callbacks;
  std::vector<ChainSchedule> chains;
  /// "FILE:LINE:COL: what", sorted by line: valid entries that are probably mistakes.
  takt_rt::Faults warnings;
};

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__SYSTEM_HPP_
