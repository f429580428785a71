// The content of a schedule file as plain data. docs/schedule.md explains every field.
//
// `parse_schedule` (parse.hpp) reads one from text, `to_yaml` writes one as text. Programs that
// write schedules fill these structs. `to_yaml` does not check them: reading the text back gives
// the faults. Set-up only.
#ifndef TAKT_SCHEDULE__SCHEDULE_HPP_
#define TAKT_SCHEDULE__SCHEDULE_HPP_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "takt_core/chain.hpp"
#include "takt_core/executor.hpp"
#include "takt_core/order.hpp"
#include "takt_core/timer.hpp"
#include "takt_rt/thread_attributes.hpp"
#include "takt_schedule/source.hpp"
#include "takt_schedule/watch_rules.hpp"

namespace takt_schedule
{

/// The format version this library reads and writes.
inline constexpr int kVersion = 1;

/// Replaces real-time attributes if the rights are missing: policy other with `nice`.
struct Fallback
{
  int nice = 0;
  friend bool operator==(const Fallback &, const Fallback &) = default;
};

/// `epoch:`, of the file or of an executor.
struct EpochSchedule
{
  takt_core::Epoch from = takt_core::Epoch::start;
  takt_rt::Duration uncertainty{};  ///< of TAI: largest error of a host's clock
  friend bool operator==(const EpochSchedule &, const EpochSchedule &) = default;
};

/// One entry of `threads:`: `count` executor threads with equal attributes.
struct Threads
{
  std::string name;
  int count = 1;                         ///< 1 to 63
  takt_rt::ThreadAttributes attributes;  ///< without a name; cores before spreading
  bool spread = false;  ///< thread i gets only core i mod n of `cores`, else of the process's
  bool follow = false;  ///< a following pool
  std::optional<Fallback> fallback;
  Source source;
  friend bool operator==(const Threads &, const Threads &) = default;
};

/// `trigger: false` of an entry of `callbacks:`, with the keys that belong to it.
struct NonTriggeringRule
{
  std::vector<std::string> with;  ///< exact ids and patterns of the takers; empty: all of the group
  std::uint32_t keep = 0;         ///< newest messages that a taker takes; 0: all
  std::optional<takt_rt::Duration> max_age;
  friend bool operator==(const NonTriggeringRule &, const NonTriggeringRule &) = default;
};

/// One entry of `callbacks:`.
struct CallbackRule
{
  std::vector<std::string> match;    ///< exact ids and patterns; one match is enough
  std::vector<std::string> threads;  ///< "hot", "hot.0", "all"; empty: the default set
  std::optional<int> priority;       ///< 0 to 255
  std::optional<takt_rt::Duration> deadline;
  std::optional<takt_core::MissedPeriods> missed_periods;  ///< timers only
  std::optional<takt_rt::Duration> offset;                 ///< timers only
  std::optional<takt_core::Boost> boost;                   ///< see takt_core::Binding
  bool publishes_last = false;                             ///< see takt_core::Binding
  bool never_settles = false;                              ///< takt_core::Phased::for_good
  std::optional<NonTriggeringRule> non_triggering;         ///< takt_core::NonTriggering
  WatchRule watch;
  Source source;
  friend bool operator==(const CallbackRule &, const CallbackRule &) = default;
};

/// `when:` of an entry of `groups:`; see takt_core::Condition.
struct ConditionRule
{
  std::uint32_t count = 1;  ///< 0: all
  std::optional<takt_rt::Duration> fresh;
  std::optional<takt_rt::Duration> spread;  ///< then `count` is 0, and `fresh` is absent
  friend bool operator==(const ConditionRule &, const ConditionRule &) = default;
};

/// One entry of `groups:`.
struct GroupRule
{
  std::vector<std::string> match;
  bool across_priorities = false;  ///< true: allow
  /// The group has its own threads (takt_core/isolation.hpp): `count`, attributes and fallback,
  /// without a name, `spread` and `follow`.
  std::optional<Threads> isolate;
  std::optional<ConditionRule> when;                   ///< absent: each message triggers
  std::optional<takt_core::LateOutputs> logical_time;  ///< `let` (takt_core/logical_time.hpp)
  Source source;
  friend bool operator==(const GroupRule &, const GroupRule &) = default;
};

/// One entry of `sequences:`; see takt_core::SequencePlace.
struct SequenceRule
{
  std::vector<std::string> path;  ///< exact ids, each in one sequence of the executor only
  Source source;
  std::vector<Source> path_sources;  ///< one per id of the path, if from a file
  bool graph = false;                ///< an entry `graph: [...]`: for several threads
  friend bool operator==(const SequenceRule & a, const SequenceRule & b)
  {
    return a.path == b.path && a.graph == b.graph;
  }
};

/// One entry of `process_threads:`: attributes of threads outside takt, by OS name.
struct ProcessThreadRule
{
  std::vector<std::string> match;
  takt_rt::ThreadAttributes attributes;  ///< without name and stack size
  Source source;
  friend bool operator==(const ProcessThreadRule &, const ProcessThreadRule &) = default;
};

/// One entry of `executors:`.
struct ExecutorSchedule
{
  std::string name;
  takt_core::Order order = takt_core::Order::fifo;
  takt_core::WindowTimers window_timers = takt_core::WindowTimers::snapshot;
  EpochSchedule epoch;  ///< the file's, unless the executor has its own
  /// Time after a disturbance until bounds on known phases hold again; the file's.
  std::optional<takt_rt::Duration> settles;
  takt_core::ExceptionPolicy on_exception = takt_core::ExceptionPolicy::stop;
  takt_core::MissingRights missing_rights = takt_core::MissingRights::fail;
  takt_core::MiddlewareCeiling middleware_ceiling;
  bool lock_memory = false;
  /// The callbacks of a single-threaded executor of rclcpp may run concurrently (`takt exec`).
  bool parallel = false;
  std::vector<Threads> threads;              ///< in file order, which numbers the threads
  std::vector<std::string> default_threads;  ///< as CallbackRule::threads, never empty
  std::vector<CallbackRule> callbacks;
  std::vector<GroupRule> groups;
  std::vector<SequenceRule> sequences;
  std::vector<ProcessThreadRule> process_threads;
  Source source;
  friend bool operator==(const ExecutorSchedule &, const ExecutorSchedule &);
};

/// One entry of `chains:`.
struct ChainSchedule
{
  takt_core::ChainOptions options;
  ChainWatchRule watch;
  Source source;
  std::vector<Source> path_sources;  ///< one per id of the path, if from a file
  friend bool operator==(const ChainSchedule &, const ChainSchedule &);
};

/// How messages of a topic travel.
enum class TopicTransport : std::uint8_t
{
  middleware,
  shared_memory
};

/// One entry of `topics:`; see topic_rules.hpp.
struct TopicRule
{
  std::vector<std::string> match;  ///< topics and patterns; one match is enough
  TopicTransport transport = TopicTransport::middleware;
  takt_rt::Duration
    copy_period{};  ///< least time between two messages that the middleware also gets
  Source source;
  friend bool operator==(const TopicRule &, const TopicRule &) = default;
};

/// The content of a schedule file.
struct Schedule
{
  std::string file;  ///< as named to `parse_schedule`; for messages
  /// The model for which the schedule was made, in the form of named_system.hpp; empty: none.
  std::string system;
  bool strict = false;  ///< patterns without a match are errors
  std::vector<ExecutorSchedule> executors;
  std::vector<ChainSchedule> chains;
  std::vector<TopicRule> topics;
  WatchSettings watch;
  /// "FILE:LINE:COL: what", sorted by line: valid entries that are probably mistakes.
  takt_rt::Faults warnings;

  /// The executor of that name, or nullptr.
  const ExecutorSchedule * find(std::string_view executor_name) const;

  /// Equal if they have the same content; files, lines, comments and warnings are ignored.
  friend bool operator==(const Schedule &, const Schedule &);
};

/// The chains in the core's form.
std::vector<takt_core::ChainOptions> chain_options(const Schedule & schedule);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__SCHEDULE_HPP_
