#include "takt_rcl/publisher.hpp"

#include <rcutils/error_handling.h>
#include <rcutils/logging_macros.h>
#include <rmw/rmw.h>

#include <chrono>
#include <cstring>
#include <mutex>
#include <utility>

#include "event.hpp"
#include "intra_process.hpp"
#include "messages/channel_transport.hpp"
#include "messages/topic_transports.hpp"
#include "node_state.hpp"
#include "takt_core/activation.hpp"
#include "takt_core/message_key.hpp"
#include "takt_core/middleware_ceiling.hpp"
#include "takt_rcl/error.hpp"
#include "takt_trace/recording.hpp"
#include "wait_for.hpp"

namespace takt_rcl
{
namespace
{

std::shared_ptr<rcl_publisher_t> open_publisher(
  const std::shared_ptr<NodeState> & node, const rosidl_message_type_support_t & type,
  const std::string & topic, const QoS & qos)
{
  const std::shared_ptr<rcl_publisher_t> publisher(
    new rcl_publisher_t(rcl_get_zero_initialized_publisher()), [node](rcl_publisher_t * ended) {
      if (ended->impl != nullptr) {
        const std::lock_guard lock(rcl_mutex());
        detail::ignore(rcl_publisher_fini(ended, node->rcl()));
      }
      delete ended;
    });
  rcl_publisher_options_t options = rcl_publisher_get_default_options();
  options.qos = qos.get_rmw_qos_profile();
  const std::lock_guard lock(rcl_mutex());
  if (
    rcl_publisher_init(publisher.get(), node->rcl(), &type, topic.c_str(), &options) !=
    RCL_RET_OK) {
    detail::throw_rcl(node->fully_qualified_name() + ": cannot publish on '" + topic + "'");
  }
  return publisher;
}

// Brings `matched`, the number of the middleware's subscriptions, up to date; false if rcl refuses
// to count. Asks the middleware only after an event, because counting takes its locks, which may
// block. `event`: null: the middleware tells of none.
bool count_matched(
  const rcl_publisher_t & publisher, EventSource * event, std::size_t & matched) noexcept
{
  if (event != nullptr) {
    if (!event->happened.load()) {
      return true;
    }
    event->happened.store(false);  // before the count: a later event sets it again
  }
  if (rcl_publisher_get_subscription_count(&publisher, &matched) == RCL_RET_OK) {
    return true;
  }
  rcutils_reset_error();
  matched = 0;
  if (event != nullptr) {
    event->happened.store(true);
  }
  return false;
}

}  // namespace

PublisherBase::PublisherBase(
  std::shared_ptr<NodeState> node, const rosidl_message_type_support_t & type,
  std::type_index cpp_type, detail::MessageLayout layout, const std::string & topic,
  const QoS & qos, const PublisherOptions & publisher_options, const StockMaker & make_stock)
: node_(std::move(node)),
  publisher_(open_publisher(node_, type, topic, qos))
{
  topic_ = rcl_publisher_get_topic_name(publisher_.get());
  topic_number_ = takt_trace::topic_id(topic_);
  rmw_gid_t gid{};
  if (
    rmw_get_gid_for_publisher(rcl_publisher_get_rmw_handle(publisher_.get()), &gid) == RMW_RET_OK) {
    gid_ = to_gid(gid);
  } else {
    detail::take_rcl_error();
  }
  const rmw_qos_profile_t & actual = *rcl_publisher_get_actual_qos(publisher_.get());
  keeps_all_ = actual.history == RMW_QOS_POLICY_HISTORY_KEEP_ALL &&
               actual.reliability != RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT;
  try {
    const ChannelTopic channel{
      node_->fully_qualified_name(),  node_->rcl(), type, topic_, QoS(actual),
      IntraProcess::supports(actual), layout};
    TopicTransports & topics = node_->context()->topics();
    const TopicTransports::Choice chosen =
      topics.choose(topic_, {publisher_options.transport, publisher_options.copy_period});
    if (goes_by_channel(channel, chosen.transport)) {
      channel_.reset(new ChannelOutbox(channel, publisher_options.loans));
      copy_period_ = chosen.copy_period;
    } else if (
      node_->uses_intra_process(publisher_options.use_intra_process_comm) &&
      IntraProcess::supports(actual)) {
      stock_ = make_stock(publisher_options.loans);
      outbox_ = std::make_unique<Outbox>(End{topic_, cpp_type, actual}, gid_, mutex_, *stock_);
      node_->intra_process().add(*outbox_);
    }
    if (channel_ == nullptr && layout.plain) {
      by_middleware_ = topics.note(topic_);
    }
    node_->entity_made();
    add_events(publisher_options);
  } catch (...) {
    close();
    throw;
  }
}

void PublisherBase::close() noexcept
{
  if (outbox_ != nullptr) {
    node_->intra_process().remove(*outbox_);
  }
  events_.reset();
  channel_.reset();
}

void PublisherBase::add_events(const PublisherOptions & options)
{
  const PublisherEventCallbacks & callbacks = options.event_callbacks;
  EntityOptions entity;
  entity.callback_group = options.callback_group;
  events_ = std::make_unique<Events>(
    node_, entity, node_->fully_qualified_name() + ": the publisher on '" + topic_ + "'");
  events_->add(
    publisher_, RCL_PUBLISHER_OFFERED_DEADLINE_MISSED, "deadline_callback",
    callbacks.deadline_callback);
  events_->add(
    publisher_, RCL_PUBLISHER_LIVELINESS_LOST, "liveliness_callback",
    callbacks.liveliness_callback);
  events_->add(
    publisher_, RCL_PUBLISHER_OFFERED_INCOMPATIBLE_QOS, "incompatible_qos_callback",
    callbacks.incompatible_qos_callback);
  events_->add(
    publisher_, RCL_PUBLISHER_INCOMPATIBLE_TYPE, "incompatible_type_callback",
    callbacks.incompatible_type_callback);
  matched_event_ =
    events_->add(publisher_, RCL_PUBLISHER_MATCHED, "matched_callback", callbacks.matched_callback);
  if ((channel_ != nullptr || outbox_ != nullptr) && matched_event_ == nullptr) {
    matched_event_ = events_->follow(publisher_, RCL_PUBLISHER_MATCHED);
  }
  if (callbacks.incompatible_qos_callback == nullptr && options.use_default_callbacks) {
    events_->warn(publisher_, RCL_PUBLISHER_OFFERED_INCOMPATIBLE_QOS, "a subscription");
  }
}

PublisherBase::~PublisherBase()
{
  close();
}

QoS PublisherBase::get_actual_qos() const
{
  return QoS(*rcl_publisher_get_actual_qos(publisher_.get()));
}

std::uint64_t PublisherBase::publish_message(const void * message) noexcept
{
  return publish_through(message, Form::message);
}

std::uint64_t PublisherBase::publish_serialized(const SerializedMessage & message) noexcept
{
  return publish_through(&message.get_rcl_serialized_message(), Form::serialized);
}

std::uint64_t PublisherBase::publish_through(const void * message, Form form) noexcept
{
  if (message == nullptr) {
    failed_.fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  if (channel_ != nullptr) {
    return publish_by_channel(message, nullptr);
  }
  // Outside of the lock, so that a waiting thread is at the ceiling too.
  const takt_core::MiddlewareCeilingScope ceiling;
  std::lock_guard lock(mutex_);
  const std::uint64_t sequence = sequence_.load(std::memory_order_relaxed) + 1;
  if (!hand_over(message, sequence, form)) {
    return 0;
  }
  sequence_.store(sequence, std::memory_order_relaxed);
  return sequence;
}

std::uint64_t PublisherBase::publish_message(
  const void * message, detail::ParcelSource & source) noexcept
{
  // Outside of the lock, so that a waiting thread is at the ceiling too.
  const takt_core::MiddlewareCeilingScope ceiling;
  std::lock_guard lock(mutex_);
  if (!count_matched(*publisher_, matched_event_.get(), matched_)) {
    failed_.fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  const std::uint64_t sequence = sequence_.load(std::memory_order_relaxed) + 1;
  takt_core::MessageKey key{by_pointer(gid_), sequence, 0};
  // The middleware first: a taker that owns the message may change it.
  if (matched_ > outbox_->matched()) {
    const PublishingCopies copies(*outbox_);
    key = {gid_, outbox_->next_number(), 0};
    if (!hand_over(message, key.sequence)) {
      return 0;
    }
    outbox_->published();
  } else {
    takt_trace::record_publish(topic_number_, key);
  }
  if (outbox_->has_takers()) {
    const auto time = std::chrono::system_clock::now().time_since_epoch();
    const takt_core::MessageScope announced(key.name_by_sequence());
    outbox_->deliver(
      source, key,
      {gid_, sequence, std::chrono::duration_cast<std::chrono::nanoseconds>(time).count()});
  }
  sequence_.store(sequence, std::memory_order_relaxed);
  return sequence;
}

bool PublisherBase::refuse_to_hold() noexcept
{
  failed_.fetch_add(1, std::memory_order_relaxed);
  if (!told_.exchange(true)) {
    RCUTILS_LOG_ERROR_NAMED(
      "takt",
      "%s: the publisher on '%s' publishes nothing from a group with let, because its history "
      "KEEP_ALL may wait for readers; "
      "use KEEP_LAST",
      node_->fully_qualified_name().c_str(), topic_.c_str());
  }
  return true;
}

void * PublisherBase::lend() noexcept
{
  return channel_ == nullptr ? nullptr : channel_->lend();
}

detail::Lender * PublisherBase::lender() const noexcept
{
  return channel_.get();
}

std::uint64_t PublisherBase::publish_lent(void * message) noexcept
{
  return publish_by_channel(message, message);
}

// Whether the middleware gets the next message, too. With the channel's mutex held.
bool PublisherBase::is_copied() noexcept
{
  if (!count_matched(*publisher_, matched_event_.get(), matched_) || matched_ == 0) {
    return false;
  }
  const takt_rt::Time now = takt_rt::now();
  if (now < next_copy_) {
    return false;
  }
  next_copy_ = now + copy_period_;
  return true;
}

// `lent`: the message, if it lies in the channel's memory. The channel comes first, so that the
// copy delays no subscription of it.
std::uint64_t PublisherBase::publish_by_channel(const void * message, void * lent) noexcept
{
  // Outside of the lock, so that a waiting thread is at the ceiling too.
  const takt_core::MiddlewareCeilingScope ceiling;
  std::lock_guard lock(channel_->mutex());
  const bool copied = is_copied();
  if (copied && lent != nullptr) {
    // Once published, the memory is the channel's.
    message = std::memcpy(channel_->scratch(), lent, channel_->message_size());
  }
  const std::uint64_t sequence = sequence_.load(std::memory_order_relaxed) + 1;
  ChannelTrailer trailer;
  trailer.key = copied ? takt_core::MessageKey{gid_, copies_ + 1, 0}
                       : takt_core::MessageKey{by_pointer(gid_), sequence, 0};
  const auto time = std::chrono::system_clock::now().time_since_epoch();
  trailer.info = {
    gid_, sequence, std::chrono::duration_cast<std::chrono::nanoseconds>(time).count()};
  takt_trace::record_publish(topic_number_, trailer.key);
  const bool sent =
    lent != nullptr ? channel_->publish_lent(lent, trailer) : channel_->publish(message, trailer);
  if (!sent) {
    failed_.fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  sequence_.store(sequence, std::memory_order_relaxed);
  if (copied) {
    const takt_core::MessageScope announced(trailer.key.name_by_sequence());
    if (rcl_publish(publisher_.get(), message, nullptr) == RCL_RET_OK) {
      ++copies_;
    } else {
      rcutils_reset_error();
      failed_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  return sequence;
}

bool PublisherBase::hand_over(const void * message, std::uint64_t number, Form form) noexcept
{
  const takt_core::MessageKey key{gid_, number, 0};
  takt_trace::record_publish(topic_number_, key);
  const takt_core::MessageScope announced(key.name_by_sequence());
  const rcl_ret_t result =
    form == Form::message
      ? rcl_publish(publisher_.get(), message, nullptr)
      : rcl_publish_serialized_message(
          publisher_.get(), static_cast<const rcl_serialized_message_t *>(message), nullptr);
  if (result != RCL_RET_OK) {
    rcutils_reset_error();
    failed_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  return true;
}

bool PublisherBase::assert_liveliness() const
{
  if (rcl_publisher_assert_liveliness(publisher_.get()) != RCL_RET_OK) {
    detail::take_rcl_error();
    return false;
  }
  return true;
}

std::size_t PublisherBase::get_subscription_count() const
{
  std::size_t count = 0;
  if (rcl_publisher_get_subscription_count(publisher_.get(), &count) != RCL_RET_OK) {
    detail::take_rcl_error();
    return 0;
  }
  if (matched_event_ != nullptr) {
    matched_event_->happened.store(true);  // the count may be ahead of its event
  }
  return channel_ == nullptr ? count : count + channel_->subscribers();
}

bool PublisherBase::wait_for_matched(std::size_t count, takt_rt::Duration timeout) const
{
  return wait_for(*node_->context(), timeout, [&] { return get_subscription_count() >= count; });
}

}  // namespace takt_rcl
