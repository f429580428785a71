// Messages between processes of one user on one host, through shared memory: no copy, no daemon, no thread.
//
// A channel has a name, and exists while a publisher or a subscriber of it lives. Messages are plain bytes: of types
// without pointers, or a buffer. The publisher writes into a loan, and subscribers read the same memory. The thread that
// waits for a message is the thread that takes it.
//
// Each subscriber has a queue of `depth` messages. Where it is full the oldest message gives way to the newest, and the
// subscriber counts it as missed. Messages of one publisher arrive in their order; those of several are not ordered
// among each other. A subscriber that comes late gets the last `history` messages of each publisher, once
// that publisher publishes again or serves: a publisher that published once and then neither does gives it none.
//
// A publisher that is killed loses no message that it published: subscribers that were there take what waits for them.
// Of publishers that are killed one after another without a `take` in between, the messages of the newest four stay; of
// fewer, where shared memory is short. Until then each keeps its memory. The next start of a publisher or a subscriber
// removes what older ones left in shared memory, as does the end of the last that has the channel. The first start in a process
// also removes all other channels of its user that no process has.
//
// A publisher that ends in order takes its memory along, except from subscribers that have seen it: that called `take` after
// it opened. So its end waits for the others, for 100 ms at most. A subscriber that still did not take gets none of its
// messages, and does not count them as missed. Where subscribers take less often, use `wait_until_seen` before the end.
//
// An object is used by one thread at a time, its loans and messages too; different objects are independent. Objects of a
// forked child are the parent's: the child must not use them.
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

/// What both sides of a channel give. The side that comes first makes the channel; the other is refused where the type or
/// `max_size` differs, or where it asks for more than the channel has.
struct Options
{
  std::string name;  ///< e.g. "7/camera/image": the domain and the topic; at most 200 characters
  std::string type = "bytes";  ///< of the messages; at most 200 characters
  std::size_t max_size = 0;    ///< bytes of the largest message
  std::uint32_t depth = 10;    ///< messages that wait for a subscriber
  std::uint32_t history =
    0;                      ///< messages that a late subscriber gets, see `serve`; at most `depth`
  std::uint32_t held = 2;   ///< messages that a subscriber has at once
  std::uint32_t loans = 2;  ///< loans that a publisher has at once
  std::uint32_t publishers = 4;  ///< that live at once; at most kMostPublishers
  std::uint32_t subscribers = 4;

  static constexpr std::uint32_t kMostPublishers = 32;
};

/// Why a channel could not be opened. The sentence of the fault says it to people.
enum class Refusal
{
  none,
  not_built,     ///< this build of takt has no channels
  bad_options,   ///< a value is out of its range
  other_user,    ///< the channel is another user's
  incompatible,  ///< the channel has another type or a smaller shape
  full,          ///< the channel has as many publishers or subscribers as its options allow
  no_memory,     ///< shared memory is too small for the messages
  failed         ///< see the sentence
};

/// A value, or why there is none.
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

/// Removes the channels of this user that no process has. The first opening of a publisher or a subscriber in a process does
/// it, too.
/// Set-up only: allocates, reads folders and may block.
void clean();

class Publisher
{
public:
  /// Opens the channel. Set-up only: allocates, makes files, and may block for a second where another process that opened the
  /// same channel was killed meanwhile.
  static Opened<Publisher> open(const Options & options);
  /// Where it published, waits until all subscribers have seen it, but for `kLongestEnd` at most.
  ~Publisher();
  static constexpr std::chrono::milliseconds kLongestEnd{100};
  Publisher(const Publisher &) = delete;
  Publisher & operator=(const Publisher &) = delete;

  /// Memory for a message of `size` bytes. Real-time safe, except the first time after a subscriber came or left, which maps
  /// or unmaps memory.
  Loan loan(std::size_t size) noexcept;

  /// Sends the loan to all subscribers and wakes those that wait: one system call for each subscriber. The loan is gone, whatever
  /// is returned.
  /// Real-time safe, except the first time after a subscriber came or left.
  Denial publish(Loan & loan) noexcept;

  /// Gives late subscribers the history and wakes them. For a publisher that publishes seldom: call it again and again, as
  /// often as a late subscriber may wait for the history; `publish` does it, too. A system call only where a subscriber
  /// came. Real-time safe, except the first time after a subscriber came or left.
  Denial serve() noexcept;

  /// Waits until all subscribers that live have called `take` after this publisher opened: these get what it published,
  /// whenever it ends. Returns false at the deadline. Blocks by design.
  bool wait_until_seen(takt_rt::Time deadline = takt_rt::kNever) const noexcept;

  /// Gives a loan back unsent. Real-time safe.
  void drop(Loan & loan) noexcept;

  /// Subscribers that live, in all processes. Any thread; may block: asks the kernel for each.
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

  /// The oldest message that waits, of any publisher. It stays as it is until `release`. Real-time safe, except the first time
  /// after a publisher came or left, which maps or unmaps memory.
  Message take() noexcept;

  /// Gives the message back. Real-time safe.
  void release(Message & message) noexcept;

  /// Messages that were overwritten before they were taken, of all publishers. Real-time safe.
  std::uint64_t missed() const noexcept;

  /// Sleeps until a publisher publishes, comes or leaves after the beginning of the last `take`, or until the deadline. Returns false at
  /// the deadline. Blocks by design; otherwise real-time safe: one system call. May return for no message: take again.
  bool wait(takt_rt::Time deadline = takt_rt::kNever) const noexcept;

  /// Messages that were published since the last call, or since the subscriber came; the history does not count. Of these it
  /// may have missed some, and have taken others. On one thread at a time, perhaps while another takes. Real-time safe.
  std::uint64_t arrived() noexcept;

  /// Whether `take` would find a message. Real-time safe as `take`.
  bool has_message() const noexcept;

  /// Publishers that live, in all processes. Any thread; may block: asks the kernel for each.
  std::size_t publishers() const noexcept;

  /// The word on which `wait` sleeps, for threads that wait for more than one thing: the subscriber's own, in shared memory, changed
  /// by each publish, read-only here. A publish wakes one thread that sleeps on it. Real-time safe.
  const std::atomic<std::uint32_t> & bell() const noexcept;
  /// The bell's value at the beginning of the last `take`: sleep while it has this value. Real-time safe.
  std::uint32_t heard() const noexcept;

private:
  struct Impl;
  explicit Subscriber(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt_channel

#endif  // TAKT_CHANNEL__CHANNEL_HPP_
