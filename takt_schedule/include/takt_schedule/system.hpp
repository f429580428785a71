// What a system model file says, as plain data. docs/system.md explains every field.
//
// What analysis, simulation and planning start from: callbacks, what triggers them, how long they
// take, what they publish, chains with deadlines, and the machines they run on. `parse_system`
// (parse_system.hpp) makes one from text. Set-up only.
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

/// How long one run takes on an otherwise idle core, without what `Overheads` says.
struct ExecutionTime
{
  takt_rt::Duration worst{};
  takt_rt::Duration best{};  ///< at most `worst`; what is not given is `worst`
  /// Times and how often each was seen, in rising order; empty: not known.
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

/// In `waits_for` of one callback.
constexpr std::size_t kMostWaits = 100;

/// One entry of `callbacks:`.
struct CallbackModel
{
  std::string id;
  /// `Trigger::newest`: ids of the subscriptions that share the work, one for each of `triggers`, the
  /// first of which is `id`. Else empty.
  std::vector<std::string> ids;
  std::string executor;  ///< as in the schedule; one process each
  std::string host;      ///< of the executor
  std::string group;     ///< id; empty: an exclusive group of its own
  ExecutionTime time;

  /// Timers and sources outside of the model (a driver, another process that is not modelled): one
  /// release each `period` at most, `offset` after the start (timers; unknown: any phase), and up to
  /// `jitter` late. Absent: it is triggered by topics.
  std::optional<takt_rt::Duration> period;
  std::optional<takt_rt::Duration> offset;
  bool any_phase = false;  ///< timers: no schedule can set the offset
  takt_rt::Duration jitter{};

  std::vector<std::string> triggers;  ///< topics that start it
  Trigger trigger = Trigger::any;     ///< for several of them
  std::vector<std::string> reads;     ///< topics whose latest message it uses without being started
  std::vector<std::string> publishes;  ///< topics, one message each per run
  std::uint32_t depth = 10;            ///< messages kept per topic (KEEP_LAST)
  /// Ids of callbacks that each of its runs starts and waits for, one after the other, as for a service's answer.
  std::vector<std::string> waits_for;
  /// How long each of its runs sleeps at most, after its work and before what it waits for: a wait for anything outside of
  /// the model. It holds its thread and no core.
  takt_rt::Duration sleep{};

  std::vector<int> cores;  ///< constraint: only these cores; empty: any
  Source source;

  /// As the id says; a subscription if it says nothing else.
  takt_core::Kind kind() const;
  bool is_timer() const { return kind() == takt_core::Kind::timer; }
  /// Every id that a schedule may name it by: `ids`, or `id` alone.
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

/// What one dispatch costs beside the callback itself.
struct Overheads
{
  takt_rt::Duration dispatch{};        ///< per run: release to start, and completion
  takt_rt::Duration middleware{};      ///< per message: publishing and taking it
  takt_rt::Duration context_switch{};  ///< per preemption or wake-up
  friend bool operator==(const Overheads &, const Overheads &) = default;
};

/// A thread that exists beside the executors': interrupts, drivers, the middleware's.
struct OtherThread
{
  std::string name;
  int priority = 0;        ///< SCHED_FIFO; 0: below all real-time threads
  std::vector<int> cores;  ///< it may be on any of these; empty: all of the host's
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
  std::vector<int> reserved;  ///< of these: kept for the rest of the system
  /// Of each core, for what is modelled. By default the rest is what Linux by default takes away from
  /// threads of SCHED_FIFO (sched_rt_runtime_us in sched(7)).
  double utilization_cap = 0.95;
  int least_priority = 1;  ///< real-time priorities that a plan may use
  int most_priority = 90;
  Overheads overheads;
  bool has_overheads = false;  ///< they are known, if only to be in the times already
  std::vector<OtherThread> other_threads;
  Source source;
  friend bool operator==(const HostModel &, const HostModel &) = default;
};

/// How long a message is under way, at most, in addition to `Overheads::middleware`.
struct Communication
{
  takt_rt::Duration processes{};  ///< between executors of one host
  takt_rt::Duration hosts{};      ///< between hosts
  friend bool operator==(const Communication &, const Communication &) = default;
};

struct System
{
  std::string file;  ///< as named to `parse_system`; for messages
  std::vector<HostModel> hosts;
  Communication communication;
  std::vector<GroupModel> groups;
  std::vector<CallbackModel> callbacks;
  std::vector<ChainSchedule> chains;
  /// "FILE:LINE:COL: what", sorted by line: what may not be meant.
  takt_rt::Faults warnings;
};

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__SYSTEM_HPP_
