// Points on a ROS clock, and the conversion to the time in messages.
#ifndef TAKT_RCL__TIME_HPP_
#define TAKT_RCL__TIME_HPP_

#include <builtin_interfaces/msg/time.hpp>
#include <cstdint>

#include "takt_core/time.hpp"

namespace takt_rcl
{

using takt_core::Duration;

/// Nanoseconds since the clock's origin (the Unix epoch for system and ROS time). Real-time safe.
class Time
{
public:
  constexpr explicit Time(std::int64_t nanoseconds = 0) noexcept : nanoseconds_(nanoseconds) {}
  Time(const builtin_interfaces::msg::Time & stamp) noexcept  // NOLINT: implicit as in rclcpp
  : nanoseconds_(stamp.sec * kSecond + stamp.nanosec)
  {
  }

  constexpr std::int64_t nanoseconds() const noexcept { return nanoseconds_; }
  constexpr double seconds() const noexcept { return static_cast<double>(nanoseconds_) * 1e-9; }

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

  friend constexpr auto operator<=>(const Time &, const Time &) = default;
  friend constexpr Time operator+(Time t, Duration d) noexcept
  {
    return Time(t.nanoseconds_ + d.count());
  }
  friend constexpr Time operator-(Time t, Duration d) noexcept
  {
    return Time(t.nanoseconds_ - d.count());
  }
  friend constexpr Duration operator-(Time a, Time b) noexcept
  {
    return Duration(a.nanoseconds_ - b.nanoseconds_);
  }

private:
  static constexpr std::int64_t kSecond = 1'000'000'000;
  std::int64_t nanoseconds_;
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__TIME_HPP_
