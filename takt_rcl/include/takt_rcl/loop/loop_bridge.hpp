// Messages between a real-time loop and ROS 2, for loops that an executor does not run:
// takt_rt::Application, takt_host::CyclicProgram, or a thread of your own.
//
//     takt_rcl::LoopPublisher<Float64> output(*node, "output", 10);      // set-up
//     takt_rcl::LoopSubscription<Float64> set_point(*node, "set_point");
//     ...
//     const auto wanted = set_point.read();                              // in the loop
//     if (wanted.arrived > run.release - 100ms) { ... wanted.message.data ... }
//     output.publish(message);
//
// The loop copies messages to and from memory without locks. The node's executor publishes and
// takes them, on threads that the schedule gives it: the callbacks `/node:waitable(/output)` and
// `/node:sub(/set_point)`. Messages have a fixed size: numbers, arrays of a fixed size, and
// messages of these.
#ifndef TAKT_RCL__LOOP__LOOP_BRIDGE_HPP_
#define TAKT_RCL__LOOP__LOOP_BRIDGE_HPP_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "takt_rcl/error.hpp"
#include "takt_rcl/guard_condition.hpp"
#include "takt_rcl/node.hpp"
#include "takt_rcl/publisher.hpp"
#include "takt_rcl/qos.hpp"
#include "takt_rcl/subscription.hpp"
#include "takt_rt/exchange.hpp"
#include "takt_rt/spsc_ring.hpp"
#include "takt_rt/time.hpp"

namespace takt_rcl
{

/// Options of LoopPublisher.
struct LoopPublisherOptions
{
  std::size_t waiting = 64;                   ///< messages that may wait for the executor
  CallbackGroup::SharedPtr callback_group{};  ///< default: the node's default group
  PublisherOptions publisher{};
};

/// Publishes from one real-time thread. Destroy it when the loop has ended.
template <typename Msg>
class LoopPublisher
{
  static_assert(
    std::is_trivially_copyable_v<Msg>,
    "messages of a real-time loop have a fixed size: no strings, no sequences");

public:
  /// Set-up only. Throws as Node::create_publisher.
  LoopPublisher(
    Node & node, const std::string & topic, const QoS & qos,
    const LoopPublisherOptions & options = {})
  : ring_(options.waiting),
    publisher_(node.create_publisher<Msg>(topic, qos, options.publisher))
  {
    GuardConditionOptions guarded;
    guarded.callback_group = options.callback_group;
    guarded.name = publisher_->topic();
    due_ = node.create_guard_condition([this] { publish_all(); }, guarded);
  }
  LoopPublisher(const LoopPublisher &) = delete;
  LoopPublisher & operator=(const LoopPublisher &) = delete;

  /// One thread. False: `waiting` messages wait already, and this one is dropped and counted.
  /// Real-time safe: one copy; a system call at most, which wakes a sleeping thread of the
  /// executor.
  bool publish(const Msg & message) noexcept
  {
    if (!ring_.try_push(message)) {
      return false;
    }
    if (!pending_.exchange(true, std::memory_order_acq_rel)) {
      due_->trigger();
    }
    return true;
  }

  /// Messages that found no room. Any thread, real-time safe.
  std::uint64_t dropped() const noexcept { return ring_.dropped(); }
  /// Messages that the middleware refused. Any thread, real-time safe.
  std::uint64_t refused() const noexcept { return refused_.load(std::memory_order_relaxed); }
  /// The id of the callback that publishes: `/node:waitable(/output)`. Real-time safe.
  const std::string & id() const noexcept { return due_->id(); }
  /// Never null.
  const std::shared_ptr<Publisher<Msg>> & publisher() const noexcept { return publisher_; }

private:
  void publish_all()
  {
    // First: a message that comes after the last look below triggers again.
    pending_.exchange(false, std::memory_order_acq_rel);
    while (ring_.try_pop(message_)) {
      if (publisher_->publish(message_) == 0) {
        refused_.fetch_add(1, std::memory_order_relaxed);
      }
    }
  }

  takt_rt::SpscRing<Msg> ring_;
  std::atomic<bool> pending_{false};
  std::atomic<std::uint64_t> refused_{0};
  Msg message_{};  // of the executor's thread
  std::shared_ptr<Publisher<Msg>> publisher_;
  GuardCondition::SharedPtr due_;  // last: its end waits for a run
};

/// The newest message of a topic, for one real-time thread. Destroy it when the loop has ended.
template <typename Msg>
class LoopSubscription
{
  static_assert(
    std::is_trivially_copyable_v<Msg>,
    "messages of a real-time loop have a fixed size: no strings, no sequences");

public:
  /// What `read` returns. The reference is valid until the next `read`.
  struct Reading
  {
    const Msg & message;
    bool is_new;  ///< came since the previous `read`
    /// When the executor gave it to the loop, on the monotonic clock; zero: no message came yet,
    /// and `message` is the initial one.
    takt_rt::Time arrived;
  };

  /// Set-up only. `initial` is the message before the first one. Throws as
  /// Node::create_subscription, and Error for a reentrant callback group, in which two threads
  /// could write.
  LoopSubscription(
    Node & node, const std::string & topic, const QoS & qos = QoS(1), const Msg & initial = Msg(),
    const SubscriptionOptions & options = {})
  : newest_({initial, takt_rt::Time{}})
  {
    if (options.callback_group != nullptr && !options.callback_group->exclusive()) {
      throw Error(
        "a LoopSubscription of " + topic +
        " has a reentrant callback group; give it a mutually exclusive one");
    }
    subscription_ = node.create_subscription<Msg>(
      topic, qos,
      [this](const Msg & message) {
        newest_.write({message, takt_rt::now()});
      },
      options);
  }
  LoopSubscription(const LoopSubscription &) = delete;
  LoopSubscription & operator=(const LoopSubscription &) = delete;

  /// One thread. Real-time safe and wait-free: no copy, no system call.
  Reading read() noexcept
  {
    const auto reading = newest_.read();
    return {reading.value.message, reading.is_new, reading.value.arrived};
  }

  /// Never null.
  const std::shared_ptr<Subscription<Msg>> & subscription() const noexcept { return subscription_; }

private:
  struct Arrived
  {
    Msg message;
    takt_rt::Time arrived;
  };

  takt_rt::Exchange<Arrived> newest_;
  std::shared_ptr<Subscription<Msg>> subscription_;  // last: its end waits for a run
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__LOOP__LOOP_BRIDGE_HPP_
