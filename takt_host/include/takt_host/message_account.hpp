// The account of one source's messages: which message a take found, and which messages no take
// found.
//
// A front end takes a message from its middleware and reports it here. The account passes it on to
// the run (which gets the found message's activations), the phases of the executor, the trace, and
// the counts of lost and overwritten messages.
#ifndef TAKT_HOST__MESSAGE_ACCOUNT_HPP_
#define TAKT_HOST__MESSAGE_ACCOUNT_HPP_

#include <cstdint>
#include <memory>

#include "takt_core/callback.hpp"
#include "takt_core/executor.hpp"
#include "takt_core/message_key.hpp"
#include "takt_host/loss_account.hpp"
#include "takt_host/sequence_gaps.hpp"

namespace takt_host
{

/// The input of a message's name that publishers know when they hand the message to the middleware;
/// see `MessageScope`.
enum class NamedBy : std::uint8_t
{
  sequence,
  source_time
};

/// Properties of one source.
struct MessageAccountOptions
{
  bool reliable = false;   ///< no message is lost on the way to the history
  bool sequences = false;  ///< the middleware numbers messages, and a gap is a lost message
  NamedBy named_by = NamedBy::sequence;
  /// The gaps of the same source in an earlier executor; null: new gaps, if messages are numbered.
  std::shared_ptr<SequenceGaps> gaps{};
};

/// One source has one account. It may continue in another executor through shared `gaps`.
class MessageAccount
{
public:
  /// Allocates; set-up only.
  explicit MessageAccount(MessageAccountOptions options);

  /// Call first after a take found `message` for `run`; gaps show in the sequence of `counted`.
  /// Takes of one source must not overlap here. Real-time safe.
  SequenceGaps::Noted found(
    const takt_core::Run & run, const takt_core::MessageKey & message,
    const takt_core::MessageKey & counted) noexcept;
  SequenceGaps::Noted found(
    const takt_core::Run & run, const takt_core::MessageKey & message) noexcept
  {
    return found(run, message, message);
  }
  /// Call next, on the same thread, before the user's function. `overwritten`: announcements of
  /// `callback` (of `executor`) without a take so far. Real-time safe.
  void tell(
    takt_core::Executor & executor, const takt_core::Callback & callback,
    const takt_core::MessageKey & message, SequenceGaps::Noted noted,
    std::uint64_t overwritten) noexcept;

  /// The losses so far. `overwritten`: as in `tell`. Any thread; real-time safe.
  Losses losses(std::uint64_t overwritten) const noexcept;

private:
  const bool sequences_;
  const NamedBy named_by_;
  const std::shared_ptr<SequenceGaps> gaps_;  // null: messages have no sequence numbers
  LossAccount losses_;
};

}  // namespace takt_host

#endif  // TAKT_HOST__MESSAGE_ACCOUNT_HPP_
