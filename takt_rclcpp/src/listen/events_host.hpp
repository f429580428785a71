// What an EventsExecutor of rclcpp keeps to itself: its queue, and who runs its timers.
#ifndef LISTEN__EVENTS_HOST_HPP_
#define LISTEN__EVENTS_HOST_HPP_

#include <cstddef>
#include <vector>

#include "rclcpp/executor.hpp"
#include "rclcpp/executors/executor_entities_collector.hpp"
#include "rclcpp/executors/executor_notify_waitable.hpp"
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

/// Before rclcpp 29 an EventsExecutor has these of its own, and its base's lie idle. Null: any other host.
rclcpp::executors::ExecutorEntitiesCollector * own_collector_of(rclcpp::Executor & host);
rclcpp::executors::ExecutorNotifyWaitable * own_notify_waitable_of(rclcpp::Executor & host);
/// Such an EventsExecutor listens again to its nodes and to all that they have; false: any other host, and nothing
/// happened. While the host does not spin.
bool listens_again(rclcpp::Executor & host);

}  // namespace takt_rclcpp

#endif  // LISTEN__EVENTS_HOST_HPP_
