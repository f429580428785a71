// The timing of a timer callback: when it is due, and what happens to periods it missed.
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

/// What a timer does that starts so late that further periods have passed.
enum class MissedPeriods
{
  skip,      ///< go on at the next point of its grid after the start; phase is kept (as rcl)
  catch_up,  ///< run once for each missed period
  restart,   ///< the next release is one period after the late start; phase is lost
};

/// From where timers' offsets count.
enum class Epoch
{
  start,  ///< the opening of the executor's gate
  host,   ///< zero of the monotonic clock, which all processes of a host have in common
  tai,    ///< zero of TAI, which hosts have in common whose clocks are disciplined (tai_clock.hpp)
};

/// As the schedule file spells them; see names.hpp.
std::string_view to_string(MissedPeriods policy) noexcept;
std::string_view to_string(Epoch epoch) noexcept;

struct TimerOptions
{
  Duration period{};  ///< must be positive
  /// First release after the start gate opens (or after the timer is added, if later); see
  /// `first_release`. Default: one period, as rclcpp does.
  std::optional<Duration> offset;
  MissedPeriods missed_periods = MissedPeriods::skip;
  bool autostart = true;  ///< false: waits for `Scheduler::reset_timer` or `resume_timer`
};

/// The nominal time of the first release of a timer that begins at `from`. Real-time safe.
///
/// Epoch `start`: `from` + offset. Epoch `host`: the first time k * period + offset of the monotonic
/// clock, k a whole number, that is not before `from` and the whole periods that the offset has. So an
/// offset below the period gives the next such time, and the default (one period) never gives a
/// release that comes sooner than a period. Epoch `tai`: the same on a clock that is `ahead` of the
/// monotonic one.
Time first_release(
  const TimerOptions & timer, Epoch epoch, Time from, Duration ahead = Duration::zero()) noexcept;

}  // namespace takt_core

#endif  // TAKT_CORE__TIMER_HPP_
