// Reads the private state of an EventsExecutor of rclcpp: its queue, and whether a separate thread
// runs its timers.
#ifndef LISTEN__EVENTS_HOST_HPP_
#define LISTEN__EVENTS_HOST_HPP_

#include <cstddef>
#include <vector>

#include "rclcpp/executor.hpp"
#include "rclcpp/waitable.hpp"

namespace takt_rclcpp
{

/// True with `execute_timers_separate_thread`: timers run on their own thread, beside all other
/// callbacks. `host` must be an EventsExecutor, here and below.
bool runs_timers_apart(rclcpp::Executor & host);

/// Announcements of a waitable that the host has not handled.
struct QueuedPart
{
  const rclcpp::Waitable * waitable;  ///< may be destroyed
  int part;
  std::size_t count;
};

/// Empties the host's queue, and returns the announcements of waitables. (Other entities need no
/// announcement: takes find their messages.) Call it while the host does not spin.
std::vector<QueuedPart> take_queued_parts(rclcpp::Executor & host);
/// Puts an announcement into the host's queue, for the host's own loop or the next spin. Any
/// thread.
void queue_part(rclcpp::Executor & host, const QueuedPart & part);

}  // namespace takt_rclcpp

#endif  // LISTEN__EVENTS_HOST_HPP_
