// A subscription without a callback: the program takes messages when it wants them.
//
// Messages stay in the middleware, or in shared memory, and wake no thread. In shared memory they
// end with their publisher, which waits 0.1 s for takes. A cyclic callback reads its inputs this
// way:
//
//     if (const Msg * const newest = inputs->latest(); newest != nullptr) { ... }
//
// A chain of callbacks ends at such a reader: the run that reads works for its own activation only.
// To carry the activation of a message further, subscribe with a callback and keep the message in a
// join slot (join.hpp).
#ifndef TAKT_RCL__POLLING_SUBSCRIPTION_HPP_
#define TAKT_RCL__POLLING_SUBSCRIPTION_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <rosidl_typesupport_cpp/message_type_support.hpp>
#include <string>
#include <utility>
#include <vector>

#include "takt_rcl/content_filter.hpp"
#include "takt_rcl/message_info.hpp"
#include "takt_rcl/qos.hpp"
#include "takt_rcl/transport.hpp"
#include "takt_rt/time.hpp"

namespace takt_rcl
{

struct ChannelTopic;
class Events;
class NodeState;

/// Options of Node::create_polling_subscription.
struct PollingOptions
{
  /// Ignores messages of the same context's nodes.
  bool ignore_local_publications = false;
  /// The middleware drops all messages that the filter does not choose; they do not count as lost.
  /// With a middleware without filters the subscription is not made.
  ContentFilterOptions content_filter_options{};
  /// As SubscriptionOptions::transport.
  Transport transport = Transport::middleware;
};

/// A polled subscription of any type. Any thread; calls of one subscription wait for each other,
/// with priority inheritance.
class PollingBase
{
public:
  /// For Node::create_polling_subscription. Set-up only. Throws `Error` as the constructor of
  /// PublisherBase.
  PollingBase(
    std::shared_ptr<NodeState> node, const rosidl_message_type_support_t & type,
    detail::MessageLayout layout, const std::string & topic, const QoS & qos,
    const PollingOptions & options);
  virtual ~PollingBase();
  PollingBase(const PollingBase &) = delete;
  PollingBase & operator=(const PollingBase &) = delete;

  /// Fully qualified and remapped. Real-time safe.
  const std::string & topic() const noexcept;
  /// As rclcpp's. Real-time safe.
  const char * get_topic_name() const noexcept { return topic().c_str(); }
  /// The profile with which the middleware made the subscription. May block.
  QoS get_actual_qos() const;

  // ---- real-time safe ----

  /// Whether its messages come by shared memory.
  bool uses_shared_memory() const noexcept;
  /// Messages that wait, at most the history; 1000 for a history without a limit. A hint.
  std::size_t count() const noexcept;
  /// Messages taken so far.
  std::uint64_t taken_messages() const noexcept;
  /// Messages lost between their publisher and this reader, including overwritten ones; see
  /// SubscriptionBase::lost_messages.
  std::uint64_t lost() const noexcept;
  /// Takes that the middleware refused.
  std::uint64_t failed_takes() const noexcept;

  // ---- may block (graph lock) ----

  /// Publishers that the middleware has matched, or those of its channel in shared memory; 0 if rcl
  /// refuses to count.
  std::size_t get_publisher_count() const;
  /// As PublisherBase::wait_for_matched.
  bool wait_for_matched(std::size_t count, takt_rt::Duration timeout) const;

protected:
  /// The oldest message that waits; false: none.
  bool take_one(void * message, MessageInfo & info) noexcept;
  /// Up to `most` messages in one call of the middleware, at most `places().size()`, into
  /// `places()`. Returns their number; `infos` gets as many, unless it is null.
  std::size_t take_some(std::size_t most, MessageInfo * infos) noexcept;
  /// The addresses of buffers for `take_some`, as many as the history has messages (at most 1000).
  std::vector<void *> & places() noexcept;
  /// The largest number of messages that may wait: a history, or one of each publisher in shared
  /// memory.
  std::size_t most_waiting() const noexcept;

private:
  struct Shared;
  void listen(
    const rosidl_message_type_support_t & type, const std::string & topic, const QoS & qos,
    const PollingOptions & options);
  void open_channel(const ChannelTopic & topic, const PollingOptions & options);

  const std::shared_ptr<Shared> shared_;
  std::unique_ptr<Events> events_;  // a warning of incompatible publishers
};

/// A polled subscription to `Msg`.
template <typename Msg>
class PollingSubscription : public PollingBase
{
public:
  using SharedPtr = std::shared_ptr<PollingSubscription>;

  /// For Node::create_polling_subscription. As PollingBase.
  PollingSubscription(
    std::shared_ptr<NodeState> node, const std::string & topic, const QoS & qos,
    const PollingOptions & options)
  : PollingBase(
      std::move(node), *rosidl_typesupport_cpp::get_message_type_support_handle<Msg>(),
      detail::layout_of<Msg>(), topic, qos, options)
  {
  }

  // Takes run at the middleware ceiling. Real-time safe within takt: they allocate nothing. The
  // middleware's own locks may block.

  /// Takes the oldest message that waits; false: none. A refused or empty take may leave anything
  /// in `message`.
  bool take(Msg & message) noexcept
  {
    MessageInfo info;
    return take_one(&message, info);
  }
  bool take(Msg & message, MessageInfo & info) noexcept { return take_one(&message, info); }

  /// Takes up to `messages.size()` messages, oldest first, and at most a history of them; returns
  /// their number. `infos`: null, or room for as many. One thread at a time.
  std::size_t take_sequence(std::vector<Msg> & messages, MessageInfo * infos = nullptr) noexcept
  {
    std::vector<void *> & buffers = places();
    const std::size_t most = std::min(messages.size(), buffers.size());
    for (std::size_t i = 0; i < most; ++i) {
      buffers[i] = &messages[i];
    }
    return take_some(most, infos);
  }

  /// Takes the messages that wait, at most a history of them, and keeps the newest. Returns it, or
  /// the one of an earlier call; nullptr before the first message. Valid until the next call. One
  /// thread at a time.
  const Msg * latest() noexcept
  {
    const std::size_t most = most_waiting();
    for (std::size_t i = 0; i < most && take_one(&spare_, spare_info_); ++i) {
      // Shared memory gives the messages of one publisher after those of another.
      if (
        has_ && uses_shared_memory() && spare_info_.source_timestamp() < info_.source_timestamp()) {
        continue;
      }
      std::swap(kept_, spare_);
      info_ = spare_info_;
      has_ = true;
    }
    return has_ ? &kept_ : nullptr;
  }
  /// Of the message that `latest` returned last. One thread at a time.
  const MessageInfo & latest_info() const noexcept { return info_; }

private:
  Msg kept_;
  Msg spare_;
  MessageInfo info_;
  MessageInfo spare_info_;
  bool has_ = false;
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__POLLING_SUBSCRIPTION_HPP_
