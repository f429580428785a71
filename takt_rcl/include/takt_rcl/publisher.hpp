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
#include <typeindex>
#include <utility>

#include "takt_core/logical_time.hpp"
#include "takt_rcl/callback_group.hpp"
#include "takt_rcl/event_callbacks.hpp"
#include "takt_rcl/held_messages.hpp"
#include "takt_rcl/memory/message_pool.hpp"
#include "takt_rcl/memory/parcel.hpp"
#include "takt_rcl/message_info.hpp"
#include "takt_rcl/node_options.hpp"
#include "takt_rcl/qos.hpp"
#include "takt_rcl/serialized_message.hpp"
#include "takt_rcl/transport.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_rcl
{

class Events;
struct EventSource;
class NodeState;

/// Options of Node::create_publisher.
struct PublisherOptions
{
  /// The group of the event callbacks; default: the node's default group.
  CallbackGroup::SharedPtr callback_group;
  /// See event_callbacks.hpp.
  PublisherEventCallbacks event_callbacks;
  /// Without an incompatible_qos_callback: logs a warning when the first subscription has an
  /// incompatible quality of service.
  bool use_default_callbacks = true;
  /// Messages by pointer to subscriptions of the same context: see
  /// NodeOptions::use_intra_process_comms.
  IntraProcessSetting use_intra_process_comm = IntraProcessSetting::NodeDefault;
  /// Messages that the program may hold at once from Publisher::borrow, beside those that
  /// subscriptions hold. In a group with logical execution time: those of two periods.
  std::uint32_t loans = 2;
  /// How messages get to subscriptions with the same option. With shared_memory no message goes by
  /// pointer.
  Transport transport = Transport::middleware;
  /// With shared_memory: the least time between two messages that the middleware also gets, for its
  /// own subscriptions, such as those of tools. Zero: it gets each message, while a subscription is
  /// matched.
  takt_rt::Duration copy_period{};
};

class Outbox;

/// A publisher of any type. Any thread.
class PublisherBase
{
public:
  /// Makes the publisher's pools, for so many messages.
  using StockMaker = std::unique_ptr<detail::Stock> (*)(std::uint32_t messages);

  /// For Node::create_publisher. Set-up only. Throws `Error` if rcl refuses the topic or the
  /// publisher, if the kernel refuses a thread of the middleware an attribute that the schedule
  /// requires, or if the schedule does not fit an event callback, and
  /// UnsupportedEventTypeException.
  PublisherBase(
    std::shared_ptr<NodeState> node, const rosidl_message_type_support_t & type,
    std::type_index cpp_type, detail::MessageLayout layout, const std::string & topic,
    const QoS & qos, const PublisherOptions & options, const StockMaker & make_stock);
  /// Waits for runs of its event callbacks on other threads.
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
  /// Publishes that the middleware refused, those of a null pointer, and those that a history
  /// KEEP_ALL could block for a group with logical execution time.
  std::uint64_t failed_publishes() const noexcept
  {
    return failed_.load(std::memory_order_relaxed);
  }

  // ---- may block (graph lock) ----

  /// For liveliness MANUAL_BY_TOPIC: the publisher is alive, although it publishes nothing. False
  /// if the middleware refuses.
  bool assert_liveliness() const;
  /// Whether its messages go by shared memory. Real-time safe.
  bool uses_shared_memory() const noexcept { return channel_ != nullptr; }
  /// Subscriptions that the middleware has matched, and those of its channel in shared memory; 0 if
  /// rcl refuses to count.
  std::size_t get_subscription_count() const;
  /// Waits until at least `count` subscriptions are matched; false if the time is over or the
  /// context ended.
  bool wait_for_matched(std::size_t count, takt_rt::Duration timeout) const;

protected:
  std::uint64_t publish_message(const void * message) noexcept;
  /// The same message by pointer. Only with a stock.
  std::uint64_t publish_message(const void * message, detail::ParcelSource & source) noexcept;
  /// The bytes of a message. Only without a stock.
  std::uint64_t publish_serialized(const SerializedMessage & message) noexcept;
  /// A group with logical execution time publishes on a thread that serves all such groups of its
  /// executor, and a history KEEP_ALL of a reliable publisher may wait for its readers. So such a
  /// publish is refused: counts it, logs the first one, and returns true.
  bool refuses_to_hold() noexcept { return keeps_all_ && refuse_to_hold(); }
  /// Null: no messages by pointer.
  detail::Stock * stock() const noexcept { return stock_.get(); }
  /// Of the channel's memory; null: no channel, or all loans in use.
  void * lend() noexcept;
  /// Null: no channel.
  detail::Lender * lender() const noexcept;
  /// Of this publisher's lender; the message is gone.
  std::uint64_t publish_lent(void * message) noexcept;

private:
  void close() noexcept;
  bool refuse_to_hold() noexcept;
  void add_events(const PublisherOptions & options);
  enum class Form : std::uint8_t
  {
    message,
    serialized
  };
  std::uint64_t publish_through(const void * message, Form form) noexcept;
  bool hand_over(const void * message, std::uint64_t number, Form form = Form::message) noexcept;
  std::uint64_t publish_by_channel(const void * message, void * lent) noexcept;
  bool is_copied() noexcept;

  const std::shared_ptr<NodeState> node_;
  std::shared_ptr<rcl_publisher_t> publisher_;  // a run of an event may end after this object
  std::string topic_;
  std::uint32_t topic_number_ = 0;  // in traces
  Gid gid_{};
  // Serialises publishes, so that sequence numbers match the writer's. Held inside the middleware;
  // inherits priority, unlike the middleware's own locks.
  takt_rt::PiMutex mutex_;
  std::atomic<std::uint64_t> sequence_{0};
  std::atomic<std::uint64_t> failed_{0};
  bool keeps_all_ = false;
  std::atomic<bool> told_{false};  // the log has the refusal to hold messages
  std::unique_ptr<detail::Stock> stock_;
  std::unique_ptr<Outbox> outbox_;  // with the stock
  std::unique_ptr<Events> events_;
  std::unique_ptr<ChannelOutbox, EndOutbox> channel_;  // null: not by shared memory
  // With the channel. The middleware is asked for its count after an event only: that costs locks.
  // Null: no such events.
  std::shared_ptr<EventSource> matched_event_;
  std::size_t matched_ = 0;
  takt_rt::Duration copy_period_{};
  takt_rt::Time next_copy_{};
  std::uint64_t copies_ = 0;
  std::shared_ptr<const std::string> by_middleware_;  // its topic, in the context's list
};

/// A publisher of `Msg`.
template <typename Msg>
class Publisher : public PublisherBase, public std::enable_shared_from_this<Publisher<Msg>>
{
public:
  using SharedPtr = std::shared_ptr<Publisher>;

  /// For Node::create_publisher. As PublisherBase.
  Publisher(
    std::shared_ptr<NodeState> node, const std::string & topic, const QoS & qos,
    const PublisherOptions & options)
  : PublisherBase(
      std::move(node), *rosidl_typesupport_cpp::get_message_type_support_handle<Msg>(), typeid(Msg),
      detail::layout_of<Msg>(), topic, qos, options,
      [](std::uint32_t messages) { return std::unique_ptr<detail::Stock>(new Stock(messages)); })
  {
  }

  /// In place of a message's number, which a held message does not have yet: see `publish`.
  static constexpr std::uint64_t kHeld = UINT64_MAX;

  /// Returns the message's publication sequence number (from 1), or 0 if the middleware refused it.
  /// Returns kHeld if the running callback's group has logical execution time (`let` of the
  /// schedule): the message is published with the end of the period. The first messages that are
  /// held at once allocate memory. A reliable publisher with a history KEEP_ALL returns 0 in such a
  /// group: its publish may wait for readers, and all groups of the executor with logical execution
  /// time would wait, too. Any thread. Runs at the middleware ceiling. Real-time safe within takt:
  /// allocates nothing, and waits only for another publish of this publisher. The middleware's own
  /// locks may block. By pointer: copies the message once, for all subscriptions of this context.
  std::uint64_t publish(const Msg & message) noexcept
  {
    if (takt_core::LogicalTime * const group = takt_core::LogicalTime::current()) {
      if (refuses_to_hold()) {
        return 0;
      }
      if (auto self = this->weak_from_this().lock()) {
        held_.hold(*group, std::move(self), message);
        return kHeld;
      }
    }
    Stock * const own = own_stock();
    if (own == nullptr) {
      return publish_message(&message);
    }
    detail::CopiedMessage<Msg> source(*own, message);
    return publish_message(&message, source);
  }

  /// As above without a copy: a single subscription whose callback takes a unique pointer gets this
  /// very message, others read it. A callback that takes `std::unique_ptr` gets a message of a pool
  /// as an allocated copy, because its deleter cannot return the message to the pool. The message
  /// ends with its last holder. Without messages by pointer: publishes, then frees. A null pointer
  /// is a failed publish: returns 0.
  std::uint64_t publish(UniqueMessage<Msg> message) noexcept
  {
    Stock * const own = own_stock();
    const Msg * const one = message.get();
    takt_core::LogicalTime * const group = takt_core::LogicalTime::current();
    detail::Lender * const lent_by = message.get_deleter().lender;
    if (group != nullptr && one != nullptr) {
      if (refuses_to_hold()) {
        return 0;
      }
      if (lent_by != nullptr && lent_by != lender()) {
        return publish(*one);  // holds a copy: the lender may end before the period does
      }
      if (auto self = this->weak_from_this().lock()) {
        held_.hold(*group, std::move(self), std::move(message));
        return kHeld;
      }
    }
    if (lent_by != nullptr) {
      return lent_by == lender() ? publish_lent(message.release()) : publish(*one);
    }
    if (own == nullptr || one == nullptr) {
      return publish_message(one);
    }
    detail::GivenMessage<Msg> source(*own, std::move(message));
    return publish_message(one, source);
  }
  std::uint64_t publish(std::unique_ptr<Msg> message) noexcept
  {
    return publish(UniqueMessage<Msg>(message.release()));
  }

  /// The bytes of a message, as Serialization makes them. As above. By pointer, or to be held, the
  /// publisher makes a message of the bytes. This allocates memory for strings and sequences. If
  /// messages are held without messages by pointer, each message is allocated, too.
  std::uint64_t publish(const SerializedMessage & serialized) noexcept
  {
    if (
      own_stock() == nullptr && takt_core::LogicalTime::current() == nullptr &&
      !uses_shared_memory()) {
      return publish_serialized(serialized);
    }
    UniqueMessage<Msg> message = borrow();
    return Serialization<Msg>().deserialize_message(&serialized, message.get())
             ? publish(std::move(message))
             : publish(UniqueMessage<Msg>());
  }

  /// A message to fill and to publish; it returns to its pool with its last holder. It has the
  /// content of its last use, and the capacity of its strings and sequences. Real-time safe unless
  /// the pool is exhausted, or the publisher does not send by pointer: the message is then
  /// allocated. By shared memory the message lies there, and `publish` sends it without a copy; it
  /// has the bytes of an earlier message or none, so fill all fields. A message that ends after the
  /// publisher keeps the channel open until then.
  UniqueMessage<Msg> borrow()
  {
    if (void * const lent = lend(); lent != nullptr) {
      return UniqueMessage<Msg>(static_cast<Msg *>(lent), {nullptr, lender()});
    }
    Stock * const own = own_stock();
    return own != nullptr ? MessagePool<Msg>::unique(own->acquire())
                          : UniqueMessage<Msg>(new Msg());
  }

  /// Gives the strings and sequences of the pool's messages the capacity of `prototype`, so that no
  /// message allocates when it is used for the first time. Without messages by pointer: no effect.
  /// Set-up only.
  void prepare(const Msg & prototype)
  {
    if (Stock * const own = own_stock(); own != nullptr) {
      own->prepare(prototype);
    }
  }

  /// Messages by pointer that had to be allocated because the publisher's pool was exhausted.
  /// Real-time safe.
  std::uint64_t allocated_messages() const noexcept
  {
    const Stock * const own = own_stock();
    return own != nullptr ? own->allocated() : 0;
  }

private:
  using Stock = detail::MessageStock<Msg>;

  Stock * own_stock() const noexcept { return static_cast<Stock *>(stock()); }

  detail::HeldMessages<Msg> held_;
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__PUBLISHER_HPP_
