// The timing of a timer callback: when it is due, and what happens to periods it missed.
#ifndef TAKT_CORE__TIMER_HPP_
#define TAKT_CORE__TIMER_HPP_

#include <cstdint>
#include <optional>
#include <string_view>

#include "takt_core/time.hpp"

namespace takt_core
{

/// What a timer does that starts so late that further periods have passed.
enum class MissedPeriods
{
  skip,      ///< go on at the next point of its grid after the start; phase is kept (as rcl)
  catch_up,  ///< run once for each missed period
  restart,   ///< the next release is one period after the late start; phase is lost
};

/// As the schedule file spells it; see names.hpp.
std::string_view to_string(MissedPeriods policy) noexcept;

struct TimerOptions
{
  Duration period{};  ///< must be positive
  /// First release after the start gate opens (or after the timer is added, if later). Default:
  /// one period, as rclcpp does.
  std::optional<Duration> offset;
  MissedPeriods missed_periods = MissedPeriods::skip;
  bool autostart = true;  ///< false: waits for `Scheduler::reset_timer` or `resume_timer`
};

}  // namespace takt_core

#endif  // TAKT_CORE__TIMER_HPP_
