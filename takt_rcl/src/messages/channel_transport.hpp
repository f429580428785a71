// Messages of one topic through a channel of takt_channel.
//
// Behind each message lie facts of its publisher: the id, number and time that subscriptions see in
// MessageInfo, and the name that the message has in the traces of both sides.
#ifndef CHANNEL_TRANSPORT_HPP_
#define CHANNEL_TRANSPORT_HPP_

#include <rcl/node.h>
#include <rcl/subscription.h>
#include <rosidl_runtime_c/message_type_support_struct.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "takt_channel/channel.hpp"
#include "takt_core/message_key.hpp"
#include "takt_rcl/memory/message_pool.hpp"
#include "takt_rcl/message_info.hpp"
#include "takt_rcl/qos.hpp"
#include "takt_rcl/transport.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_rcl
{

/// The facts behind a message.
struct ChannelTrailer
{
  takt_core::MessageKey key;   ///< names the message in takt's own records
  takt_core::MessageKey info;  ///< as subscriptions see it
};

/// The info of a message that no middleware delivered. Real-time safe.
MessageInfo info_of(const takt_core::MessageKey & key, bool from_intra_process) noexcept;

/// One end's topic.
struct ChannelTopic
{
  std::string node;  ///< fully qualified
  const rcl_node_t * rcl;
  const rosidl_message_type_support_t & type;
  std::string topic;  ///< fully qualified and remapped
  QoS qos;
  bool fits;  ///< whether a channel has all that the quality of service asks for
  detail::MessageLayout layout;
};

/// Whether messages of the type can go by a channel; if not, and the channel is `wanted`, logs the
/// sentence. Set-up only.
bool goes_by_channel(const ChannelTopic & topic, Transport wanted);

/// A publisher's side. Its functions are for one thread at a time, and real-time safe as those of
/// takt_channel, unless they say otherwise. Lent messages may end after their publisher: the memory
/// stays until the last of them has ended.
class ChannelOutbox final : public detail::Lender
{
public:
  /// Set-up only. Throws `Error` if the channel is refused, or if the quality of service is none of
  /// a channel.
  ChannelOutbox(const ChannelTopic & topic, std::uint32_t loans);
  ChannelOutbox(const ChannelOutbox &) = delete;
  ChannelOutbox & operator=(const ChannelOutbox &) = delete;
  /// The publisher ends: frees the object, or leaves that to the last lent message. Set-up only;
  /// may block.
  void end() noexcept;

  /// Serialises the functions. Held inside the channel; inherits priority.
  takt_rt::PiMutex & mutex() noexcept { return mutex_; }

  /// Memory for a message; null: all in use. Any thread; takes the mutex.
  void * lend() noexcept;
  /// Gives it back unpublished. Any thread; takes the mutex. Real-time safe while the publisher
  /// lives; after its end the last message closes the channel.
  void take_back(void * message) noexcept override;

  /// Publishes a copy of the message. Call it with the mutex held. False: the channel refused the
  /// message.
  bool publish(const void * message, const ChannelTrailer & trailer) noexcept;
  /// As above, of a lent message, which is gone.
  bool publish_lent(void * message, const ChannelTrailer & trailer) noexcept;

  /// Room for a copy of a message. With the mutex held.
  void * scratch() noexcept { return scratch_.get(); }
  std::size_t message_size() const noexcept { return size_; }
  /// Subscriptions of the channel that live. Any thread; may block.
  std::size_t subscribers() const noexcept { return port_->subscribers(); }

private:
  ~ChannelOutbox() = default;
  takt_channel::Loan loan() noexcept;
  bool send(takt_channel::Loan & loan, const ChannelTrailer & trailer) noexcept;
  bool has_lent() const noexcept;

  const std::size_t size_;
  takt_rt::PiMutex mutex_;
  bool ended_ = false;
  std::unique_ptr<takt_channel::Publisher> port_;
  std::vector<takt_channel::Loan> lent_;
  const std::unique_ptr<std::byte[]> scratch_;
};

/// A subscription's side. Its functions are for one thread at a time (`mutex`), and real-time safe
/// as those of takt_channel, unless they say otherwise.
class ChannelInbox
{
public:
  /// Messages that callbacks read in place at once. One more may be taken and copied.
  static constexpr std::uint32_t kInPlace = 2;

  /// As ChannelOutbox.
  explicit ChannelInbox(const ChannelTopic & topic);

  /// Serialises the functions. Held for no copy of a message, because executor threads look at all
  /// channels before each dispatch. Inherits priority.
  takt_rt::PiMutex & mutex() noexcept { return mutex_; }

  takt_channel::Message take() noexcept { return port_->take(); }
  void release(takt_channel::Message & message) noexcept { port_->release(message); }
  /// Takes the oldest message into `buffer()`. Denial::empty: none waits. For one thread at a time;
  /// takes the mutex.
  template <typename Buffer>
  takt_channel::Denial take_copy(const Buffer & buffer, ChannelTrailer & trailer) noexcept
  {
    takt_channel::Message message;
    {
      const std::lock_guard lock(mutex_);
      message = take();
    }
    if (!message) {
      return message.denial;
    }
    trailer = this->trailer(message);
    std::memcpy(buffer(), message.data, size_);
    const std::lock_guard lock(mutex_);
    release(message);
    return takt_channel::Denial::none;
  }
  ChannelTrailer trailer(const takt_channel::Message & message) const noexcept;
  std::size_t message_size() const noexcept { return size_; }
  /// The messages of each publisher that wait: the depth of the quality of service, or less if the
  /// channel has less; then the constructor logs a warning.
  std::uint32_t depth() const noexcept { return port_->depth(); }
  bool has_message() const noexcept { return port_->has_message(); }
  std::uint64_t missed() const noexcept { return port_->missed(); }
  /// Any thread; may block.
  std::size_t publishers() const noexcept { return port_->publishers(); }

  /// Any thread, without the mutex.
  const std::atomic<std::uint32_t> & bell() const noexcept { return port_->bell(); }
  /// Messages that arrived since the last call.
  std::uint64_t arrived() noexcept { return port_->arrived(); }
  /// As takt_channel::Subscriber.
  takt_rt::Time newest() const noexcept { return port_->newest(); }
  std::uint64_t waiting() const noexcept { return port_->waiting(); }

private:
  takt_rt::PiMutex mutex_;
  const std::size_t size_;
  std::unique_ptr<takt_channel::Subscriber> port_;
};

/// The number of publishers of a subscription: those of `channel`, or those that the middleware has
/// matched if `channel` is null. 0 if rcl fails. Any thread; may block.
std::size_t publishers_of(const ChannelInbox * channel, const rcl_subscription_t & subscription);

}  // namespace takt_rcl

#endif  // CHANNEL_TRANSPORT_HPP_
