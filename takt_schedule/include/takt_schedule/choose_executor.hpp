// Chooses the executor of a schedule file for an executor of a program with known callbacks.
//
// The rules decide. First: the executor whose rules have the most of the callbacks as exact ids. Of
// equals: the one whose patterns match the most of the others; then the one whose rules name the
// most of the executor's nodes, which may get these callbacks later (managed nodes do); then the
// one with the name of the program's executor. Chains belong to no executor: only if no rule
// matches and no name fits, their ids show that the file is meant for these callbacks. Set-up only:
// allocates, does not block.
#ifndef TAKT_SCHEDULE__CHOOSE_EXECUTOR_HPP_
#define TAKT_SCHEDULE__CHOOSE_EXECUTOR_HPP_

#include <string>
#include <string_view>
#include <vector>

#include "takt_rt/result.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule
{

/// The result of `choose_executor`.
struct ExecutorChoice
{
  std::string name;          ///< name of the schedule's executor; empty: none fits these callbacks
  takt_rt::Faults warnings;  ///< executors that fit equally well, and `rules_of_others`
};

/// `ids`: of the callbacks; `name`: of the program's executor, by its first node; `nodes`: fully
/// qualified names of the nodes whose later callbacks the executor gets too.
ExecutorChoice choose_executor(
  const Schedule & schedule, const std::vector<std::string> & ids, std::string_view name,
  const std::vector<std::string> & nodes = {});

/// One warning for each other executor of the schedule that has one of these callbacks as an exact
/// id: its rule has no effect on the callback, which runs in executor `chosen`.
takt_rt::Faults rules_of_others(
  const Schedule & schedule, std::string_view chosen, const std::vector<std::string> & ids);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__CHOOSE_EXECUTOR_HPP_
