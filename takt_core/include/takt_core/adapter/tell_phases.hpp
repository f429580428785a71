// What the sequence number of a taken message says of the phases of its executor.
//
// Header-only. Real-time safe; an expected message costs a comparison.
#ifndef TAKT_CORE__ADAPTER__TELL_PHASES_HPP_
#define TAKT_CORE__ADAPTER__TELL_PHASES_HPP_

#include "takt_core/adapter/sequence_gaps.hpp"
#include "takt_core/executor.hpp"

namespace takt_core::adapter
{

using takt_rt::now;

/// `callback`, of `executor`, took a message that its gaps noted so. One thread at a time for each callback.
inline void tell_phases(
  Executor & executor, const Callback & callback, SequenceGaps::Noted noted) noexcept
{
  if (noted == SequenceGaps::Noted::expected) {
    return;
  }
  Scheduler & scheduler = executor.scheduler_of(callback);
  if (noted == SequenceGaps::Noted::missing) {
    scheduler.disturbed(callback, Disturbance::lost_message, now());
  } else {
    scheduler.publisher_began(callback, noted == SequenceGaps::Noted::first_of_another, now());
  }
}

}  // namespace takt_core::adapter

#endif  // TAKT_CORE__ADAPTER__TELL_PHASES_HPP_
