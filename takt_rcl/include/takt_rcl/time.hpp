// Spans of time and points on a ROS clock, and the conversion to the time in messages.
#ifndef TAKT_RCL__TIME_HPP_
#define TAKT_RCL__TIME_HPP_

#include <rcl/time.h>

#include <builtin_interfaces/msg/time.hpp>
#include <chrono>
#include <compare>
#include <cstdint>

#include "takt_rt/time.hpp"

namespace takt_rcl
{

/// A span of time: std::chrono::nanoseconds with rclcpp's names. Real-time safe.
class Duration : public takt_rt::Duration
{
public:
  constexpr Duration() noexcept : takt_rt::Duration(0) {}
  template <typename Rep, typename Period>
  constexpr Duration(std::chrono::duration<Rep, Period> duration)  // NOLINT: implicit as in rclcpp
  : takt_rt::Duration(std::chrono::duration_cast<takt_rt::Duration>(duration))
  {
  }
  constexpr Duration(std::int32_t seconds, std::uint32_t nanoseconds) noexcept
  : takt_rt::Duration(std::int64_t{seconds} * 1'000'000'000 + nanoseconds)
  {
  }

  /// Cuts off fractions of a nanosecond.
  static constexpr Duration from_seconds(double seconds)
  {
    return std::chrono::duration<double>(seconds);
  }
  static constexpr Duration from_nanoseconds(std::int64_t nanoseconds)
  {
    return takt_rt::Duration(nanoseconds);
  }

  constexpr std::int64_t nanoseconds() const noexcept { return count(); }
  constexpr double seconds() const noexcept { return static_cast<double>(count()) * 1e-9; }
};

/// Nanoseconds since the clock's origin (the Unix epoch for system and ROS time, the machine's
/// start for steady time). Comparisons and differences use only the nanoseconds. Real-time safe.
class Time
{
public:
  constexpr explicit Time(
    std::int64_t nanoseconds = 0, rcl_clock_type_t clock = RCL_SYSTEM_TIME) noexcept
  : nanoseconds_(nanoseconds),
    clock_(clock)
  {
  }
  constexpr Time(
    std::int32_t seconds, std::uint32_t nanoseconds,
    rcl_clock_type_t clock = RCL_SYSTEM_TIME) noexcept
  : nanoseconds_(seconds * kSecond + nanoseconds),
    clock_(clock)
  {
  }
  Time(
    const builtin_interfaces::msg::Time & stamp,  // NOLINT: implicit as in rclcpp
    rcl_clock_type_t clock = RCL_ROS_TIME) noexcept
  : nanoseconds_(stamp.sec * kSecond + stamp.nanosec),
    clock_(clock)
  {
  }

  constexpr std::int64_t nanoseconds() const noexcept { return nanoseconds_; }
  constexpr double seconds() const noexcept { return static_cast<double>(nanoseconds_) * 1e-9; }
  constexpr rcl_clock_type_t get_clock_type() const noexcept { return clock_; }

  /// The time in messages: seconds rounded down, and 0 to 999,999,999 nanoseconds.
  operator builtin_interfaces::msg::Time() const noexcept
  {
    std::int64_t second = nanoseconds_ / kSecond;
    std::int64_t rest = nanoseconds_ % kSecond;
    if (rest < 0) {
      --second;
      rest += kSecond;
    }
    builtin_interfaces::msg::Time stamp;
    stamp.sec = static_cast<std::int32_t>(second);
    stamp.nanosec = static_cast<std::uint32_t>(rest);
    return stamp;
  }

  friend constexpr bool operator==(const Time & a, const Time & b) noexcept
  {
    return a.nanoseconds_ == b.nanoseconds_;
  }
  friend constexpr auto operator<=>(const Time & a, const Time & b) noexcept
  {
    return a.nanoseconds_ <=> b.nanoseconds_;
  }
  friend constexpr Time operator+(Time t, takt_rt::Duration d) noexcept
  {
    return Time(t.nanoseconds_ + d.count(), t.clock_);
  }
  friend constexpr Time operator-(Time t, takt_rt::Duration d) noexcept
  {
    return Time(t.nanoseconds_ - d.count(), t.clock_);
  }
  friend constexpr Duration operator-(Time a, Time b) noexcept
  {
    return Duration::from_nanoseconds(a.nanoseconds_ - b.nanoseconds_);
  }
  constexpr Time & operator+=(takt_rt::Duration d) noexcept { return *this = *this + d; }
  constexpr Time & operator-=(takt_rt::Duration d) noexcept { return *this = *this - d; }

private:
  static constexpr std::int64_t kSecond = 1'000'000'000;
  std::int64_t nanoseconds_;
  rcl_clock_type_t clock_;
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__TIME_HPP_
