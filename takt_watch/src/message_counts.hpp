// What a callback's history holds and has lost, as far as its front end knows better than its arrival ring.
#ifndef TAKT_WATCH__SRC__MESSAGE_COUNTS_HPP_
#define TAKT_WATCH__SRC__MESSAGE_COUNTS_HPP_

#include "takt_core/adapter/message_counter.hpp"
#include "takt_core/callback.hpp"

namespace takt_watch
{

/// `callback` as a counter of its own; null: it is none. Set-up only.
inline const takt_core::adapter::MessageCounter * counter_of(
  const takt_core::Callback & callback) noexcept
{
  return dynamic_cast<const takt_core::adapter::MessageCounter *>(&callback);
}

/// `counter`: of this callback. Any thread. Real-time safe.
inline takt_core::adapter::MessageCounts message_counts_of(
  const takt_core::Callback & callback, const takt_core::adapter::MessageCounter * counter) noexcept
{
  return counter != nullptr ? counter->message_counts()
                            : takt_core::adapter::MessageCounts{
                                callback.backlog(), callback.overwritten(), callback.depth()};
}

/// All that came. `counter`: of this callback. Any thread. Real-time safe.
inline std::uint64_t arrivals_of(
  const takt_core::Callback & callback, const takt_core::adapter::MessageCounter * counter) noexcept
{
  return message_counts_of(callback, counter).arrivals.value_or(callback.arrivals());
}

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__MESSAGE_COUNTS_HPP_
