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
};

}  // namespace takt_core

#endif  // TAKT_CORE__SRC__GROUP_CONDITION_HPP_
