#include "takt_host/message_account.hpp"

#include <optional>
#include <utility>

#include "takt_rt/time.hpp"
#include "takt_trace/recording.hpp"

namespace takt_host
{
namespace
{

void tell_phases(
  takt_core::Executor & executor, const takt_core::Callback & callback, SequenceGaps::Noted noted)
{
  takt_core::Scheduler & scheduler = executor.scheduler_of(callback);
  if (noted == SequenceGaps::Noted::missing) {
    scheduler.disturbed(callback, takt_core::Disturbance::lost_message, takt_rt::now());
  } else {
    scheduler.publisher_began(
      callback, noted == SequenceGaps::Noted::first_of_another, takt_rt::now());
  }
}

}  // namespace

MessageAccount::MessageAccount(MessageAccountOptions options)
: sequences_(options.sequences),
  named_by_(options.named_by),
  gaps_(
    options.gaps != nullptr || !options.sequences ? std::move(options.gaps)
                                                  : std::make_shared<SequenceGaps>()),
  losses_(options.reliable, gaps_ != nullptr ? gaps_->lost() : 0)
{
}

SequenceGaps::Noted MessageAccount::found(
  const takt_core::Run & run, const takt_core::MessageKey & message,
  const takt_core::MessageKey & counted) noexcept
{
  if (named_by_ == NamedBy::sequence) {
    run.found = message.sequence != 0 ? message.name_by_sequence() : 0;
  } else {
    run.found = message.source_time != 0 ? message.name_by_time() : 0;
  }
  return sequences_ && counted.sequence != 0 ? gaps_->note(counted.publisher, counted.sequence)
                                             : SequenceGaps::Noted::expected;
}

void MessageAccount::tell(
  takt_core::Executor & executor, const takt_core::Callback & callback,
  const takt_core::MessageKey & message, SequenceGaps::Noted noted,
  std::uint64_t overwritten) noexcept
{
  if (noted != SequenceGaps::Noted::expected) {
    tell_phases(executor, callback, noted);
  }
  losses_.taken(overwritten);
  takt_trace::record_take(message);
}

Losses MessageAccount::losses(std::uint64_t overwritten) const noexcept
{
  return losses_.split(overwritten, sequences_ ? std::optional(gaps_->lost()) : std::nullopt);
}

}  // namespace takt_host
