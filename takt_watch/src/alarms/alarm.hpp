// An alarm: one crossing of one limit, or its end.
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

/// Why messages pile up, or deadlines are missed.
struct Cause
{
  enum class Kind : std::uint8_t
  {
    publisher_faster,
    too_little_processor_time,
    runs_longer,   ///< the callback itself needs more time than usual
    runs_too_long  ///< it needs more time than there is between two messages, and both are as usual
  };
  struct Share
  {
    std::string name{};  ///< a callback, a thread, or "other threads of core 1"
    double share = 0;    ///< of the window, of one core
  };
  Kind kind = Kind::publisher_faster;
  double arrival_rate = 0;             ///< 1/s, in the window
  std::optional<double> usual_rate{};  ///< 1/s, before
  double demand = 0;                   ///< arrival rate times processor time of a run: 1 is a core
  std::vector<Share> who{};            ///< had the processor; largest first
  std::string callback{};              ///< of a chain: the callback that the cause is about
  // Without the time in which its thread waited for a core:
  std::optional<takt_rt::Duration> run{};        ///< mean of the last runs
  std::optional<takt_rt::Duration> usual_run{};  ///< before
  std::optional<takt_rt::Duration>
    running{};  ///< a run has not returned for so long, and that is the cause
};

struct Alarm
{
  AlarmKind kind = AlarmKind::backlog;
  bool raised = true;  ///< false: cleared
  bool error = false;  ///< its level; else a warning
  takt_rt::Time time{};
  std::string executor{};
  std::string callback{};  ///< empty: none; so are these two
  std::string chain{};
  std::string thread{};
  double value = 0;
  double limit = 0;
  std::string_view unit = "messages";  ///< messages, ns, ratio, misses
  std::optional<Cause> cause{};
  /// Since the release of the chain's first activation that is overdue; absent: one has ended since.
  std::optional<takt_rt::Duration> silent{};
  bool from_arrival = false;                    ///< of the chain: see ChainSample
  std::optional<takt_rt::Duration> deadline{};  ///< of the chain
  std::vector<std::string> stack{};
  std::string text{};  ///< a sentence for people
  std::vector<takt_schedule::AlarmAction> actions{};
  bool fail_safe = false;
};

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__ALARM_HPP_
