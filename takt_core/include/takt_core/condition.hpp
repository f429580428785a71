// A group's condition: it decides when the group's triggering callbacks become ready.
//
// Without a condition each message makes its callback ready. With one, a message waits in its
// history until the condition holds. The scheduler checks the condition only when a message for a
// triggering callback of the group arrives. If the condition holds, it releases all messages that
// wait at this time: each triggering callback of the group becomes ready for all of its own
// messages. The callback takes the messages of non-triggering callbacks as without a condition
// (non_triggering.hpp).
//
// The inputs of a condition are the messages of the group's subscriptions, triggering or not. A
// message counts until it is released. Timers, services and clients of the group do not wait for
// the condition.
#ifndef TAKT_CORE__CONDITION_HPP_
#define TAKT_CORE__CONDITION_HPP_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "takt_rt/time.hpp"

namespace takt_core
{

/// The state of an input when the scheduler checks the condition.
struct ConditionInput
{
  std::string_view id;        ///< the callback's id
  std::uint32_t waiting = 0;  ///< messages that are not released
  /// Arrival of the newest message, released or not; kNever: none came.
  takt_rt::Time newest = takt_rt::kNever;
};

/// The condition holds if all of its given parts hold.
struct Condition
{
  /// At least this many inputs have a waiting message; 0: all inputs (`all`).
  std::uint32_t count = 1;
  /// The newest message of each input is younger than this.
  std::optional<takt_rt::Duration> fresh{};
  /// A program's own condition, called with a lock of the scheduler held, perhaps on a thread of
  /// the middleware: must be real-time safe and must not call the scheduler. Null: none.
  std::function<bool(std::span<const ConditionInput> inputs, takt_rt::Time now)> predicate{};
};

}  // namespace takt_core

#endif  // TAKT_CORE__CONDITION_HPP_
