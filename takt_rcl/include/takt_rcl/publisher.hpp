// Publishers of ordinary rosidl messages.
//
// Subscriptions of this process get the message within `publish`, on the publishing thread: from
// there the message carries the running callback's activation.
#ifndef TAKT_RCL__PUBLISHER_HPP_
#define TAKT_RCL__PUBLISHER_HPP_

#include <rcl/publisher.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <rosidl_typesupport_cpp/message_type_support.hpp>
#include <string>

#include "takt_rcl/callback_group.hpp"
#include "takt_rcl/message_info.hpp"
#include "takt_rcl/qos.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_rcl
{

class NodeState;

/// Options of Node::create_publisher.
struct PublisherOptions
{
  /// rclcpp's group of a publisher's event callbacks. Unused, because there are none yet.
  CallbackGroup::SharedPtr callback_group;
};

/// A publisher of any type. Any thread.
class PublisherBase
{
public:
  /// For Node::create_publisher. Set-up only. Throws `Error` if rcl refuses the topic or the publisher, or if the
  /// kernel refuses a thread of the middleware an attribute that the schedule requires.
  PublisherBase(
    std::shared_ptr<NodeState> node, const rosidl_message_type_support_t & type,
    const std::string & topic, const QoS & qos, const PublisherOptions & options);
  ~PublisherBase();
  PublisherBase(const PublisherBase &) = delete;
  PublisherBase & operator=(const PublisherBase &) = delete;

  /// Fully qualified and remapped.
  const std::string & topic() const noexcept { return topic_; }
  /// As rclcpp's. Real-time safe.
  const char * get_topic_name() const noexcept { return topic_.c_str(); }
  /// The profile with which the middleware made the publisher. May block.
  QoS get_actual_qos() const;

  // ---- real-time safe ----

  /// The publisher's id in every MessageInfo of its messages.
  const Gid & gid() const noexcept { return gid_; }
  /// The publication sequence number of the last message, 0 before the first.
  std::uint64_t last_sequence() const noexcept { return sequence_.load(std::memory_order_relaxed); }
  /// Publishes that the middleware refused.
  std::uint64_t failed_publishes() const noexcept
  {
    return failed_.load(std::memory_order_relaxed);
  }

  // ---- may block (graph lock) ----

  /// Subscriptions that the middleware has matched; 0 if rcl refuses to count.
  std::size_t get_subscription_count() const;
  /// Waits until at least `count` subscriptions are matched; false if the time is over or the
  /// context ended.
  bool wait_for_matched(std::size_t count, takt_rt::Duration timeout) const;

protected:
  std::uint64_t publish_message(const void * message) noexcept;

private:
  void close() noexcept;

  const std::shared_ptr<NodeState> node_;
  rcl_publisher_t publisher_;
  std::string topic_;
  std::uint32_t topic_number_ = 0;  // in traces
  Gid gid_{};
  // Serialises publishes, so that sequence numbers match the writer's. Held inside the middleware;
  // inherits priority, unlike the middleware's own locks.
  takt_rt::PiMutex mutex_;
  std::atomic<std::uint64_t> sequence_{0};
  std::atomic<std::uint64_t> failed_{0};
};

/// A publisher of `Msg`.
template <typename Msg>
class Publisher : public PublisherBase
{
public:
  using SharedPtr = std::shared_ptr<Publisher>;

  /// For Node::create_publisher. As PublisherBase.
  Publisher(
    std::shared_ptr<NodeState> node, const std::string & topic, const QoS & qos,
    const PublisherOptions & options)
  : PublisherBase(
      std::move(node), *rosidl_typesupport_cpp::get_message_type_support_handle<Msg>(), topic, qos,
      options)
  {
  }

  /// Returns the message's publication sequence number (from 1), or 0 if the middleware refused it.
  /// Any thread. Runs at the middleware ceiling. Real-time safe within takt: allocates nothing, and
  /// waits only for another publish of this publisher. The middleware's own locks may block.
  std::uint64_t publish(const Msg & message) noexcept { return publish_message(&message); }

  /// For ported code: publishes, then frees.
  std::uint64_t publish(std::unique_ptr<Msg> message) noexcept { return publish(*message); }
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__PUBLISHER_HPP_
