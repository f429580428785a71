// Messages between processes of one user on one host, through shared memory: no copy, no daemon, no
// thread.
//
// A channel has a name, and exists while it has a living publisher or subscriber. Messages are
// plain bytes: objects without pointers, or a buffer. The publisher writes into a loan, and
// subscribers read the same memory. The thread that waits for a message is the thread that takes
// it.
//
// Each subscriber has a queue of `depth` messages. If the queue is full, the newest message
// replaces the oldest, which the subscriber counts as missed. Messages of one publisher arrive in
// their order; messages of several publishers have no order among each other, and a publisher that
// publishes more often than a subscriber takes keeps the messages of others waiting until they are
// overwritten. A late subscriber gets the last `history` messages of each publisher, once that
// publisher publishes again or serves. A publisher that does neither gives no history.
//
// If a publisher is killed, its published messages are not lost: subscribers that were there take
// the messages that wait for them. If publishers are killed one after another without a `take` in
// between, the messages of the newest four stay, or of fewer if shared memory is short. A killed
// publisher keeps its memory until it is removed: by the next start of a publisher or a subscriber,
// or by the end of the channel's last publisher or subscriber. The first start in a process also
// removes all other channels of its user that no process uses.
//
// A publisher that ends normally takes its memory along, except from subscribers that have seen it:
// these called `take` after it opened. So the end waits for the other subscribers, for at most 100
// ms. A subscriber that did not take by then gets none of the publisher's messages, and does not
// count them as missed. If subscribers take less often, call `wait_until_seen` before the end.
//
// One thread at a time uses an object with its loans and messages; different objects are
// independent. A forked child must not use the objects, which are the parent's.
#ifndef TAKT_CHANNEL__CHANNEL_HPP_
#define TAKT_CHANNEL__CHANNEL_HPP_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "takt_channel/message.hpp"
#include "takt_rt/result.hpp"
#include "takt_rt/time.hpp"

namespace takt_channel
{

/// The options that both sides of a channel give. The first side makes the channel. Another side is
/// refused if its type or `max_size` differs, or if it asks for more than the channel has. Only a
/// smaller depth is no reason: the subscriber gets it (`Subscriber::depth`).
struct Options
{
  std::string name;  ///< e.g. "7/camera/image": the domain and the topic; at most 200 characters
  std::string type = "bytes";  ///< the messages' type; at most 200 characters
  std::size_t max_size = 0;    ///< bytes of the largest message
  std::uint32_t depth = 10;    ///< messages that wait for a subscriber
  std::uint32_t history =
    0;                      ///< messages that a late subscriber gets, see `serve`; at most `depth`
  std::uint32_t held = 2;   ///< the most messages that a subscriber holds at once
  std::uint32_t loans = 2;  ///< the most loans that a publisher has at once
  std::uint32_t publishers = 4;  ///< the most that live at once; up to kMostPublishers
  std::uint32_t subscribers = 4;

  static constexpr std::uint32_t kMostPublishers = 32;
};

/// The reason why a channel could not be opened. The sentence of the fault tells it to users.
enum class Refusal
{
  none,
  not_built,     ///< this build of takt has no channels
  bad_options,   ///< a value is out of its range
  other_user,    ///< the channel is another user's
  incompatible,  ///< the channel has another type or a smaller shape; the fault names the
                 ///< difference
  full,          ///< the channel has as many publishers or subscribers as its options allow
  no_memory,     ///< shared memory is too small for the messages
  failed         ///< another reason; see the sentence
};

/// A value, or the reason why there is none.
template <typename T>
struct Opened
{
  std::unique_ptr<T> value;
  Refusal refusal = Refusal::none;
  takt_rt::Faults faults;  ///< one sentence, unless there is a value

  explicit operator bool() const noexcept { return value != nullptr; }
  T * operator->() const noexcept { return value.get(); }
};

/// True if this build of takt has channels. Real-time safe.
bool available() noexcept;

/// Removes the channels of this user that no process uses. The first opening of a publisher or a
/// subscriber in a process does so, too. Set-up only: allocates, reads folders and may block.
void clean();

class Publisher
{
public:
  /// Opens the channel. Set-up only: allocates, makes files, and may block for a second if another
  /// process was killed while it opened the same channel.
  static Opened<Publisher> open(const Options & options);
  /// If this publisher has published, waits until all subscribers have seen it, for at most
  /// `kLongestEnd`.
  ~Publisher();
  static constexpr std::chrono::milliseconds kLongestEnd{100};
  Publisher(const Publisher &) = delete;
  Publisher & operator=(const Publisher &) = delete;

  /// Memory for a message of `size` bytes. Real-time safe, except the first time after a subscriber
  /// came or left, because that maps or unmaps memory.
  Loan loan(std::size_t size) noexcept;

  /// Sends the loan to all subscribers and wakes those that wait: one system call for each
  /// subscriber. The loan is used up, whatever the result. Real-time safe, except the first time
  /// after a subscriber came or left.
  Denial publish(Loan & loan) noexcept;

  /// Gives late subscribers the history and wakes them; `publish` does so, too. A publisher that
  /// publishes seldom calls this as often as a late subscriber may wait for the history. Costs a
  /// system call only if a subscriber came. Real-time safe, except the first time after a
  /// subscriber came or left.
  Denial serve() noexcept;

  /// Waits until all living subscribers have called `take` after this publisher opened: these
  /// subscribers get its messages, whenever it ends. Returns false at the deadline. Blocks by
  /// design.
  bool wait_until_seen(takt_rt::Time deadline = takt_rt::kNever) const noexcept;

  /// Gives a loan back without sending it. Real-time safe.
  void drop(Loan & loan) noexcept;

  /// The number of living subscribers, in all processes. Any thread; may block: asks the kernel
  /// about each.
  std::size_t subscribers() const noexcept;

private:
  struct Impl;
  explicit Publisher(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

class Subscriber
{
public:
  /// Opens the channel; see `Publisher::open`.
  static Opened<Subscriber> open(const Options & options);
  ~Subscriber();
  Subscriber(const Subscriber &) = delete;
  Subscriber & operator=(const Subscriber &) = delete;

  /// The oldest waiting message of one publisher. Its bytes do not change until `release`. While an
  /// earlier publisher has messages, `take` returns these: a subscriber that takes less often than
  /// that one publishes gets none of a later one. Real-time safe, except the first time after a
  /// publisher came or left, which maps or unmaps memory.
  Message take() noexcept;

  /// Gives the message back. Real-time safe.
  void release(Message & message) noexcept;

  /// The number of messages of all publishers that were overwritten before their take. Real-time
  /// safe.
  std::uint64_t missed() const noexcept;

  /// Sleeps until a publisher publishes, comes or leaves after the beginning of the last `take`, or
  /// until the deadline. Returns false at the deadline. May return without a message: take again.
  /// Blocks by design; otherwise real-time safe: one system call.
  bool wait(takt_rt::Time deadline = takt_rt::kNever) const noexcept;

  /// The number of messages that were published since the last call, or since the subscriber came.
  /// Messages of the history do not count; taken and missed messages do. Call it on one thread at a
  /// time, not beside a take. Real-time safe.
  std::uint64_t arrived() noexcept;

  /// The number of messages that wait for a take, of those that `arrived` has counted; at most the
  /// depth for each publisher. Also counts messages that never come, until a take finds none: those
  /// of a publisher that ended or that connected later. Not beside a call of `arrived`. Real-time
  /// safe.
  std::uint64_t waiting() const noexcept;

  /// When the newest message was published, of those that `arrived` has counted. Not beside a call
  /// of `arrived`. Real-time safe.
  takt_rt::Time newest() const noexcept;

  /// Whether `take` would find a message. Real-time safe as `take`.
  bool has_message() const noexcept;

  /// The number of messages of each publisher that wait for it: `Options::depth`, or less if
  /// another side made the channel with less. Real-time safe.
  std::uint32_t depth() const noexcept;

  /// The number of living publishers, in all processes. Any thread; may block: asks the kernel
  /// about each.
  std::size_t publishers() const noexcept;

  /// The word on which `wait` sleeps, for threads that wait for more than one thing: the
  /// subscriber's own word in shared memory, read-only here. Each publish changes the word and
  /// wakes one thread that sleeps on it. Real-time safe.
  const std::atomic<std::uint32_t> & bell() const noexcept;
  /// The bell's value at the beginning of the last `take`: sleep while it has this value. Real-time
  /// safe.
  std::uint32_t heard() const noexcept;

private:
  struct Impl;
  explicit Subscriber(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt_channel

#endif  // TAKT_CHANNEL__CHANNEL_HPP_
