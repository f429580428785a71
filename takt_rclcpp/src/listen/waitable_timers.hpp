// Timers that belong to a waitable (`get_timers`); an EventsExecutor runs them with the waitable.
#ifndef LISTEN__WAITABLE_TIMERS_HPP_
#define LISTEN__WAITABLE_TIMERS_HPP_

#include <type_traits>
#include <vector>

#include "rclcpp/timer.hpp"
#include "rclcpp/waitable.hpp"

namespace takt_rclcpp
{

template <typename Waitable>
concept NamesTimers = requires(const Waitable & waitable)
{
  waitable.get_timers();
};

/// True since rclcpp 29.5.
constexpr bool kWaitablesNameTimers = NamesTimers<rclcpp::Waitable>;

template <typename Waitable>
std::vector<rclcpp::TimerBase::SharedPtr> timers_of(const Waitable & waitable)
{
  if constexpr (NamesTimers<Waitable>) {
    return waitable.get_timers();
  } else {
    return {};
  }
}

}  // namespace takt_rclcpp

#endif  // LISTEN__WAITABLE_TIMERS_HPP_
