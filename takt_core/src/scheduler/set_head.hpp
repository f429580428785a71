// A message that was taken and waits for its set (Condition::spread); private to the scheduler's
// sources.
#ifndef TAKT_CORE__SRC__SET_HEAD_HPP_
#define TAKT_CORE__SRC__SET_HEAD_HPP_

#include <cstdint>

#include "takt_core/callback.hpp"

namespace takt_core
{

/// The place of one input of the condition for its message. Guarded by the condition's mutex.
struct SetHead
{
  enum class State : std::uint8_t
  {
    none,    ///< no message: the next one is asked for
    asked,   ///< the callback is queued, to take one
    taking,  ///< a run of the callback takes one
    kept,    ///< waits for its set
    due,     ///< of the complete set: the callback has yet to run
    stale,   ///< no set can have it: it is left out
    leaving  ///< a thread that removes another input leaves it out
  };
  State state = State::none;
  Run run;                    ///< the run that took the message
  std::uint64_t arrival = 0;  ///< the message's place in the order of arrivals
  Time last = kNever;         ///< stamp of the message that was taken last; kNever: none had one
};

}  // namespace takt_core

#endif  // TAKT_CORE__SRC__SET_HEAD_HPP_
