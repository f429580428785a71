#include "analysis/inputs/check_for_analysis.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "takt_schedule/quoted.hpp"

namespace takt_plan
{
namespace
{

using takt_rt::Faults;
using takt_schedule::quoted;

/// A fault if a sequence has a callback before a more urgent one. Empty: priorities fall along each
/// sequence, or stay the same.
std::string rising_sequence(const Model & model)
{
  // A place may have several callbacks. Compare with the least urgent one.
  std::map<std::pair<Index, Index>, std::multimap<std::uint32_t, const Task *>> sequences;
  for (const Task & task : model.tasks) {
    const bool by_priority =
      model.threads[task.threads.front()].order == takt_core::Order::priority;
    if (task.sequence != kNone && by_priority) {
      sequences[{task.executor, task.sequence}].emplace(task.position, &task);
    }
  }
  for (const auto & [number, places] : sequences) {
    const Task * before = nullptr;  // the least urgent one of all places before this one
    const Task * here = nullptr;    // of this place so far
    std::uint32_t place = 0;
    for (const auto & [position, task] : places) {
      if (here != nullptr && position != place) {
        before = before == nullptr || here->priority < before->priority ? here : before;
        here = nullptr;
      }
      place = position;
      here = here == nullptr || task->priority < here->priority ? task : here;
      if (before != nullptr && before->priority < task->priority) {
        return quoted(before->id) + " precedes " + quoted(task->id) +
               " in a sequence and is less urgent (priority " + std::to_string(before->priority) +
               ", " + std::to_string(task->priority) +
               "): it may start first all the same, which no bound counts; give the callbacks of a "
               "sequence the same priority, or a falling one";
      }
    }
  }
  return {};
}

}  // namespace

takt_rt::Status check_for_analysis(const Model & model)
{
  const bool waits = std::any_of(model.tasks.begin(), model.tasks.end(), [](const Task & task) {
    return task.input && !task.input->in_takers;
  });
  const bool conditions = std::any_of(
    model.groups.begin(), model.groups.end(),
    [](const Group & group) { return group.condition.has_value(); });
  const bool borders = std::any_of(model.tasks.begin(), model.tasks.end(), [&](const Task & task) {
    return model.has_logical_time(task) && task.border == kNone;
  });
  if (waits || conditions || borders) {
    return Faults{
      "some messages of the model trigger nothing, or wait for the end of a period, and no taker's "
      "runs have their work yet (with_inputs_in_takers)"};
  }
  takt_rt::Status status = check(model);
  if (status.ok()) {
    if (std::string why = rising_sequence(model); !why.empty()) {
      return Faults{std::move(why)};
    }
  }
  return status;
}

}  // namespace takt_plan
