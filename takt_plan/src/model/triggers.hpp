// Finds the triggers of a model's callbacks, by its schedule: subscriptions that do not trigger and
// their takers, and the conditions of groups.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__TRIGGERS_HPP_
#define TAKT_PLAN__SRC__TRIGGERS_HPP_

#include <string>
#include <utility>
#include <vector>

#include "takt_core/condition.hpp"
#include "takt_core/non_triggering.hpp"
#include "takt_plan/model.hpp"
#include "takt_rt/result.hpp"
#include "takt_schedule/schedule.hpp"
#include "takt_schedule/system.hpp"

namespace takt_plan::detail
{

class Triggers
{
public:
  /// Notes the schedule's rule for a task. Sets `task.input`, without takers.
  void add_input(Index index, Task & task, const takt_core::NonTriggering & rule);
  /// Notes the condition of a group of the model.
  void add_condition(Index group, const takt_core::Condition & condition);

  /// Once `model` has all tasks: finds the takers of each input, which then has their threads and
  /// the least of their priorities. Sets the conditions of the groups. Faults: a callback of
  /// several topics, which stands for several subscriptions, as an input, under a condition, or if
  /// `with` names not all of these.
  void settle(const takt_schedule::System & system, Model & model, takt_rt::Faults & faults) const;

private:
  void find_takers(
    const takt_schedule::System & system, Model & model, Index input,
    const takt_core::NonTriggering & rule, takt_rt::Faults & faults) const;

  std::vector<std::pair<Index, takt_core::NonTriggering>> inputs_;
  std::vector<std::pair<Index, takt_core::Condition>> conditions_;
};

/// A sentence for each callback whose messages nothing takes.
std::vector<std::string> waiting_in_vain(const Model & model);

/// Faults: `with` in an executor with isolated groups. Each of these is an executor of its own when
/// the program runs, and the model has one executor.
takt_rt::Faults with_and_isolated(const takt_schedule::Schedule & schedule);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__TRIGGERS_HPP_
