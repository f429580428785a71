// A group's condition and its inputs; private to the scheduler's sources.
#ifndef TAKT_CORE__SRC__GROUP_CONDITION_HPP_
#define TAKT_CORE__SRC__GROUP_CONDITION_HPP_

#include <cstdint>
#include <vector>

#include "takt_core/condition.hpp"
#include "takt_core/detail/callback_entry.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_core
{

struct GroupCondition
{
  Condition rule;
  /// Held while a thread checks the condition, and while set-up changes the inputs. The innermost
  /// lock.
  takt_rt::PiMutex mutex;
  /// A callback that waits for the condition, and its subscription's place in `inputs`. Messages of
  /// one subscription may come in two ways, so two callbacks may share an input.
  struct Member
  {
    CallbackEntry * entry;
    std::size_t input;
  };
  std::vector<Member> members;
  std::vector<ConditionInput> inputs;  ///< one for each subscription
  /// With a spread: the place, in the order of arrivals, of the message whose stamp began anew.
  /// Messages of other inputs that arrived earlier have stamps of the time before. Guarded by the
  /// mutex.
  std::uint64_t anew = 0;
};

}  // namespace takt_core

#endif  // TAKT_CORE__SRC__GROUP_CONDITION_HPP_
