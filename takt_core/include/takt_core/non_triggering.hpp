// Callbacks whose messages do not trigger them.
//
// A message for such a callback neither queues the callback nor wakes a thread: the message waits
// in the callback's history. A callback that takes the message is called a *taker*. When a taker
// starts, its thread first runs the non-triggering callbacks, once for each message that waited by
// then, the oldest message first. Each of these runs belongs to the non-triggering callback: it has
// a take, activations, a deadline and observers' events of its own.
//
// A non-triggering callback never runs concurrently with itself, and keeps the rules of its group:
// while another callback of the group runs on another thread, the messages wait for the taker's
// next start.
#ifndef TAKT_CORE__NON_TRIGGERING_HPP_
#define TAKT_CORE__NON_TRIGGERING_HPP_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "takt_rt/fault.hpp"
#include "takt_rt/time.hpp"

namespace takt_core
{

struct NonTriggering
{
  /// Whether the callback with this chain id takes the messages. Null: each triggering callback of
  /// the group takes them, except the callbacks that the client library made for itself.
  std::function<bool(std::string_view id)> taken_by{};
  std::vector<std::string> with{};  ///< `taken_by` in the words of a schedule, for output
  /// A taker leaves out messages older than the newest `keep`: it takes them without running the
  /// callback. 0: it leaves out none.
  std::uint32_t keep = 0;
  /// A taker leaves out messages that arrived more than `max_age` before its start.
  takt_rt::Duration max_age = takt_rt::kForever;
  /// A taker takes only messages that arrived by its release, and `max_age` counts from that
  /// release. The timers of the group are the takers (unless `taken_by` names others). See
  /// logical_time.hpp.
  bool by_release = false;
  /// The program itself says it: it holds unless the schedule has a rule of its own.
  bool of_program = false;
};

class Callback;

/// Whether a triggering callback takes the messages of `input`, for which `rule` holds.
bool takes(const Callback & taker, const Callback & input, const NonTriggering & rule);

/// The fault of a non-triggering callback with history KEEP_ALL. Only its front end knows the
/// history.
takt_rt::Fault keeps_all(const std::string & id);

}  // namespace takt_core

#endif  // TAKT_CORE__NON_TRIGGERING_HPP_
