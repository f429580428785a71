// A group's condition and its inputs; private to the scheduler's sources.
#ifndef TAKT_CORE__SRC__GROUP_CONDITION_HPP_
#define TAKT_CORE__SRC__GROUP_CONDITION_HPP_

#include <vector>

#include "takt_core/condition.hpp"
#include "takt_core/detail/callback_entry.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_core
{

struct GroupCondition
{
  Condition rule;
  /// Held while a thread looks at the condition, and while set-up changes the inputs. The innermost lock.
  takt_rt::PiMutex mutex;
  std::vector<CallbackEntry *> inputs;
  std::vector<ConditionInput> seen;  ///< room for one for each input
};

}  // namespace takt_core

#endif  // TAKT_CORE__SRC__GROUP_CONDITION_HPP_
