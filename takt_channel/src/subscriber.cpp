#include <algorithm>
#include <memory>
#include <utility>

#include "missed_messages.hpp"
#include "opening.hpp"
#include "takt_channel/channel.hpp"
#include "takt_rt/futex.hpp"

namespace takt_channel
{
namespace
{

struct DestroySubscriber
{
  void operator()(takt_channel_subscriber * port) const { takt_channel_subscriber_destroy(port); }
};

}  // namespace

struct Subscriber::Impl
{
  Bell bell;
  std::unique_ptr<takt_channel_subscriber, DestroySubscriber> port;
  MissedMessages missed;
  std::uint32_t heard = 0;
  Bell::Standings counted{};  // the standings at the last `arrived`
  Bell::Standings settled{};  // the counted standings when a take found no message

  ~Impl()
  {
    bell.begin_change();
    port.reset();
  }
};

Subscriber::Subscriber(std::unique_ptr<Impl> impl) : impl_(std::move(impl))
{
}
Subscriber::~Subscriber() = default;

Opened<Subscriber> Subscriber::open(const Options & options)
{
  Bell bell;
  std::unique_ptr<takt_channel_subscriber, DestroySubscriber> port;
  Bell::Standings before{};
  const std::optional<Refused> refused =
    open_port(options, Bell::Access::listen, bell, [&](const takt_channel_shape & shape) {
      // Read the standings before the port exists: a message that the port gets counts.
      bell.published_since(before);
      port.reset();
      takt_channel_subscriber * made = nullptr;
      const std::int32_t code = takt_channel_subscriber_create(&shape, &made);
      port.reset(made);
      return code;
    });
  if (refused) {
    return {nullptr, refused->refusal, faults_of(options, *refused)};
  }
  auto impl = std::make_unique<Impl>();
  impl->bell = std::move(bell);
  impl->port = std::move(port);
  impl->counted = before;
  if (!impl->bell.subscriber_came()) {
    return {
      nullptr, Refusal::full,
      faults_of(options, {Refusal::full, "the channel has as many subscribers as there may be"})};
  }
  impl->bell.end_change();
  impl->heard =
    impl->bell.word().load(std::memory_order_acquire) - 1;  // the first `wait` returns at once
  for (const Standing & one : impl->bell.standings()) {
    impl->missed.expect(one.publisher, one.next);
  }
  return {std::unique_ptr<Subscriber>(new Subscriber(std::move(impl))), Refusal::none, {}};
}

Message Subscriber::take() noexcept
{
  Impl & impl = *impl_;
  // Read the word before the look: a message that is published after the look changes the word.
  impl.heard = impl.bell.word().load(std::memory_order_seq_cst);
  const std::uint32_t publishers = impl.bell.publishers();
  Message message;
  const void * data = nullptr;
  takt_channel_header header = {};
  message.denial = denial_of(takt_channel_take(impl.port.get(), &message.slot, &data, &header));
  if (message.denial == Denial::none || message.denial == Denial::empty) {
    impl.bell.saw(publishers);
  }
  if (message.denial == Denial::empty) {
    impl.settled = impl.counted;
  }
  if (message.denial != Denial::none) {
    return message;
  }
  message.data = static_cast<const std::byte *>(data);
  message.size = header.size;
  message.publisher = header.publisher;
  message.sequence = header.sequence;
  message.published = takt_rt::from_ns(header.stamp);
  message.missed = impl.missed.taken(header.publisher, header.sequence);
  return message;
}

void Subscriber::release(Message & message) noexcept
{
  if (message) {
    message.data = nullptr;
    takt_channel_release(impl_->port.get(), message.slot);
  }
}

std::uint64_t Subscriber::missed() const noexcept
{
  return impl_->missed.all();
}

bool Subscriber::wait(takt_rt::Time deadline) const noexcept
{
  const std::atomic<std::uint32_t> & word = impl_->bell.word();
  while (word.load(std::memory_order_seq_cst) == impl_->heard) {
    if (
      takt_rt::futex_wait_shared(word, impl_->heard, deadline) == takt_rt::WaitResult::timed_out) {
      return false;
    }
  }
  return true;
}

const std::atomic<std::uint32_t> & Subscriber::bell() const noexcept
{
  return impl_->bell.word();
}

std::uint64_t Subscriber::arrived() noexcept
{
  return impl_->bell.published_since(impl_->counted);
}

takt_rt::Time Subscriber::newest() const noexcept
{
  std::int64_t newest = 0;
  for (const Standing & one : impl_->counted) {
    newest = std::max(newest, one.newest);
  }
  return takt_rt::from_ns(newest);
}

std::uint64_t Subscriber::waiting() const noexcept
{
  const Impl & impl = *impl_;
  const std::uint64_t depth = this->depth();
  std::uint64_t waiting = 0;
  for (std::size_t i = 0; i < impl.counted.size(); ++i) {
    const auto [publisher, next, newest] = impl.counted[i];
    if (publisher == 0) {
      continue;
    }
    const Standing & settled = impl.settled[i];
    const std::uint64_t gone = std::max(
      impl.missed.next(publisher, next), settled.publisher == publisher ? settled.next : 0);
    waiting += std::min(next - std::min(next, gone), depth);
  }
  return waiting;
}

bool Subscriber::has_message() const noexcept
{
  return takt_channel_has_message(impl_->port.get()) == takt_channel_ok;
}

std::uint32_t Subscriber::depth() const noexcept
{
  return takt_channel_depth(impl_->port.get());
}

std::size_t Subscriber::publishers() const noexcept
{
  return impl_->bell.living_publishers();
}

std::uint32_t Subscriber::heard() const noexcept
{
  return impl_->heard;
}

}  // namespace takt_channel
