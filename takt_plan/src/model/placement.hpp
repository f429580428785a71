// Places the callbacks of a system by a schedule: the executors, their threads, and for each
// callback its threads and its priority.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__PLACEMENT_HPP_
#define TAKT_PLAN__SRC__PLACEMENT_HPP_

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/hosts.hpp"
#include "model/triggers.hpp"
#include "takt_plan/model.hpp"
#include "takt_rt/result.hpp"
#include "takt_schedule/resolver.hpp"
#include "takt_schedule/schedule.hpp"
#include "takt_schedule/system.hpp"

namespace takt_plan::detail
{

class Placement
{
public:
  /// Adds executors and threads to `model`, and faults to `faults`. Keeps references to its
  /// arguments.
  Placement(
    const takt_schedule::System & system, const takt_schedule::Schedule & schedule,
    const Hosts & hosts, Model & model, takt_rt::Faults & faults);

  /// Sets the schedule's decisions for `task`, which is the task of `callback`: host, executor,
  /// threads, priority, and the offset of its release if a rule gives one.
  /// `task` is to be the model's next one.
  void place(const takt_schedule::CallbackModel & callback, Task & task);
  /// Once the model has all tasks: what triggers them.
  void settle_triggers();

private:
  struct Executor
  {
    Index index = kNone;
    Index first_thread = 0;
    std::optional<takt_schedule::Resolver> resolver;  ///< absent: a fault was reported
  };

  Ns jitter_of_clocks() const;
  int priority_of(const takt_core::Binding & binding, const std::string & id) const;
  void require_together(
    const takt_schedule::CallbackModel & callback, const takt_core::Binding & binding,
    const Task & task, const std::string & id, takt_schedule::Resolver & resolver);
  Executor & executor_of(const takt_schedule::CallbackModel & callback, Index host);
  void place_in_group(
    const takt_schedule::CallbackModel & callback, const Task & task,
    takt_schedule::Resolver & resolver, takt_schedule::ResolvedCallback & resolved);
  void add_threads(const takt_schedule::ExecutorSchedule & schedule, Index host, Index executor);
  void require_core(const takt_schedule::Threads & entry, Index host, int number);
  void require_allowed(const takt_schedule::CallbackModel & callback, Index thread);

  const takt_schedule::System & system_;
  const takt_schedule::Schedule & schedule_;
  const Hosts & hosts_;
  Model & model_;
  takt_rt::Faults & faults_;
  std::unordered_map<std::string, int> inherited_;  // of callbacks, from the schedule's chains
  std::unordered_map<std::string, Executor> executors_;
  const takt_schedule::Resolver * first_ = nullptr;  // of these
  Triggers triggers_;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PLACEMENT_HPP_
