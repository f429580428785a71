// What the kernel refused, said once for all threads that lack the same right. Set-up only.
#ifndef REFUSALS_HPP_
#define REFUSALS_HPP_

#include <string>
#include <string_view>
#include <vector>

#include "takt_rt/fault.hpp"

namespace takt_workload
{

/// Collects refusals, and says each right that is missing once. Threads that differ only in priority or
/// nice value belong together: the strongest demand says what to grant.
class Refusals
{
public:
  /// `fault` of the thread `who`, which has `granted` instead (empty: not known). False, and nothing
  /// taken, if the kernel refused nothing.
  bool take(
    const std::string & who, const takt_rt::Fault & fault, const std::string & granted = "");
  /// The same of the thread that the fault itself names, after `before`. Faults of the general kind are
  /// not taken.
  bool take(const takt_rt::Fault & fault, const std::string & before = "");

  /// "hot.0, planner: SCHED_FIFO priority 60, 50 refused: why; instead they run as ...", in order of
  /// appearance.
  std::vector<std::string> sentences() const;

private:
  struct Thread
  {
    std::string name;
    std::string granted;
  };
  struct Group
  {
    takt_rt::Refusal key;        // of no thread, without its number
    takt_rt::Refusal strongest;  // the demand that says what to grant
    std::vector<int> numbers;    // priorities or nice values, each once
    std::vector<Thread> threads;
  };

  std::vector<Group> groups_;
};

/// "<failed>: <fault>" or a line for each fault, with the refusals put together.
std::string with_grouped_refusals(std::string_view failed, const takt_rt::Faults & faults);

/// The path of the running program, as a shell takes it; empty if it cannot be read.
std::string own_program();

/// Says in each refusal to which program to grant the right.
void name_program(takt_rt::Faults & faults, const std::string & program);

}  // namespace takt_workload

#endif  // REFUSALS_HPP_
