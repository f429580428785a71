// An alarm says that a value crossed a limit, or that the crossing ended.
#ifndef TAKT_WATCH__SRC__ALARM_HPP_
#define TAKT_WATCH__SRC__ALARM_HPP_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "takt_rt/time.hpp"
#include "takt_schedule/watch_rules.hpp"

namespace takt_watch
{

enum class AlarmKind : std::uint8_t
{
  backlog,
  age,
  rate,
  lost,
  deadline,
  overrun,
  stall,
  skipped,
  guard
};

std::string_view to_string(AlarmKind kind) noexcept;

/// The reason why messages pile up or why deadlines are missed.
struct Cause
{
  enum class Kind : std::uint8_t
  {
    publisher_faster,
    too_little_processor_time,
    runs_longer,   ///< runs of the callback last longer than usual
    runs_too_long  ///< runs last longer than the time between two messages; both times are usual
  };
  struct Share
  {
    std::string name{};  ///< a callback, a thread, or "other threads of core 1"
    double share = 0;    ///< the used share of one core in the window
  };
  Kind kind = Kind::publisher_faster;
  double arrival_rate = 0;             ///< 1/s, in the window
  std::optional<double> usual_rate{};  ///< 1/s, before the window
  /// The arrival rate times the CPU time of a run; 1: a whole core.
  double demand = 0;
  /// the callbacks and threads that had the processor, the largest share first
  std::vector<Share> who{};
  std::string callback{};  ///< the callback of the chain that the cause concerns
  // Run times, without the time in which the run's thread waited for a core:
  std::optional<takt_rt::Duration> run{};        ///< the mean of the last runs
  std::optional<takt_rt::Duration> usual_run{};  ///< usual mean
  /// The time so far of the run in progress that caused the alarm; absent: no such run.
  std::optional<takt_rt::Duration> running{};
};

struct Alarm
{
  AlarmKind kind = AlarmKind::backlog;
  bool raised = true;  ///< false: cleared
  bool error = false;  ///< level: error, otherwise warning
  takt_rt::Time time{};
  std::string executor{};
  std::string callback{};  ///< empty: none; the same for `chain` and `thread`
  std::string chain{};
  std::string thread{};
  double value = 0;
  double limit = 0;
  std::string_view unit = "messages";  ///< messages, ns, ratio, misses, events
  std::optional<Cause> cause{};
  /// Time since the release of the first overdue activation of the chain; absent: none is overdue,
  /// or an activation has ended since.
  std::optional<takt_rt::Duration> silent{};
  bool from_arrival = false;                    ///< see ChainSample::from_arrival
  std::optional<takt_rt::Duration> deadline{};  ///< the deadline of the chain
  std::vector<std::string> stack{};
  std::string text{};  ///< a sentence for users
  std::vector<takt_schedule::AlarmAction> actions{};
  bool fail_safe = false;
};

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__ALARM_HPP_
