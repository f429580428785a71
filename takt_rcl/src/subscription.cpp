#include "takt_rcl/subscription.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "engine.hpp"
#include "event.hpp"
#include "messages/rcl_filter.hpp"
#include "messages/topic_transports.hpp"
#include "node_state.hpp"
#include "subscription_run.hpp"
#include "takt_host/header_stamp.hpp"
#include "takt_rcl/error.hpp"
#include "takt_trace/recording.hpp"
#include "wait_for.hpp"

namespace takt_rcl
{
namespace
{

// For an unbounded history as many messages as callbacks are likely to keep at once.
constexpr std::uint32_t kLargestPool = 64;

}  // namespace

std::shared_ptr<SubscriptionBase::Shared> SubscriptionBase::open(
  std::shared_ptr<NodeState> node, const rosidl_message_type_support_t & type,
  std::type_index cpp_type, detail::MessageLayout layout, const std::string & topic,
  const QoS & qos, std::unique_ptr<MessageHandler> handler, const SubscriptionOptions & options)
{
  auto shared = std::make_shared<Shared>(std::move(node), type, std::move(handler));
  shared->header = takt_host::begins_with_header(type);
  NodeState & own = *shared->node;
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
      return open_channel(std::move(shared), channel, options);
    }
  }
  detail::RclSubscriptionOptions rcl_options;
  rcl_options.options.qos = qos.get_rmw_qos_profile();
  rcl_options.options.rmw_subscription_options.ignore_local_publications =
    options.ignore_local_publications;
  rcl_options.set(options.content_filter_options);
  {
    std::lock_guard lock(rcl_mutex());
    const rcl_ret_t result = rcl_subscription_init(
      &shared->subscription, shared->node->rcl(), &type, topic.c_str(), rcl_options.release());
    if (result != RCL_RET_OK) {
      detail::throw_rcl(
        shared->node->fully_qualified_name() + ": cannot subscribe to '" + topic + "'");
    }
  }
  shared->topic = rcl_subscription_get_topic_name(&shared->subscription);
  if (layout.plain) {
    shared->by_middleware = topics.note(shared->topic);
  }
  const rmw_qos_profile_t & actual = *rcl_subscription_get_actual_qos(&shared->subscription);
  shared->history = arrival_depth(actual);
  shared->reliable = actual.reliability == RMW_QOS_POLICY_RELIABILITY_RELIABLE;
  shared->depth = options.depth != 0 ? options.depth : shared->history;
  if (
    shared->node->uses_intra_process(options.use_intra_process_comm) &&
    !options.ignore_local_publications && !shared->handler->serialized() &&
    options.content_filter_options.filter_expression.empty() && IntraProcess::supports(actual)) {
    shared->inbox = std::make_unique<Inbox>(
      End{shared->topic, cpp_type, actual}, shared->history, shared->handler->use(),
      std::min(shared->history, kLargestPool) + options.extra_messages + 1);
  }
  return shared;
}

SubscriptionBase::SubscriptionBase(
  std::shared_ptr<NodeState> node, const rosidl_message_type_support_t & type,
  std::type_index cpp_type, detail::MessageLayout layout, const std::string & topic,
  const QoS & qos, std::unique_ptr<MessageHandler> handler, const SubscriptionOptions & options)
: SubscriptionBase(
    open(std::move(node), type, cpp_type, layout, topic, qos, std::move(handler), options), options)
{
}

std::shared_ptr<SubscriptionBase::Shared> SubscriptionBase::open_channel(
  std::shared_ptr<Shared> shared, const ChannelTopic & topic, const SubscriptionOptions & options)
{
  const SubscriptionEventCallbacks & events = options.event_callbacks;
  if (
    events.deadline_callback || events.liveliness_callback || events.incompatible_qos_callback ||
    events.message_lost_callback || events.incompatible_type_callback || events.matched_callback ||
    shared->handler->serialized() || !options.content_filter_options.filter_expression.empty() ||
    options.ignore_local_publications) {
    throw Error(
      topic.node + ": '" + topic.topic +
      "': with transport shared_memory a subscription has no event callbacks, no content filter, "
      "no "
      "serialised messages, and it does not ignore local publications");
  }
  shared->topic = topic.topic;
  shared->channel = std::make_unique<ChannelInbox>(topic);
  shared->qos = QoS(topic.qos).keep_last(shared->channel->depth());
  shared->history = arrival_depth(shared->qos.get_rmw_qos_profile());
  shared->reliable = true;
  shared->depth = options.depth != 0 ? options.depth : shared->history;
  return shared;
}

SubscriptionBase::SubscriptionBase(
  std::shared_ptr<Shared> shared, const SubscriptionOptions & options)
: Entity(shared->node, takt_core::Kind::subscription, "sub", shared->topic, options),
  shared_(std::move(shared))
{
  set_depth(shared_->depth);
  if (shared_->channel != nullptr) {
    return;
  }
  try {
    listen(&SubscriptionBase::on_early_message, this);
    if (Inbox * const inbox = shared_->inbox.get(); inbox != nullptr) {
      inbox->listen(&SubscriptionBase::on_early_parcel, this);
      node().intra_process().add(*inbox);
    }
    node().entity_made();
    note_filter(options.content_filter_options);
    add_events(options);
  } catch (...) {
    stop_listening();
    throw;
  }
}

SubscriptionBase::~SubscriptionBase()
{
  leave_node();
  stop_listening();
  events_.reset();
}

void SubscriptionBase::add_events(const SubscriptionOptions & options)
{
  const SubscriptionEventCallbacks & callbacks = options.event_callbacks;
  EntityOptions entity;
  entity.callback_group = options.callback_group;
  entity.binding.threads = options.binding.threads;
  entity.binding.priority = options.binding.priority;
  events_ = std::make_unique<Events>(
    shared_node(), entity,
    node().fully_qualified_name() + ": the subscription to '" + topic() + "'");
  const std::shared_ptr<rcl_subscription_t> handle(shared_, &shared_->subscription);
  events_->add(
    handle, RCL_SUBSCRIPTION_REQUESTED_DEADLINE_MISSED, "deadline_callback",
    callbacks.deadline_callback);
  events_->add(
    handle, RCL_SUBSCRIPTION_LIVELINESS_CHANGED, "liveliness_callback",
    callbacks.liveliness_callback);
  events_->add(
    handle, RCL_SUBSCRIPTION_REQUESTED_INCOMPATIBLE_QOS, "incompatible_qos_callback",
    callbacks.incompatible_qos_callback);
  events_->add(
    handle, RCL_SUBSCRIPTION_MESSAGE_LOST, "message_lost_callback",
    callbacks.message_lost_callback);
  events_->add(
    handle, RCL_SUBSCRIPTION_INCOMPATIBLE_TYPE, "incompatible_type_callback",
    callbacks.incompatible_type_callback);
  events_->add(handle, RCL_SUBSCRIPTION_MATCHED, "matched_callback", callbacks.matched_callback);
  if (callbacks.incompatible_qos_callback == nullptr && options.use_default_callbacks) {
    events_->warn(handle, RCL_SUBSCRIPTION_REQUESTED_INCOMPATIBLE_QOS, "a publisher");
  }
}

std::shared_ptr<takt_core::Callback> SubscriptionBase::make(
  Engine & engine, takt_core::CallbackOptions options,
  const takt_core::adapter::CallbackSettings & settings)
{
  if (
    shared_->channel == nullptr && settings.binding.non_triggering &&
    rcl_subscription_get_actual_qos(&shared_->subscription)->history ==
      RMW_QOS_POLICY_HISTORY_KEEP_ALL) {
    detail::throw_schedule_faults("cannot add " + id(), {takt_core::keeps_all(id())});
  }
  const std::uint32_t lanes = engine.core().lanes(*options.group);

  options.depth = shared_->depth;
  options.stamped = shared_->header;
  if (
    shared_->channel != nullptr && settings.binding.non_triggering &&
    shared_->depth == shared_->history) {
    // Its taker takes all that wait: a full queue of each publisher.
    options.depth *= takt_channel::Options().publishers;
  }
  {
    std::lock_guard lock(shared_->take_mutex);
    shared_->gaps->expect(get_publisher_count());
  }
  return std::make_shared<Run>(
    std::move(options), shared_, engine.core(), lanes, std::min(shared_->history, kLargestPool));
}

// The listener outside of executors: the next executor gets the announcements, and those beyond the
// history count as overwritten.
void SubscriptionBase::on_early_message(const void * self, std::size_t count)
{
  auto * const here = const_cast<SubscriptionBase *>(static_cast<const SubscriptionBase *>(self));
  here->keep(here->shared_->without_copies(count));
}

void SubscriptionBase::on_early_parcel(const void * self, std::size_t count)
{
  const_cast<SubscriptionBase *>(static_cast<const SubscriptionBase *>(self))->keep(count);
}

// Twice: a message may come between the middleware's check for waiting messages and the start of
// its listening. It would be announced only with the next message. The second call finds it.
void SubscriptionBase::listen(rcl_event_callback_t listener, const void * data)
{
  const std::lock_guard lock(shared_->listener_mutex);
  listener_ = listener;
  listener_data_ = data;
  set_listener();
}

void SubscriptionBase::set_listener()
{
  for (int i = 0; i < 2; ++i) {
    if (
      rcl_subscription_set_on_new_message_callback(
        &shared_->subscription, listener_, listener_data_) != RCL_RET_OK) {
      detail::throw_rcl(id() + ": cannot listen for messages");
    }
  }
}

void SubscriptionBase::stop_listening() noexcept
{
  if (shared_->channel != nullptr) {
    return;
  }
  {
    const std::lock_guard lock(shared_->listener_mutex);
    detail::ignore(
      rcl_subscription_set_on_new_message_callback(&shared_->subscription, nullptr, nullptr));
  }
  if (Inbox * const inbox = shared_->inbox.get(); inbox != nullptr) {
    node().intra_process().remove(*inbox);
  }
}

void SubscriptionBase::connect(takt_core::Executor &, takt_core::Callback & callback)
{
  if (shared_->channel != nullptr) {
    return;  // the executor's threads wait for the channel's word
  }
  auto * const run = static_cast<Run *>(&callback);
  listen(&Run::on_new_message, run);
  if (shared_->inbox != nullptr) {
    shared_->inbox->listen(&Run::on_parcel, run);
  }
}

void SubscriptionBase::disconnect(takt_core::Callback &) noexcept
{
  if (shared_->channel != nullptr) {
    return;
  }
  {
    const std::lock_guard lock(shared_->listener_mutex);
    listener_ = &SubscriptionBase::on_early_message;
    listener_data_ = this;
    detail::ignore(rcl_subscription_set_on_new_message_callback(
      &shared_->subscription, listener_, listener_data_));
  }
  if (shared_->inbox != nullptr) {
    shared_->inbox->listen(&SubscriptionBase::on_early_parcel, this);
  }
}

void SubscriptionBase::removed(takt_core::Callback & callback) noexcept
{
  static_cast<Run &>(callback).close();
}

std::string_view SubscriptionBase::transport() const noexcept
{
  return shared_->transport();
}

const std::string & SubscriptionBase::topic() const noexcept
{
  return shared_->topic;
}

QoS SubscriptionBase::get_actual_qos() const
{
  return shared_->channel != nullptr
           ? shared_->qos
           : QoS(*rcl_subscription_get_actual_qos(&shared_->subscription));
}

std::uint64_t SubscriptionBase::taken_messages() const noexcept
{
  return shared_->taken.load(std::memory_order_relaxed);
}

std::uint64_t SubscriptionBase::lost_messages() const noexcept
{
  return shared_->gaps->lost();
}

std::uint64_t SubscriptionBase::forgotten_publishers() const noexcept
{
  return shared_->gaps->forgotten();
}

std::uint64_t SubscriptionBase::allocated_messages() const noexcept
{
  return shared_->handler->allocated();
}

std::uint64_t SubscriptionBase::failed_takes() const noexcept
{
  return shared_->failed.load(std::memory_order_relaxed);
}

bool SubscriptionBase::take_one(
  void * message, detail::Parcel & parcel, MessageInfo & info) noexcept
{
  Shared & shared = *shared_;
  shared.late_input.note_take(node().fully_qualified_name(), shared.topic);
  const auto buffer = [message] { return message; };
  Run::Next next;
  takt_host::Took took = takt_host::Took::skipped;
  // Outside of the lock, so that a waiting thread is at the ceiling too.
  const takt_core::MiddlewareCeilingScope ceiling;
  std::lock_guard lock(shared.take_mutex);
  while (took == takt_host::Took::skipped) {
    took = Run::take_next(shared, buffer, false, next);
  }
  if (took != takt_host::Took::message) {
    return false;
  }
  if (next.counted.sequence != 0 && Context::publication_sequence_supported()) {
    shared.gaps->note(next.counted.publisher, next.counted.sequence);
  }
  takt_trace::record_take(next.key);
  info = next.info;
  parcel = std::move(next.parcel);
  return true;
}

std::uint64_t SubscriptionBase::oversized_messages() const noexcept
{
  return shared_->oversized.load(std::memory_order_relaxed);
}

bool SubscriptionBase::uses_shared_memory() const noexcept
{
  return shared_->channel != nullptr;
}

std::size_t SubscriptionBase::get_publisher_count() const
{
  return publishers_of(shared_->channel.get(), shared_->subscription);
}

bool SubscriptionBase::wait_for_matched(std::size_t count, takt_rt::Duration timeout) const
{
  return wait_for(
    *shared_->node->context(), timeout, [&] { return get_publisher_count() >= count; });
}

}  // namespace takt_rcl
