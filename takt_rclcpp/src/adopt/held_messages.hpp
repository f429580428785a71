// Messages of the adopted program's publishers that wait for the end of their period
// (takt_core/logical_time.hpp). The preloaded hooks call these functions on the program's threads.
#ifndef ADOPT__HELD_MESSAGES_HPP_
#define ADOPT__HELD_MESSAGES_HPP_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "shim/interface.h"

namespace takt_rclcpp
{

/// True if the preloaded hooks pass this process's messages to `hold_message`. Any thread.
bool messages_can_be_held();
/// Holds the message back if the calling thread runs a callback with logical execution time.
/// Serialises a message, copies a message that is serialised already, and keeps a loaned message.
/// Returns false if the publish must go on, for one of these reasons: the thread has no logical
/// execution time, the topic is one of ROS 2's own, the publisher's reliable history KEEP_ALL may
/// wait for readers, or takt cannot serialise the message. takt prints the last two reasons once
/// for each publisher. Any thread. Allocates memory for each message beyond the most that were held
/// before, and for longer messages; may block for a short time.
bool hold_message(const void * publisher, const void * message, takt_form form);
/// Publishes the publisher's waiting messages at once. Call it before rcl ends the publisher. Any
/// thread; may block.
void end_held_messages(const void * publisher);

/// True while this thread publishes a message that was held: then the run in progress did not
/// publish this message. Real-time safe.
bool publishes_held_message() noexcept;

/// Arrivals of messages within the process that wait for the end of their period. Until then a
/// message lies in rclcpp's buffer, and its subscription does not hear of it. Any thread.
class HeldArrivals : public std::enable_shared_from_this<HeldArrivals>
{
public:
  /// `announce` tells the subscription that this number of messages has arrived; real-time safe.
  /// `topic` and `depth` (0: unbounded) are the subscription's.
  HeldArrivals(std::function<void(std::size_t)> announce, std::string topic, std::size_t depth);
  ~HeldArrivals();
  HeldArrivals(const HeldArrivals &) = delete;
  HeldArrivals & operator=(const HeldArrivals &) = delete;

  /// Holds an arrival back if the calling thread runs a callback with logical execution time, else
  /// returns false. Allocates memory for each arrival beyond the most that were held before. Prints
  /// once if the subscription may take messages too early: rclcpp gives it the oldest message of
  /// its buffer, whichever was announced.
  bool hold(std::size_t count);

private:
  struct Held;
  struct Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace takt_rclcpp

#endif  // ADOPT__HELD_MESSAGES_HPP_
