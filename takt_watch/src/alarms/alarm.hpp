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
  skipped
};

std::string_view to_string(AlarmKind kind) noexcept;

/// Why messages pile up, or why deadlines are missed.
struct Cause
{
  enum class Kind : std::uint8_t
  {
    publisher_faster,
    too_little_processor_time,
    runs_longer,   ///< runs of the callback last longer than usual
    runs_too_long  ///< runs last longer than the time between two messages; both are as usual
  };
  struct Share
  {
    std::string name{};  ///< a callback, a thread, or "other threads of core 1"
    double share = 0;    ///< of the window, of one core
  };
  Kind kind = Kind::publisher_faster;
  double arrival_rate = 0;             ///< 1/s, in the window
  std::optional<double> usual_rate{};  ///< 1/s, before the window
  double demand = 0;                   ///< arrival rate times CPU time of a run; 1: a whole core
  /// the callbacks and threads that had the processor, the largest share first
  std::vector<Share> who{};
  std::string callback{};  ///< the callback of the chain that the cause concerns
  // Without the time in which the run's thread waited for a core:
  std::optional<takt_rt::Duration> run{};        ///< mean of the last runs
  std::optional<takt_rt::Duration> usual_run{};  ///< usual mean
  std::optional<takt_rt::Duration>
    running{};  ///< the run that caused it has lasted so long, and has not returned
};

struct Alarm
{
  AlarmKind kind = AlarmKind::backlog;
  bool raised = true;  ///< false: cleared
  bool error = false;  ///< level: error, otherwise warning
  takt_rt::Time time{};
  std::string executor{};
  std::string callback{};  ///< empty: none; so are the next two
  std::string chain{};
  std::string thread{};
  double value = 0;
  double limit = 0;
  std::string_view unit = "messages";  ///< messages, ns, ratio, misses
  std::optional<Cause> cause{};
  /// Time since the release of the first overdue activation of the chain; absent: an activation has ended since.
  std::optional<takt_rt::Duration> silent{};
  bool from_arrival = false;                    ///< see ChainSample::from_arrival
  std::optional<takt_rt::Duration> deadline{};  ///< of the chain
  std::vector<std::string> stack{};
  std::string text{};  ///< a sentence for users
  std::vector<takt_schedule::AlarmAction> actions{};
  bool fail_safe = false;
};

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__ALARM_HPP_
