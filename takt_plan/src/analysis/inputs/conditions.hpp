// Conditions of groups (takt_core/condition.hpp) in analyses.
//
// Under a condition a message for an input of the group waits until the condition holds; then all
// messages that wait are released. `with_conditions` makes the longest such wait a part of the time
// for which the message is under way (Link::delay), which the other analyses know.
//
// Theorem. Let G(j) be the longest time from any instant until a message for input j arrives: the
// period P of a timer whose every release leads to such a message, or the timer's first release if
// that is later, and the longest time E from the release to the arrival. A message for input i that
// arrives at t is released by t + W(i):
//
// - `count: k` of n inputs (`all`: k = n): W(i) is the (k - 1)th smallest of G(j) over all j but i.
//   If nothing is released in between, arriving messages wait, so k inputs have a message by then;
//   the last of these arrivals is that of a triggering input, so the scheduler looks at the
//   condition, which holds. If messages are released in between, the message of i is released, too.
// - `fresh: d`: also needs a message of each input that is younger than d. Beyond the first message
//   of j, its newest one is at any time younger than P + E. So d >= P + E for each input is
//   required. W(i) is then the largest G(j), since each input needs its first message.
//
// A released message takes the place in the ready queue that its arrival had, so its callback may
// go before others that are as urgent and were ready earlier (Task::overtakes).
//
// E is the bound of the publisher, which may depend on W. The smallest W for which both hold is
// found by iteration. The bounds hold together: events until an instant depend only on earlier
// events, so no bound can be the first one to be violated.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__CONDITIONS_HPP_
#define TAKT_PLAN__SRC__CONDITIONS_HPP_

#include "takt_plan/model.hpp"
#include "takt_rt/result.hpp"

namespace takt_plan
{

/// The parts of W. All are needed: a test of soundness notices each omitted part.
struct ConditionTerms
{
  bool period = true;  ///< the time until the next release of the other inputs
  bool late = true;    ///< the time from that release to the arrival
};

/// Removes the conditions from a model whose inputs are in their takers (inputs.hpp). Faults, one
/// sentence each: conditions with non-triggering inputs, with a spread or a program's own
/// predicate, with inputs on several threads or without fixed priority, with more inputs to wait
/// for than there are; with an input whose messages need not come; and messages that may be too old
/// for `fresh`.
takt_rt::Result<Model> with_conditions(
  Model model, const ConditionTerms & terms = ConditionTerms());

}  // namespace takt_plan

#endif  // TAKT_PLAN__SRC__CONDITIONS_HPP_
