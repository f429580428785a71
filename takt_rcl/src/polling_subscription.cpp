#include "takt_rcl/polling_subscription.hpp"

#include <rcl/subscription.h>
#include <rcutils/error_handling.h>
#include <rmw/message_sequence.h>
#include <rmw/rmw.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "event.hpp"
#include "intra_process.hpp"
#include "messages/channel_transport.hpp"
#include "messages/late_input.hpp"
#include "messages/rcl_filter.hpp"
#include "messages/topic_transports.hpp"
#include "node_state.hpp"
#include "takt_core/middleware_ceiling.hpp"
#include "takt_host/sequence_gaps.hpp"
#include "takt_rcl/error.hpp"
#include "takt_rt/pi_mutex.hpp"
#include "wait_for.hpp"

namespace takt_rcl
{

struct PollingBase::Shared
{
  explicit Shared(std::shared_ptr<NodeState> n) : node(std::move(n)) {}
  ~Shared()
  {
    std::lock_guard lock(rcl_mutex());
    if (subscription.impl != nullptr) {
      detail::ignore(rcl_subscription_set_on_new_message_callback(&subscription, nullptr, nullptr));
      detail::ignore(rcl_subscription_fini(&subscription, node->rcl()));
    }
  }

  // Runs on a thread of the middleware or inside a publish.
  static void on_new_message(const void * self, std::size_t count)
  {
    const_cast<Shared *>(static_cast<const Shared *>(self))->arrived.fetch_add(count);
  }

  // With the mutex held. An empty take shows which arrivals were announced twice or overwritten.
  void note(const MessageInfo & info) noexcept
  {
    taken.fetch_add(1, std::memory_order_relaxed);
    if (const takt_core::MessageKey key = info.key(); key.sequence != 0 && !filtered) {
      gaps.note(key.publisher, key.sequence);
    }
  }
  void empty(std::uint64_t arrived_before) noexcept
  {
    const std::uint64_t known = taken.load(std::memory_order_relaxed) + gone.load();
    if (arrived_before > known) {
      gone.fetch_add(arrived_before - known);
    }
  }
  void refused() noexcept
  {
    rcutils_reset_error();
    failed.fetch_add(1, std::memory_order_relaxed);
  }

  // With the channel and the mutex held: takes the oldest message that waits; false: none.
  bool take_from_channel(void * message, MessageInfo & info) noexcept
  {
    arrived.fetch_add(channel->arrived());
    ChannelTrailer trailer;
    const takt_channel::Denial denial = channel->take_copy([message] { return message; }, trailer);
    if (denial == takt_channel::Denial::empty) {
      arrived.store(known_of_channel());
      return false;
    }
    if (denial != takt_channel::Denial::none) {
      failed.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    info = info_of(trailer.info, false);
    note(info);
    // A publisher that began anew, or was killed, has not counted all of its messages.
    arrived.store(std::max(arrived.load(), known_of_channel()));
    return true;
  }
  // With the channel and the mutex held.
  std::uint64_t waiting_in_channel() noexcept
  {
    arrived.fetch_add(channel->arrived());
    if (!channel->has_message()) {
      // Publishers may have counted messages that this subscription never gets: those from before
      // it had begun, and those of a publisher that ended before a take.
      arrived.store(known_of_channel());
      return 0;
    }
    const std::uint64_t all = arrived.load();
    return std::max<std::uint64_t>(all - std::min(all, known_of_channel()), 1);
  }
  std::uint64_t known_of_channel() const noexcept { return taken.load() + channel->missed(); }

  const std::shared_ptr<NodeState> node;
  std::unique_ptr<ChannelInbox> channel;             // not null: all messages come by it
  QoS qos{1};                                        // with the channel
  std::shared_ptr<const std::string> by_middleware;  // its topic, in the context's list
  bool filtered = false;                             // gaps are no losses
  rcl_subscription_t subscription = rcl_get_zero_initialized_subscription();
  std::string topic;
  LateInput late_input;
  takt_rt::PiMutex mutex;  // serialises takes
  takt_host::SequenceGaps gaps;
  std::vector<void *> places;
  std::vector<rmw_message_info_t> infos;
  std::atomic<std::uint64_t> arrived{0};
  std::atomic<std::uint64_t> gone{0};  // arrivals that led to no take
  std::atomic<std::uint64_t> taken{0};
  std::atomic<std::uint64_t> failed{0};
};

PollingBase::PollingBase(
  std::shared_ptr<NodeState> node, const rosidl_message_type_support_t & type,
  detail::MessageLayout layout, const std::string & topic, const QoS & qos,
  const PollingOptions & options)
: shared_(std::make_shared<Shared>(std::move(node)))
{
  NodeState & own = *shared_->node;
  TopicTransports & topics = own.context()->topics();
  if (options.transport != Transport::middleware || !topics.empty()) {
    const ChannelTopic channel{
      own.fully_qualified_name(),
      own.rcl(),
      type,
      own.resolve_topic(topic),
      qos,
      IntraProcess::supports(qos.get_rmw_qos_profile()),
      layout};
    if (goes_by_channel(channel, topics.choose(channel.topic, {options.transport, {}}).transport)) {
      open_channel(channel, options);
      return;
    }
  }
  listen(type, topic, qos, options);
  if (layout.plain) {
    shared_->by_middleware = topics.note(shared_->topic);
  }
}

void PollingBase::open_channel(const ChannelTopic & topic, const PollingOptions & options)
{
  if (
    options.ignore_local_publications ||
    !options.content_filter_options.filter_expression.empty()) {
    throw Error(
      topic.node + ": '" + topic.topic +
      "': with transport shared_memory a polling subscription has no content filter, and it does "
      "not ignore local publications");
  }
  shared_->topic = topic.topic;
  shared_->channel = std::make_unique<ChannelInbox>(topic);
  shared_->qos = QoS(topic.qos).keep_last(shared_->channel->depth());
  shared_->places.resize(shared_->channel->depth());
}

void PollingBase::listen(
  const rosidl_message_type_support_t & type, const std::string & topic, const QoS & qos,
  const PollingOptions & options)
{
  detail::RclSubscriptionOptions rcl_options;
  rcl_options.options.qos = qos.get_rmw_qos_profile();
  rcl_options.options.rmw_subscription_options.ignore_local_publications =
    options.ignore_local_publications;
  rcl_options.set(options.content_filter_options);
  const std::string failed =
    shared_->node->fully_qualified_name() + ": cannot subscribe to '" + topic + "'";
  {
    std::lock_guard lock(rcl_mutex());
    if (
      rcl_subscription_init(
        &shared_->subscription, shared_->node->rcl(), &type, topic.c_str(),
        rcl_options.release()) != RCL_RET_OK) {
      detail::throw_rcl(failed);
    }
  }
  shared_->topic = rcl_subscription_get_topic_name(&shared_->subscription);
  shared_->filtered = !options.content_filter_options.filter_expression.empty();
  if (shared_->filtered && !rcl_subscription_is_cft_enabled(&shared_->subscription)) {
    throw Error(
      failed + " with a filter: " + rmw_get_implementation_identifier() +
      " does not filter messages by content");
  }
  const std::size_t history =
    arrival_depth(*rcl_subscription_get_actual_qos(&shared_->subscription));
  shared_->places.resize(std::min<std::size_t>(history, kUnboundedDepth));
  shared_->infos.resize(shared_->places.size());
  // Twice, for the reason that SubscriptionBase::listen gives.
  for (int i = 0; i < 2; ++i) {
    if (
      rcl_subscription_set_on_new_message_callback(
        &shared_->subscription, &Shared::on_new_message, shared_.get()) != RCL_RET_OK) {
      detail::throw_rcl(shared_->topic + ": cannot listen for messages");
    }
  }
  shared_->node->entity_made();
  events_ = std::make_unique<Events>(
    shared_->node, EntityOptions(),
    shared_->node->fully_qualified_name() + ": the subscription to '" + shared_->topic + "'");
  events_->warn(
    std::shared_ptr<rcl_subscription_t>(shared_, &shared_->subscription),
    RCL_SUBSCRIPTION_REQUESTED_INCOMPATIBLE_QOS, "a publisher");
}

PollingBase::~PollingBase() = default;

bool PollingBase::take_one(void * message, MessageInfo & info) noexcept
{
  shared_->late_input.note_take(shared_->node->fully_qualified_name(), shared_->topic);
  rmw_message_info_t found = rmw_get_zero_initialized_message_info();
  // Outside of the lock, so that a waiting thread is at the ceiling too.
  const takt_core::MiddlewareCeilingScope ceiling;
  const std::lock_guard lock(shared_->mutex);
  if (shared_->channel != nullptr) {
    return shared_->take_from_channel(message, info);
  }
  const std::uint64_t arrived = shared_->arrived.load();
  const rcl_ret_t result = rcl_take(&shared_->subscription, message, &found, nullptr);
  if (result == RCL_RET_OK) {
    info = MessageInfo(found);
    shared_->note(info);
    return true;
  }
  if (result == RCL_RET_SUBSCRIPTION_TAKE_FAILED) {
    shared_->empty(arrived);
  } else {
    shared_->refused();
  }
  return false;
}

std::size_t PollingBase::take_some(std::size_t most, MessageInfo * infos) noexcept
{
  if (most == 0) {
    return 0;
  }
  shared_->late_input.note_take(shared_->node->fully_qualified_name(), shared_->topic);
  rcutils_allocator_t allocator = rcutils_get_default_allocator();
  const takt_core::MiddlewareCeilingScope ceiling;
  const std::lock_guard lock(shared_->mutex);
  if (shared_->channel != nullptr) {
    std::size_t took = 0;
    MessageInfo info;
    while (took < most && shared_->take_from_channel(shared_->places[took], info)) {
      if (infos != nullptr) {
        infos[took] = info;
      }
      ++took;
    }
    return took;
  }
  rmw_message_sequence_t messages{shared_->places.data(), 0, most, &allocator};
  rmw_message_info_sequence_t found{shared_->infos.data(), 0, most, &allocator};
  const std::uint64_t arrived = shared_->arrived.load();
  const rcl_ret_t result =
    rcl_take_sequence(&shared_->subscription, most, &messages, &found, nullptr);
  if (result != RCL_RET_OK && result != RCL_RET_SUBSCRIPTION_TAKE_FAILED) {
    shared_->refused();
    return 0;
  }
  for (std::size_t i = 0; i < found.size; ++i) {
    const MessageInfo info(shared_->infos[i]);
    shared_->note(info);
    if (infos != nullptr) {
      infos[i] = info;
    }
  }
  if (found.size < most) {
    shared_->empty(arrived);
  }
  return found.size;
}

std::vector<void *> & PollingBase::places() noexcept
{
  return shared_->places;
}

std::size_t PollingBase::most_waiting() const noexcept
{
  const std::size_t history = shared_->places.size();
  return shared_->channel != nullptr ? history * takt_channel::Options().publishers : history;
}

bool PollingBase::uses_shared_memory() const noexcept
{
  return shared_->channel != nullptr;
}

std::size_t PollingBase::count() const noexcept
{
  if (shared_->channel != nullptr) {
    const std::lock_guard lock(shared_->mutex);
    return std::min<std::size_t>(shared_->waiting_in_channel(), shared_->places.size());
  }
  const std::uint64_t known = shared_->taken.load() + shared_->gone.load();
  const std::uint64_t arrived = shared_->arrived.load();
  return std::min<std::size_t>(arrived - std::min(arrived, known), shared_->places.size());
}

std::uint64_t PollingBase::taken_messages() const noexcept
{
  return shared_->taken.load(std::memory_order_relaxed);
}

std::uint64_t PollingBase::lost() const noexcept
{
  return shared_->gaps.lost();
}

std::uint64_t PollingBase::failed_takes() const noexcept
{
  return shared_->failed.load(std::memory_order_relaxed);
}

const std::string & PollingBase::topic() const noexcept
{
  return shared_->topic;
}

QoS PollingBase::get_actual_qos() const
{
  return shared_->channel != nullptr
           ? shared_->qos
           : QoS(*rcl_subscription_get_actual_qos(&shared_->subscription));
}

std::size_t PollingBase::get_publisher_count() const
{
  return publishers_of(shared_->channel.get(), shared_->subscription);
}

bool PollingBase::wait_for_matched(std::size_t count, takt_rt::Duration timeout) const
{
  return wait_for(
    *shared_->node->context(), timeout, [&] { return get_publisher_count() >= count; });
}

}  // namespace takt_rcl
