#include "messages/channel_transport.hpp"

#include <rcutils/logging_macros.h>
#include <rmw/rmw.h>
#include <rosidl_runtime_c/type_hash.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "takt_rcl/error.hpp"

namespace takt_rcl
{
namespace
{

static_assert(std::is_trivially_copyable_v<ChannelTrailer>);

std::size_t trailer_offset(std::size_t size)
{
  constexpr std::size_t kAlignment = alignof(ChannelTrailer);
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

// The hash covers the type's name and all its fields.
std::string name_of(const rosidl_message_type_support_t & type)
{
  constexpr const char * kDigits = "0123456789abcdef";
  std::string name = "ros";
  for (const std::uint8_t byte : type.get_type_hash_func(&type)->value) {
    name += kDigits[byte >> 4];
    name += kDigits[byte & 15];
  }
  return name;
}

// The name of the channel, on which two processes of one domain agree.
std::string channel_name(const ChannelTopic & topic)
{
  std::size_t domain = 0;
  if (rcl_node_get_domain_id(topic.rcl, &domain) != RCL_RET_OK) {
    detail::throw_rcl(topic.node + ": no domain");
  }
  return std::to_string(domain) + topic.topic;
}

takt_channel::Options options_of(const ChannelTopic & topic)
{
  if (!topic.fits) {
    throw Error(
      topic.node + ": '" + topic.topic +
      "': transport shared_memory is for a history of KEEP_LAST, durability volatile, and no "
      "deadline, "
      "lifespan or liveliness of its own; change the quality of service, or use the middleware");
  }
  takt_channel::Options options;
  options.name = channel_name(topic);
  options.type = name_of(topic.type);
  options.max_size = trailer_offset(topic.layout.size) + sizeof(ChannelTrailer);
  options.depth = static_cast<std::uint32_t>(topic.qos.depth());
  options.held = ChannelInbox::kInPlace + 1;
  return options;
}

template <typename T>
std::unique_ptr<T> opened(takt_channel::Opened<T> port, const ChannelTopic & topic)
{
  if (!port) {
    detail::throw_faults(topic.node + ": cannot use transport shared_memory", port.faults);
  }
  return std::move(port.value);
}

}  // namespace

MessageInfo info_of(const takt_core::MessageKey & key, bool from_intra_process) noexcept
{
  rmw_message_info_t info = rmw_get_zero_initialized_message_info();
  info.source_timestamp = key.source_time;
  info.received_timestamp = key.source_time;
  info.publication_sequence_number = key.sequence;
  info.reception_sequence_number = MessageInfo::kUnsupported;
  std::copy(key.publisher.begin(), key.publisher.end(), info.publisher_gid.data);
  info.from_intra_process = from_intra_process;
  return MessageInfo(info);
}

bool goes_by_channel(const ChannelTopic & topic, Transport wanted)
{
  if (wanted != Transport::shared_memory) {
    return false;
  }
  const bool plain = topic.layout.plain && topic.type.get_type_hash_func != nullptr;
  if (!plain) {
    RCUTILS_LOG_WARN_NAMED(
      "takt",
      "%s: '%s' stays with the middleware: transport shared_memory is for types without strings "
      "and "
      "sequences of variable size, and not for generic publishers and subscriptions",
      topic.node.c_str(), topic.topic.c_str());
  }
  return plain;
}

void EndOutbox::operator()(ChannelOutbox * outbox) const noexcept
{
  outbox->end();
}

ChannelOutbox::ChannelOutbox(const ChannelTopic & topic, std::uint32_t loans)
: size_(topic.layout.size),
  scratch_(std::make_unique<std::byte[]>(topic.layout.size))
{
  takt_channel::Options options = options_of(topic);
  options.loans = loans + 1;  // one for `publish`
  port_ = opened(takt_channel::Publisher::open(options), topic);
  lent_.resize(loans);
}

takt_channel::Loan ChannelOutbox::loan() noexcept
{
  return port_->loan(trailer_offset(size_) + sizeof(ChannelTrailer));
}

void * ChannelOutbox::lend() noexcept
{
  const std::lock_guard lock(mutex_);
  const auto place = std::find_if(
    lent_.begin(), lent_.end(), [](const takt_channel::Loan & one) { return one.data == nullptr; });
  if (place == lent_.end()) {
    return nullptr;
  }
  *place = loan();
  return place->data;
}

void ChannelOutbox::take_back(void * message) noexcept
{
  bool last = false;
  {
    const std::lock_guard lock(mutex_);
    for (takt_channel::Loan & one : lent_) {
      if (one.data == message) {
        port_->drop(one);
      }
    }
    last = ended_ && !has_lent();
  }
  if (last) {
    delete this;
  }
}

bool ChannelOutbox::has_lent() const noexcept
{
  return std::any_of(
    lent_.begin(), lent_.end(), [](const takt_channel::Loan & one) { return one.data != nullptr; });
}

void ChannelOutbox::end() noexcept
{
  bool last = false;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    last = !has_lent();
  }
  if (last) {
    delete this;
  }
}

bool ChannelOutbox::send(takt_channel::Loan & loan, const ChannelTrailer & trailer) noexcept
{
  std::memcpy(loan.data + trailer_offset(size_), &trailer, sizeof trailer);
  return port_->publish(loan) == takt_channel::Denial::none;
}

bool ChannelOutbox::publish(const void * message, const ChannelTrailer & trailer) noexcept
{
  takt_channel::Loan own = loan();
  if (!own) {
    return false;
  }
  std::memcpy(own.data, message, size_);
  return send(own, trailer);
}

bool ChannelOutbox::publish_lent(void * message, const ChannelTrailer & trailer) noexcept
{
  for (takt_channel::Loan & one : lent_) {
    if (one.data == message) {
      return send(one, trailer);
    }
  }
  return false;
}

ChannelInbox::ChannelInbox(const ChannelTopic & topic)
: size_(topic.layout.size),
  port_(opened(takt_channel::Subscriber::open(options_of(topic)), topic))
{
  if (depth() < topic.qos.depth()) {
    RCUTILS_LOG_WARN_NAMED(
      "takt",
      "%s: '%s': the subscription asks for depth %zu and gets %u, because the first publisher or "
      "subscription of the topic made its channel with that depth; give that one depth %zu, too",
      topic.node.c_str(), topic.topic.c_str(), topic.qos.depth(), depth(), topic.qos.depth());
  }
}

ChannelTrailer ChannelInbox::trailer(const takt_channel::Message & message) const noexcept
{
  ChannelTrailer trailer;
  std::memcpy(&trailer, message.data + trailer_offset(size_), sizeof trailer);
  return trailer;
}

std::size_t publishers_of(const ChannelInbox * channel, const rcl_subscription_t & subscription)
{
  if (channel != nullptr) {
    return channel->publishers();
  }
  std::size_t count = 0;
  if (rcl_subscription_get_publisher_count(&subscription, &count) != RCL_RET_OK) {
    detail::take_rcl_error();
    return 0;
  }
  return count;
}

}  // namespace takt_rcl
