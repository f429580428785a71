// What an EventsExecutor of rclcpp keeps to itself: its queue, and who runs its timers.
#ifndef LISTEN__EVENTS_HOST_HPP_
#define LISTEN__EVENTS_HOST_HPP_

#include <cstddef>
#include <vector>

#include "rclcpp/executor.hpp"
#include "rclcpp/waitable.hpp"

namespace takt_rclcpp
{

/// `execute_timers_separate_thread`: its timers run on a thread of their own, beside all other callbacks. `host` is an
/// EventsExecutor, here and below.
bool runs_timers_apart(rclcpp::Executor & host);

/// An announcement of a waitable that nobody has worked off.
struct QueuedPart
{
  const rclcpp::Waitable * waitable;  ///< it may be gone
  int part;
  std::size_t count;
};

/// Takes all out of the host's queue; of others than waitables takes find out what waits. While the host does not spin.
std::vector<QueuedPart> take_queued_parts(rclcpp::Executor & host);
/// The host's own loop, or the next spin, is to find it. Any thread.
void queue_part(rclcpp::Executor & host, const QueuedPart & part);

}  // namespace takt_rclcpp

#endif  // LISTEN__EVENTS_HOST_HPP_
