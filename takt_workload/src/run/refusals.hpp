// Joins the kernel's refusals for all threads that lack the same right. Set-up only.
#ifndef REFUSALS_HPP_
#define REFUSALS_HPP_

#include <string>
#include <string_view>
#include <vector>

#include "takt_rt/fault.hpp"

namespace takt_workload
{

/// Collects refusals, and makes one sentence for each missing right. Threads that differ only in
/// priority or nice value are joined: the largest demand is the right to grant.
class Refusals
{
public:
  /// Adds a `fault` of the thread `who`, which has `granted` instead (empty: unknown). Returns
  /// false, and ignores the fault, if it is not a refusal.
  bool take(
    const std::string & who, const takt_rt::Fault & fault, const std::string & granted = "");
  /// The same for the thread that the fault names; `before` precedes the thread's name. Ignores
  /// faults of the general kind, and returns false for them.
  bool take(const takt_rt::Fault & fault, const std::string & before = "");

  /// "hot.0, planner: SCHED_FIFO priority 60, 50 refused: why; instead they run as ...", in the
  /// order of addition.
  std::vector<std::string> sentences() const;

private:
  struct Thread
  {
    std::string name;
    std::string granted;
  };
  struct Group
  {
    takt_rt::Refusal key;        // without thread and number
    takt_rt::Refusal strongest;  // the refusal with the largest demand
    std::vector<int> numbers;    // priorities or nice values, each once
    std::vector<Thread> threads;
  };

  std::vector<Group> groups_;
};

/// "<failed>: <fault>", or one line for each fault, with refusals joined.
std::string with_grouped_refusals(std::string_view failed, const takt_rt::Faults & faults);

/// The path of the running program, quoted for a shell; empty if it cannot be read.
std::string own_program();

/// Adds the name of the program that needs the right to each refusal.
void name_program(takt_rt::Faults & faults, const std::string & program);

}  // namespace takt_workload

#endif  // REFUSALS_HPP_
