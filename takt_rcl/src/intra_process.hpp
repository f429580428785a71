// Messages by pointer between publishers and subscriptions of one context.
//
// A subscription has an Inbox beside its middleware's history, a publisher an Outbox. The registry
// of their context pairs them by topic, type and compatible QoS. A publish gives the message to
// each paired inbox. The middleware gets it only if more subscriptions are matched than pairs are
// known to be: then another process, or a subscription without an inbox, may be among them.
//
// The middleware matches the two of a pair, too, but at a moment of its own. A pair counts as
// matched only once the middleware has delivered a message of the publisher to the subscription;
// until then the publisher also publishes through the middleware. So no other subscription misses a
// message, and the first message of a pair usually travels both ways.
//
// A message that travelled both ways is in the inbox and in the middleware's history. The
// subscription discards this copy by the publisher's gid and the number from which on the pair
// exists. A listener that runs within the publish does not announce it.
//
// Locks, in this order: registry, a publisher's mutex, an inbox's.
#ifndef INTRA_PROCESS_HPP_
#define INTRA_PROCESS_HPP_

#include <rcl/context.h>
#include <rmw/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <typeindex>
#include <vector>

#include "takt_core/message_key.hpp"
#include "takt_rcl/memory/parcel.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_rcl
{

/// The publisher's id in the keys of messages that the middleware did not get, and thus did not
/// number. No middleware uses it: the last byte is the entity's kind.
inline takt_core::Gid by_pointer(takt_core::Gid publisher) noexcept
{
  publisher.back() ^= 0x80;
  return publisher;
}

/// One publisher and one subscription.
struct Pair
{
  Pair(const takt_core::Gid & gid, std::uint64_t from) : publisher(gid), first(from) {}

  enum class State : std::uint8_t
  {
    open,
    ended,  // the publisher has ended
    noted   // by a take that looks whether copies are left
  };

  const takt_core::Gid publisher;
  const std::uint64_t first;  // of the middleware's numbers: from here on its messages are copies
  std::atomic<bool> matched{false};
  std::atomic<State> state{State::open};
};

/// A topic with its type, and the properties of one end.
struct End
{
  std::string topic;
  std::type_index type;
  rmw_qos_profile_t qos;
};

/// A subscription's messages by pointer.
class Inbox
{
public:
  using Listener = void (*)(const void * data, std::size_t count);

  /// `reserve`: messages that the subscription may hold at once.
  Inbox(End end, std::uint32_t depth, detail::Use use, std::uint32_t reserve);

  const End & end() const noexcept { return end_; }
  detail::Use use() const noexcept { return use_; }
  std::uint32_t reserve() const noexcept { return reserve_; }

  // ---- set-up only ----

  /// Later messages are announced to `listener`. After the return the former listener is not called
  /// any more.
  void listen(Listener listener, const void * data) noexcept;
  void add(const std::shared_ptr<Pair> & pair);

  // ---- any thread; real-time safe ----

  /// Replaces the oldest message of a full inbox, and calls the listener.
  void push(detail::Parcel && parcel) noexcept;
  /// The middleware's listener reports `count` messages; returns the number without copies.
  std::size_t hear(std::size_t count) noexcept;

  // ---- the taking thread; real-time safe ----

  /// False: empty.
  bool pop(detail::Parcel & parcel) noexcept;

  /// As `pop`. False: the next message comes from the middleware's history: it was announced before
  /// the inbox's first message, or both together have more than the history's depth, or copies of
  /// an ended publisher must be discarded.
  bool pop_before_middleware(detail::Parcel & parcel) noexcept;
  /// The middleware's history gave a message. True: it is a copy.
  bool is_copy(const takt_core::Gid & publisher, std::uint64_t sequence) noexcept;
  /// Call if `is_copy` returned false. The middleware's message and the inbox share one history of
  /// `depth` messages: drops the messages of the inbox that this history would have overwritten.
  /// Returns false if it would have overwritten the middleware's message: then the caller drops
  /// that message.
  bool keeps_middleware_message() noexcept;
  /// Call before the middleware's history is asked, and with the result after it had no message.
  std::uint64_t ask_middleware() noexcept;
  void middleware_is_empty(std::uint64_t asked) noexcept;

private:
  std::uint64_t waiting_in_middleware() noexcept;
  void take_oldest(detail::Parcel & parcel) noexcept;  // mutex_ held

  const End end_;
  const std::uint32_t depth_;
  const detail::Use use_;
  const std::uint32_t reserve_;

  takt_rt::PiMutex listener_mutex_;  // orders messages and their announcements alike
  Listener listener_ = nullptr;
  const void * data_ = nullptr;

  mutable takt_rt::PiMutex mutex_;
  std::vector<detail::Parcel> ring_;
  std::uint32_t begin_ = 0;
  std::uint32_t size_ = 0;

  std::atomic<std::uint64_t> heard_{0};  // announced by the middleware
  std::uint64_t found_ = 0;              // of these, taken or known to be gone; the taking thread's

  takt_rt::PiMutex pairs_mutex_;
  std::vector<std::shared_ptr<Pair>> pairs_;
  std::atomic<bool> ended_{false};  // a pair has ended
  friend class IntraProcess;
};

/// A publisher's side.
class Outbox
{
public:
  Outbox(End end, const takt_core::Gid & gid, takt_rt::PiMutex & mutex, detail::Stock & stock)
  : end_(std::move(end)),
    gid_(gid),
    mutex_(mutex),
    stock_(stock)
  {
  }

  const End & end() const noexcept { return end_; }

  // ---- with the publisher's mutex held; real-time safe ----

  bool has_takers() const noexcept { return !takers_.empty(); }
  /// Pairs that the middleware has matched, at least so many.
  std::size_t matched() const noexcept;
  /// The number that the middleware gives its next message.
  std::uint64_t next_number() const noexcept { return published_ + 1; }
  void published() noexcept { ++published_; }
  /// `key` names the message in takt's own records; subscriptions see `info`.
  void deliver(
    detail::ParcelSource & source, const takt_core::MessageKey & key,
    const takt_core::MessageKey & info) noexcept;
  /// The pair with this inbox, or null.
  Pair * pair_with(const Inbox & inbox) const noexcept;

private:
  struct Taker
  {
    Inbox * inbox;
    std::shared_ptr<Pair> pair;
  };

  const End end_;
  const takt_core::Gid gid_;
  takt_rt::PiMutex & mutex_;
  detail::Stock & stock_;
  std::vector<Taker> takers_;
  std::uint64_t published_ = 0;
  friend class IntraProcess;
};

/// While it lives, the calling thread publishes through the middleware messages that it also gives
/// to the outbox's takers.
class PublishingCopies
{
public:
  explicit PublishingCopies(const Outbox & outbox) noexcept;
  ~PublishingCopies();
  PublishingCopies(const PublishingCopies &) = delete;
  PublishingCopies & operator=(const PublishingCopies &) = delete;

private:
  const Outbox * const previous_;
};

/// The registry of one context. Set-up only; any thread.
class IntraProcess
{
public:
  /// The registry of `context`.
  static std::shared_ptr<IntraProcess> of(const rcl_context_t * context);
  /// Whether messages of a publisher, or to a subscription, with this profile can go by pointer.
  static bool supports(const rmw_qos_profile_t & qos) noexcept;

  void add(Outbox & outbox);
  void add(Inbox & inbox);
  /// After the last publish.
  void remove(const Outbox & outbox) noexcept;
  /// Afterwards no publisher uses the inbox.
  void remove(const Inbox & inbox) noexcept;

private:
  static void join(Outbox & outbox, Inbox & inbox);

  std::mutex mutex_;
  std::vector<Outbox *> outboxes_;
  std::vector<Inbox *> inboxes_;
};

}  // namespace takt_rcl

#endif  // INTRA_PROCESS_HPP_
