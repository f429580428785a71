// The seam between a source of messages and an executor: a subscription, a service, a client or a
// channel becomes an executor's callback by four functions.
//
//     arrive(n)         the middleware's listener reports n messages
//     take_message()    the callback begins, on its own thread: the source takes one message
//     found(key)        in take_message, the source reports which message it got
//     counted()         numbers of arrived, waiting and overwritten messages, if it can count them
//
// A source implements take_message and calls `found` in it. This class keeps the account of the
// messages (found message, gaps, losses, phases, traces) for all sources.
#ifndef TAKT_HOST__SOURCE_CALLBACK_HPP_
#define TAKT_HOST__SOURCE_CALLBACK_HPP_

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>

#include "takt_core/adapter/announced_callback.hpp"
#include "takt_core/executor.hpp"
#include "takt_core/message_counts.hpp"
#include "takt_core/message_key.hpp"
#include "takt_host/message_account.hpp"

namespace takt_host
{

/// The result of a take.
enum class Took : std::uint8_t
{
  nothing,  ///< no message was there
  message,  ///< the callback runs with it
  skipped,  ///< the callback does not run: the source could not get the message, or got it before
};

/// One take. On the stack of the taking thread.
class Taking
{
public:
  Taking(const takt_core::Run & run, MessageAccount & account) noexcept
  : run_(run),
    account_(account)
  {
  }
  Taking(const Taking &) = delete;
  Taking & operator=(const Taking &) = delete;

  /// The run that takes. Real-time safe.
  const takt_core::Run & run() const noexcept { return run_; }
  /// Notes that the source got `message`. Call before another take of the same source can begin. A
  /// source whose messages have no key does not call this. Real-time safe.
  void found(const takt_core::MessageKey & message) noexcept { found(message, message); }
  /// As above for a publisher with two counts: `message` names the message, and gaps show in the
  /// sequence of `counted`.
  void found(const takt_core::MessageKey & message, const takt_core::MessageKey & counted) noexcept
  {
    message_ = message;
    noted_ = account_.found(run_, message, counted);
    told_ = true;
  }

private:
  template <typename>
  friend class SourceCallback;

  const takt_core::Run & run_;
  MessageAccount & account_;
  takt_core::MessageKey message_;
  SequenceGaps::Noted noted_ = SequenceGaps::Noted::expected;
  bool told_ = false;
};

/// `take_message` takes one message on the executor thread of the run. `counted` may run on any
/// thread.
template <typename S>
concept Source = requires(S & source, const S & view, Taking & taking)
{
  {
    source.take_message(taking)
    } -> std::same_as<Took>;
  {
    view.counted()
    } -> std::same_as<takt_core::MessageCounts>;
};

/// The callback of a source's messages. `S`, the source, derives from it, so that the virtual calls
/// per message are only those of takt_core::Callback.
template <typename S>
class SourceCallback : public takt_core::adapter::AnnouncedCallback
{
public:
  /// `history`: the number of messages that the source keeps. If `options.depth` is smaller, the
  /// callback drops the announcements beyond that depth, but the source keeps the messages.
  /// `executor` must outlive the callback. Set-up only.
  SourceCallback(
    takt_core::CallbackOptions options, takt_core::Executor & executor, std::uint32_t history,
    MessageAccountOptions account)
  : AnnouncedCallback(std::move(options)),
    executor_(executor),
    history_(history),
    account_(std::move(account))
  {
  }

  /// Announces `count` messages. `newest`: when the last of them came; kNever: now. Any thread,
  /// also within a publish, with the middleware's locks held. Real-time safe, lock-free.
  void arrive(std::uint32_t count, takt_rt::Time newest = takt_rt::kNever) noexcept
  {
    announce(executor_, count, newest);
  }

  /// Calls `take_message` on the executor thread, and accounts for its message. False: the callback
  /// does not run.
  bool take(const takt_core::Run & run) final
  {
    static_assert(Source<S>);
    Taking taking(run, account_);
    S & source = static_cast<S &>(*this);
    if (source.take_message(taking) != Took::message) {
      return false;
    }
    if (taking.told_) {
      account_.tell(executor_, *this, taking.message_, taking.noted_, source.counted().overwritten);
    }
    return true;
  }

  /// The number of messages lost on the way to the history; absent: unknown. Any thread; real-time
  /// safe.
  std::optional<std::uint64_t> lost() const noexcept final { return losses(counts()).lost; }
  /// The counts of `counted`, with the account's number of overwritten messages. Any thread;
  /// real-time safe.
  takt_core::MessageCounts message_counts() const noexcept final
  {
    takt_core::MessageCounts result = counts();
    result.overwritten = losses(result).overwritten;
    return result;
  }

  /// Counts by announcements alone. A source with better counts has its own function of this name.
  /// Any thread; real-time safe.
  takt_core::MessageCounts counted() const noexcept
  {
    return {
      backlog(), depth() < history_ ? 0 : overwritten(), std::min(history_, depth()), arrivals()};
  }

private:
  takt_core::MessageCounts counts() const noexcept
  {
    return static_cast<const S &>(*this).counted();
  }
  Losses losses(const takt_core::MessageCounts & counts) const noexcept
  {
    return account_.losses(counts.overwritten);
  }

  takt_core::Executor & executor_;
  const std::uint32_t history_;
  MessageAccount account_;
};

}  // namespace takt_host

#endif  // TAKT_HOST__SOURCE_CALLBACK_HPP_
