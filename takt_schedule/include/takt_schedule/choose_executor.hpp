// Which executor of a schedule file is the one for an executor of a program, whose callbacks are known.
//
// The rules of the file's executors decide: the executor whose rules have the most of the callbacks as exact ids and,
// of several, the one whose patterns match the most of the others; then the one whose rules name the most of the
// executor's nodes, which may get the callbacks of these rules later (managed nodes do). Where this does not tell, it is
// the one that has the name of the program's executor. Chains belong to no executor, so they count last: only where no rule matches and no
// name fits, their ids say that the file is meant for these callbacks. Set-up only: allocates, does not block.
#ifndef TAKT_SCHEDULE__CHOOSE_EXECUTOR_HPP_
#define TAKT_SCHEDULE__CHOOSE_EXECUTOR_HPP_

#include <string>
#include <string_view>
#include <vector>

#include "takt_rt/result.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule
{

struct ExecutorChoice
{
  std::string name;          ///< of the schedule's executor; empty: it has none for these callbacks
  takt_rt::Faults warnings;  ///< executors that fit equally well, and those of `rules_of_others`
};

/// `ids`: of the callbacks; `name`: of the program's executor, by its first node; `nodes`: fully qualified, those of
/// which the executor also has the callbacks to come.
ExecutorChoice choose_executor(
  const Schedule & schedule, const std::vector<std::string> & ids, std::string_view name,
  const std::vector<std::string> & nodes = {});

/// One warning for each other executor of the schedule that has one of these callbacks as an exact id: in executor
/// `chosen`, where the callbacks run, that rule has no effect.
takt_rt::Faults rules_of_others(
  const Schedule & schedule, std::string_view chosen, const std::vector<std::string> & ids);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__CHOOSE_EXECUTOR_HPP_
