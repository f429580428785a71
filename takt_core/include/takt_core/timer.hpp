// The timing of a timer callback: its releases, and its policy for missed periods.
#ifndef TAKT_CORE__TIMER_HPP_
#define TAKT_CORE__TIMER_HPP_

#include <cstdint>
#include <optional>
#include <string_view>

#include "takt_rt/time.hpp"

namespace takt_core
{

using takt_rt::Duration;
using takt_rt::Time;

/// The reaction of a timer that starts so late that further periods have passed.
enum class MissedPeriods
{
  skip,      ///< continues at the next point of its grid after the start; phase is kept (as rcl)
  catch_up,  ///< runs once for each missed period
  restart,   ///< the next release is one period after the late start; phase is lost
};

/// Zero of the timers' offsets.
enum class Epoch
{
  start,  ///< the opening of the executor's gate
  host,   ///< zero of the monotonic clock, which all processes of a host share
  tai,    ///< zero of TAI, which hosts with disciplined clocks share (tai_clock.hpp)
};

/// As the schedule file spells them; see names.hpp.
std::string_view to_string(MissedPeriods policy) noexcept;
std::string_view to_string(Epoch epoch) noexcept;

/// The options of one timer callback.
struct TimerOptions
{
  Duration period{};  ///< must be positive
  /// Delay of the first release after the start gate opens (or after the timer is added, if later);
  /// see `first_release`. Absent: one period, as in rclcpp.
  std::optional<Duration> offset;
  MissedPeriods missed_periods = MissedPeriods::skip;
  bool autostart = true;  ///< false: waits for `Scheduler::reset_timer` or `resume_timer`
};

/// The nominal time of the first release of a timer that begins at `from`. Real-time safe.
///
/// Epoch `start`: `from` + offset. Epoch `host`: the first time k * period + offset of the
/// monotonic clock, k a whole number, that is not before `from` plus the offset's whole periods. So
/// with an offset below the period, the first release is the next such time; with the default
/// offset (one period), it is at least one period after `from`. Epoch `tai`: the same on a clock
/// that is `ahead` of the monotonic one.
Time first_release(
  const TimerOptions & timer, Epoch epoch, Time from, Duration ahead = Duration::zero()) noexcept;

}  // namespace takt_core

#endif  // TAKT_CORE__TIMER_HPP_
