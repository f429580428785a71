// Subscriptions to ordinary rosidl messages.
//
// The middleware only announces messages; they stay there until the callback starts, and are taken
// on the thread that runs it, right before it. See message_handler.hpp for the callback signatures.
#ifndef TAKT_RCL__SUBSCRIPTION_HPP_
#define TAKT_RCL__SUBSCRIPTION_HPP_

#include <rcl/subscription.h>

#include <cstdint>
#include <memory>
#include <rosidl_typesupport_cpp/message_type_support.hpp>
#include <string>
#include <utility>

#include "takt_rcl/entity.hpp"
#include "takt_rcl/message_handler.hpp"
#include "takt_rcl/qos.hpp"

namespace takt_rcl
{

struct SubscriptionOptions : EntityOptions
{
  /// Arrivals remembered; 0: the history's depth. A smaller one drops announcements, never
  /// messages: what is behind them is taken later or overwritten.
  std::uint32_t depth = 0;
  /// Messages in the pool beyond depth and concurrent runs, for callbacks that keep some.
  std::uint32_t extra_messages = 4;
  /// Not messages published by the same context's nodes.
  bool ignore_local_publications = false;
};

class SubscriptionBase : public Entity
{
public:
  SubscriptionBase(
    std::shared_ptr<NodeState> node, const rosidl_message_type_support_t & type,
    const std::string & topic, const QoS & qos, std::unique_ptr<MessageHandler> handler,
    const SubscriptionOptions & options);
  ~SubscriptionBase() override;

  /// Fully qualified and remapped.
  const std::string & topic() const noexcept;
  const char * get_topic_name() const noexcept { return topic().c_str(); }
  QoS get_actual_qos() const;

  // ---- real-time safe ----

  /// Messages taken and given to the callback.
  std::uint64_t taken_messages() const noexcept;
  /// Messages lost anywhere between their publisher and this callback, overwritten ones included,
  /// by gaps in publication sequence numbers. Stays 0 where the middleware has none: see
  /// Context::publication_sequence_supported().
  /// Counts from each publisher's first message on that was taken: what was overwritten before is
  /// in `overwritten()` only.
  std::uint64_t lost_messages() const noexcept;
  /// Publishers whose losses could not be followed any more because there were too many at once: see
  /// takt_core::adapter::SequenceGaps.
  std::uint64_t forgotten_publishers() const noexcept;
  /// Messages allocated because the pool was exhausted, or because the callback takes
  /// `std::unique_ptr<Msg>`.
  std::uint64_t allocated_messages() const noexcept;
  /// Takes the middleware refused.
  std::uint64_t failed_takes() const noexcept;

  // ---- may block (graph lock) ----

  std::size_t get_publisher_count() const;
  /// As PublisherBase::wait_for_matched.
  bool wait_for_matched(std::size_t count, takt_rt::Duration timeout) const;

private:
  struct Shared;  // what a run in progress needs: outlives the handle
  class Run;

  std::shared_ptr<takt_core::Callback> make(
    Engine & engine, takt_core::CallbackOptions options,
    const takt_core::adapter::CallbackSettings & settings) override;
  void connect(takt_core::Executor &, takt_core::Callback & callback) override;
  void disconnect(takt_core::Callback & callback) noexcept override;
  void removed(takt_core::Callback & callback) noexcept override;

  static void on_early_message(const void * self, std::size_t count);
  void listen(rcl_event_callback_t listener, const void * data);
  void stop_listening() noexcept;

  SubscriptionBase(std::shared_ptr<Shared> shared, const SubscriptionOptions & options);
  static std::shared_ptr<Shared> open(
    std::shared_ptr<NodeState> node, const rosidl_message_type_support_t & type,
    const std::string & topic, const QoS & qos, std::unique_ptr<MessageHandler> handler,
    const SubscriptionOptions & options);

  const std::shared_ptr<Shared> shared_;
};

template <typename Msg>
class Subscription : public SubscriptionBase
{
public:
  using SharedPtr = std::shared_ptr<Subscription>;

  template <typename Function>
  Subscription(
    std::shared_ptr<NodeState> node, const std::string & topic, const QoS & qos,
    Function && function, const SubscriptionOptions & options)
  : SubscriptionBase(
      std::move(node), *rosidl_typesupport_cpp::get_message_type_support_handle<Msg>(), topic, qos,
      make_message_handler<Msg>(std::forward<Function>(function), options.extra_messages), options)
  {
  }
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__SUBSCRIPTION_HPP_
