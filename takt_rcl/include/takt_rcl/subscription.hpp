// Subscriptions to ordinary rosidl messages.
//
// Messages stay in the middleware, which only announces them. The thread that runs the callback
// takes the message right before the run. See message_handler.hpp for the callback signatures.
#ifndef TAKT_RCL__SUBSCRIPTION_HPP_
#define TAKT_RCL__SUBSCRIPTION_HPP_

#include <rcl/subscription.h>

#include <cstdint>
#include <memory>
#include <rosidl_typesupport_cpp/message_type_support.hpp>
#include <string>
#include <string_view>
#include <typeindex>
#include <utility>
#include <vector>

#include "takt_rcl/content_filter.hpp"
#include "takt_rcl/entity.hpp"
#include "takt_rcl/event_callbacks.hpp"
#include "takt_rcl/message_handler.hpp"
#include "takt_rcl/node_options.hpp"
#include "takt_rcl/qos.hpp"
#include "takt_rcl/serialized_handler.hpp"
#include "takt_rcl/transport.hpp"

namespace takt_rcl
{

struct ChannelTopic;
class Events;

/// Options of Node::create_subscription.
struct SubscriptionOptions : EntityOptions
{
  /// Arrivals remembered; 0: the history's depth. A smaller depth drops announcements, not
  /// messages: later takes find these messages, or the history overwrites them.
  std::uint32_t depth = 0;
  /// Messages in the pool beyond depth and concurrent runs, for callbacks that keep some.
  std::uint32_t extra_messages = 4;
  /// For a callback that takes serialised messages.
  SerializedBuffers serialized_buffers;
  /// Ignores messages of the same context's nodes.
  bool ignore_local_publications = false;
  /// Messages by pointer from publishers of the same context: see
  /// NodeOptions::use_intra_process_comms.
  IntraProcessSetting use_intra_process_comm = IntraProcessSetting::NodeDefault;
  /// The middleware drops all messages that the filter does not choose. Such a subscription gets no
  /// messages by pointer.
  ContentFilterOptions content_filter_options;
  /// In the subscription's group, with its binding's threads and priority. See event_callbacks.hpp.
  SubscriptionEventCallbacks event_callbacks;
  /// As PublisherOptions::use_default_callbacks, for publishers.
  bool use_default_callbacks = true;
  /// How messages come. With shared_memory they come only from publishers with the same option: the
  /// middleware does not know the subscription, and there are no event callbacks.
  Transport transport = Transport::middleware;
};

/// A subscription of any type.
class SubscriptionBase : public Entity
{
public:
  /// For Node::create_subscription. Set-up only. Throws as the constructor of PublisherBase.
  SubscriptionBase(
    std::shared_ptr<NodeState> node, const rosidl_message_type_support_t & type,
    std::type_index cpp_type, detail::MessageLayout layout, const std::string & topic,
    const QoS & qos, std::unique_ptr<MessageHandler> handler, const SubscriptionOptions & options);
  /// Waits for runs of the callback, and of its event callbacks, on other threads.
  ~SubscriptionBase() override;

  /// Fully qualified and remapped.
  const std::string & topic() const noexcept;
  /// As rclcpp's. Real-time safe.
  const char * get_topic_name() const noexcept { return topic().c_str(); }
  /// The profile with which the middleware made the subscription. May block.
  QoS get_actual_qos() const;

  // ---- real-time safe ----

  /// Messages taken and given to the callback.
  std::uint64_t taken_messages() const noexcept;
  /// Messages lost between their publisher and this callback, including overwritten ones, by gaps
  /// in publication sequence numbers. Stays 0 if the middleware has none: see
  /// Context::publication_sequence_supported(). Counts from the first taken message of each
  /// publisher: only `overwritten()` counts earlier overwritten ones.
  std::uint64_t lost_messages() const noexcept;
  /// Publishers whose losses are not counted any more because there were too many: see
  /// takt_host::SequenceGaps.
  std::uint64_t forgotten_publishers() const noexcept;
  /// Messages allocated because the pool was exhausted, or because the callback takes
  /// `std::unique_ptr<Msg>`.
  std::uint64_t allocated_messages() const noexcept;
  /// Takes that the middleware refused.
  std::uint64_t failed_takes() const noexcept;
  /// Serialised messages dropped because they were larger than their buffers: see
  /// SerializedBuffers. Where messages have sequence numbers, a later message shows them as lost,
  /// too.
  std::uint64_t oversized_messages() const noexcept;

  /// How its messages come, as `takt status` says it: "shared_memory"; "pointer", from publishers
  /// of the process that have the option, and by the middleware from others; "middleware". A text
  /// that stays.
  std::string_view transport() const noexcept;

  // ---- may block (graph lock) ----

  /// Whether its messages come by shared memory. Real-time safe.
  bool uses_shared_memory() const noexcept;
  /// Publishers that the middleware has matched, or those of its channel in shared memory; 0 if rcl
  /// refuses to count. After `set_content_filter` replaced the reader, rmw_fastrtps still counts
  /// the publishers of the former reader, also before the new one has found them.
  std::size_t get_publisher_count() const;
  /// As PublisherBase::wait_for_matched.
  bool wait_for_matched(std::size_t count, takt_rt::Duration timeout) const;

  // ---- content filter: set-up only, any thread; takes of other threads wait ----

  /// Whether the middleware filters: false also where the middleware has no filters.
  bool is_content_filter_enabled() const;
  /// As rclcpp's.
  bool is_cft_enabled() const { return is_content_filter_enabled(); }
  /// The present filter; an empty expression if there is none. Throws `Error`.
  ContentFilterOptions get_content_filter() const;
  /// Sets or changes the filter; an empty expression removes it. The first filter and the removal
  /// replace the middleware's reader: messages that waited are gone, and their runs do not call the
  /// callback. From the first filter on the subscription counts no lost messages, because the
  /// sequence numbers of dropped ones are missing, too. Throws `Error` if the middleware has no
  /// filters or refuses this one, or if the subscription gets messages by pointer.
  void set_content_filter(
    const std::string & filter_expression,
    const std::vector<std::string> & expression_parameters = {});

protected:
  /// The oldest message that waits; false: none. In `parcel`, if it came by pointer.
  bool take_one(void * message, detail::Parcel & parcel, MessageInfo & info) noexcept;

private:
  struct Shared;  // resources of a run in progress: outlive the handle
  class Run;

  std::shared_ptr<takt_core::Callback> make(
    Engine & engine, takt_core::CallbackOptions options,
    const takt_core::adapter::CallbackSettings & settings) override;
  void connect(takt_core::Executor &, takt_core::Callback & callback) override;
  void disconnect(takt_core::Callback & callback) noexcept override;
  void removed(takt_core::Callback & callback) noexcept override;

  static void on_early_message(const void * self, std::size_t count);
  static void on_early_parcel(const void * self, std::size_t count);
  static std::shared_ptr<Shared> open_channel(
    std::shared_ptr<Shared> shared, const ChannelTopic & topic,
    const SubscriptionOptions & options);
  void listen(rcl_event_callback_t listener, const void * data);
  void set_listener();
  void stop_listening() noexcept;
  void note_filter(const ContentFilterOptions & filter);
  // Of messages that went with the middleware's former reader. With the mutexes of the listener and
  // of takes held.
  void drop_announced() noexcept;
  void add_events(const SubscriptionOptions & options);

  SubscriptionBase(std::shared_ptr<Shared> shared, const SubscriptionOptions & options);
  static std::shared_ptr<Shared> open(
    std::shared_ptr<NodeState> node, const rosidl_message_type_support_t & type,
    std::type_index cpp_type, detail::MessageLayout layout, const std::string & topic,
    const QoS & qos, std::unique_ptr<MessageHandler> handler, const SubscriptionOptions & options);

  const std::shared_ptr<Shared> shared_;
  rcl_event_callback_t listener_ = nullptr;
  const void * listener_data_ = nullptr;
  std::unique_ptr<Events> events_;
};

/// A subscription to `Msg`.
template <typename Msg>
class Subscription : public SubscriptionBase
{
public:
  using SharedPtr = std::shared_ptr<Subscription>;

  /// For Node::create_subscription. As SubscriptionBase.
  template <typename Function>
  Subscription(
    std::shared_ptr<NodeState> node, const std::string & topic, const QoS & qos,
    Function && function, const SubscriptionOptions & options)
  : SubscriptionBase(
      std::move(node), *rosidl_typesupport_cpp::get_message_type_support_handle<Msg>(), typeid(Msg),
      detail::layout_of<Msg>(), topic, qos, make_handler(std::forward<Function>(function), options),
      options)
  {
  }

  /// Takes up to `messages.size()` of the messages that wait, oldest first, and returns their
  /// number: in the callback the messages after its own. Their runs find no message and do not call
  /// the callback, and activations of chains that come with them end here. `infos`: null, or room
  /// for as many. Any thread; copies messages by pointer. Runs at the middleware ceiling. Real-time
  /// safe within takt: allocates only the memory of a copy. The middleware's own locks may block.
  std::size_t take_sequence(std::vector<Msg> & messages, MessageInfo * infos = nullptr)
  {
    std::size_t taken = 0;
    MessageInfo info;
    detail::Parcel parcel;
    while (taken < messages.size() && take_one(&messages[taken], parcel, info)) {
      if (!parcel.empty()) {
        messages[taken] = parcel.template read<Msg>();
        parcel.clear();
      }
      if (infos != nullptr) {
        infos[taken] = info;
      }
      ++taken;
    }
    return taken;
  }
  /// As above for one message; false: none waits.
  bool take(Msg & message, MessageInfo & info)
  {
    detail::Parcel parcel;
    if (!take_one(&message, parcel, info)) {
      return false;
    }
    if (!parcel.empty()) {
      message = parcel.template read<Msg>();
    }
    return true;
  }

private:
  template <typename Function>
  static std::unique_ptr<MessageHandler> make_handler(
    Function && function, const SubscriptionOptions & options)
  {
    using F = std::decay_t<Function>;
    if constexpr (detail::takes_message<F, Msg> || !detail::takes_serialized<F>) {
      return make_message_handler<Msg>(std::forward<Function>(function), options.extra_messages);
    } else {
      return detail::make_serialized_handler(
        std::forward<Function>(function), options.serialized_buffers, options.extra_messages);
    }
  }
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__SUBSCRIPTION_HPP_
