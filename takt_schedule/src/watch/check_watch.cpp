#include "watch/check_watch.hpp"

#include <algorithm>

#include "schedule/rule_table.hpp"
#include "takt_core/chain.hpp"

namespace takt_schedule::detail
{
namespace
{

const AlarmAction * find_in(const std::vector<AlarmAction> & actions, AlarmAction::Kind kind)
{
  const auto found = std::find_if(actions.begin(), actions.end(), [&](const AlarmAction & action) {
    return action.kind == kind;
  });
  return found == actions.end() ? nullptr : &*found;
}

bool lacks_deadline(const CallbackRule & rule)
{
  return rule.watch.misses && !rule.deadline;
}

/// For each rule of the executor: whether a chain gives one of its callbacks a deadline.
std::vector<bool> with_deadlines(const Schedule & schedule, const ExecutorSchedule & executor)
{
  std::vector<bool> result(executor.callbacks.size());
  const RuleTable rules(executor.callbacks);
  for (const ChainSchedule & chain : schedule.chains) {
    if (chain.options.deadline == takt_rt::kForever) {
      continue;
    }
    for (const std::string & id : chain.options.path) {
      if (const auto row = rules.find(id).row) {
        result[rules.rows()[*row].rule] = true;
      }
    }
  }
  return result;
}

}  // namespace

const AlarmAction * find_action(const WatchRule & watch, AlarmAction::Kind kind)
{
  return find_in(watch.on_alarm, kind);
}

bool gives_priority(const ChainSchedule & chain)
{
  constexpr auto kPriority = AlarmAction::Kind::priority;
  return chain.options.priority != 0 || find_in(chain.watch.on_alarm, kPriority) != nullptr ||
         find_in(chain.watch.fail_safe, kPriority) != nullptr;
}

void warn_misses(const Schedule & schedule, Findings & findings)
{
  for (const ExecutorSchedule & executor : schedule.executors) {
    if (std::none_of(executor.callbacks.begin(), executor.callbacks.end(), lacks_deadline)) {
      continue;
    }
    const std::vector<bool> has_deadline = with_deadlines(schedule, executor);
    for (std::size_t i = 0; i < executor.callbacks.size(); ++i) {
      if (lacks_deadline(executor.callbacks[i]) && !has_deadline[i]) {
        findings.warn(
          executor.callbacks[i].source,
          "misses has no effect: neither this rule nor a chain of its callbacks has a deadline; "
          "add "
          "for example deadline: 50ms");
      }
    }
  }
}

}  // namespace takt_schedule::detail
