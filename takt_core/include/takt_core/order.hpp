// The orders in which a ready queue picks.
#ifndef TAKT_CORE__ORDER_HPP_
#define TAKT_CORE__ORDER_HPP_

#include <cstdint>
#include <string_view>

namespace takt_core
{

/// The rule by which a ready queue picks its next callback.
enum class Order : std::uint8_t
{
  priority,  ///< 256 levels, release order inside one
  fifo,      ///< release order (EventsExecutor's)
  edf,       ///< earliest absolute deadline, release order among equals
  window,    ///< ROS 2's polling points as documented for Humble, with pool starvation repaired
  stock,     ///< rclcpp's pool exactly, with its starvation: for baselines and tests only
};

/// For `window` and `stock`: which timers a window holds.
enum class WindowTimers : std::uint8_t
{
  snapshot,   ///< the timers due at the polling point (Humble)
  immediate,  ///< also timers that fall due inside the window (the rule of 2018)
};

/// As the schedule file spells them; see names.hpp.
std::string_view to_string(Order order) noexcept;
std::string_view to_string(WindowTimers timers) noexcept;

/// True for orders whose picks depend on polling points: their threads must not share thread sets.
constexpr bool has_windows(Order order) noexcept
{
  return order == Order::window || order == Order::stock;
}

}  // namespace takt_core

#endif  // TAKT_CORE__ORDER_HPP_
