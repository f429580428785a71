// A group's condition: when its triggering callbacks become ready.
//
// Without a condition each message makes its callback ready. With one a message waits in its history until the condition
// holds. The scheduler looks at the condition when a message for a triggering callback of the group arrives, and never in
// between. If the condition holds then, all messages that wait by then are released: each triggering callback of the
// group becomes ready for all of its own, and takes those of non-triggering callbacks as ever (non_triggering.hpp).
//
// The inputs of a condition are the messages of the group's subscriptions, triggering or not. A message counts until it
// is released. Timers, services and clients of the group do not wait for the condition.
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

/// An input at the time at which the scheduler looks at the condition.
struct ConditionInput
{
  std::string_view id;        ///< of the callback
  std::uint32_t waiting = 0;  ///< messages that are not released
  takt_rt::Time newest =
    takt_rt::kNever;  ///< arrival of the newest message, released or not; kNever: none came
};

/// All parts that are given must hold.
struct Condition
{
  /// So many inputs have a waiting message; 0: as many as there are (`all`).
  std::uint32_t count = 1;
  /// The newest message of each input is younger.
  std::optional<takt_rt::Duration> fresh{};
  /// A program's own condition, called with a lock of the scheduler held, perhaps on a thread of the middleware: must be
  /// real-time safe and must not call the scheduler. Null: none.
  std::function<bool(std::span<const ConditionInput> inputs, takt_rt::Time now)> predicate{};
};

}  // namespace takt_core

#endif  // TAKT_CORE__CONDITION_HPP_
