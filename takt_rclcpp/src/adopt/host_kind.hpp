// Kinds of rclcpp's executors, by their promises to callbacks.
#ifndef ADOPT__HOST_KIND_HPP_
#define ADOPT__HOST_KIND_HPP_

namespace takt_rclcpp
{

enum class HostKind
{
  single_threaded,  ///< one callback runs at a time, on the thread that called `spin`
  multi_threaded,  ///< as many threads as the pool has; callbacks of one exclusive group take turns
  events,          ///< as single_threaded; the host itself listens while it does not spin
  events_and_timers,  ///< as events, but timers run on their own thread, beside all other callbacks
  own,                ///< takt_rclcpp::Executor: as multi_threaded, but it tells takt of a cancel
};

/// True for an EventsExecutor of rclcpp.
constexpr bool is_events(HostKind kind)
{
  return kind == HostKind::events || kind == HostKind::events_and_timers;
}

}  // namespace takt_rclcpp

#endif  // ADOPT__HOST_KIND_HPP_
