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
//
// With `spread` the callbacks run in sets of one message of each input, whose header stamps lie
// close together. A stamp is known only after the take. So the scheduler starts a callback of the
// group for its oldest message, takes the message and keeps it, at most one for each input; later
// messages wait in the history. When the callback keeps a message:
//
// - A kept message whose stamp is older than the newest kept stamp by more than the spread is left
//   out: no set can have it, since the stamps of an input rise. The next message of its input is
//   taken.
// - If each input has a kept message, and none is left out, the set is complete: the thread of the
//   last take runs the callbacks of the set, the one whose message arrived first at first.
// - A stamp that is older than the one before it on the same input by more than the spread, and by
//   more than a second, means that the stamps began anew (simulated time, a bag from its
//   beginning). The messages of the other inputs that arrived earlier are left out.
//
// The thread of the last take runs callbacks of all inputs. So these have the same threads.
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
  /// The callbacks run in sets of one message of each input, whose header stamps lie within this.
  /// Then `count` is 0, and there is neither `fresh` nor `predicate`.
  std::optional<takt_rt::Duration> spread{};
  /// A program's own condition, called with a lock of the scheduler held, perhaps on a thread of
  /// the middleware: must be real-time safe and must not call the scheduler. Null: none.
  std::function<bool(std::span<const ConditionInput> inputs, takt_rt::Time now)> predicate{};
  /// The program itself says it: it holds unless the schedule has a rule of its own.
  bool of_program = false;
};

}  // namespace takt_core

#endif  // TAKT_CORE__CONDITION_HPP_
