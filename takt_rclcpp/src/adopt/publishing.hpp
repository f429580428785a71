// takt's work around each publish of the adopted program: the middleware ceiling, the message's
// name for takes in this process, and the trace. The preloaded hooks call these functions on the
// program's threads.
#ifndef ADOPT__PUBLISHING_HPP_
#define ADOPT__PUBLISHING_HPP_

#include <cstdint>

namespace takt_rclcpp
{

/// Call it before rcl publishes with this `rcl_publisher_t`. Real-time safe, except the first
/// publish of a traced topic.
void publish_begins(const void * publisher);
/// Call it within the publish, right before the middleware sends the message with this time, in ns
/// since the Unix epoch. Real-time safe.
void message_named(std::int64_t source_time);
/// Call it after rcl has published, or failed to. Real-time safe.
void publish_ended();

}  // namespace takt_rclcpp

#endif  // ADOPT__PUBLISHING_HPP_
