// The equations of executor_bounds.hpp for callers that repeat them and limit the whole, and for those
// that ask what a bound is the sum of.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__ROUND_ROBIN_HPP_
#define TAKT_PLAN__SRC__ROUND_ROBIN_HPP_

#include <vector>

#include "analysis/limits.hpp"
#include "takt_plan/executor_bounds.hpp"

namespace takt_plan::detail
{

/// The least interval that gives so much work to the thread, `length` long as far as is known.
inline Ns time_for(const Service & service, Ns work, Ns length)
{
  return service.supply.time_for(add(work, service.taken_in(length)));
}

/// Of which activation the response is the longest, and when things happen then. Times count from the
/// beginning of the interval that the equation looks at.
struct WorstCase
{
  Ns response = kUnbounded;
  Ns offset = 0;  ///< of the activation
  Ns start = 0;   ///< everything that goes before it was released before that
  Ns end = 0;
};

/// kUnbounded also for what is not found before `steps` run out, here and below.
WorstCase nonpreemptive_worst_case(
  const Service & service, const Demand & own, const std::vector<Demand> & interferers, Ns blocking,
  Ns horizon, Steps & steps);

inline Ns nonpreemptive_bound(
  const Service & service, const Demand & own, const std::vector<Demand> & interferers, Ns blocking,
  Ns horizon, Steps & steps)
{
  return nonpreemptive_worst_case(service, own, interferers, blocking, horizon, steps).response;
}

/// What may run before a task, as positions.
struct Ahead
{
  std::vector<std::size_t> others;  ///< that go before it whenever they are there
  std::size_t blocking = kNone;     ///< the longest of those of which one run may have begun
};

/// Of a task that is not polled.
Ahead ahead_of_polled(const std::vector<ExecutorTask> & tasks, std::size_t own);

std::vector<Ns> round_robin_bounds(
  const Service & service, const std::vector<ExecutorTask> & tasks, Ns horizon,
  const RoundRobinTerms & terms, Steps & steps);

/// Where `window_steps` run out it is Theorem 2 alone: a nearly full thread has very long windows.
std::vector<Ns> round_robin_or_busy_window_bounds(
  const Service & service, const std::vector<ExecutorTask> & tasks, Ns horizon, Steps & steps,
  Steps & window_steps);

/// Where the bound of a run of tasks up to one of them comes from.
struct RunBound
{
  enum class By
  {
    sum,         ///< the bound up to the task before it, and its own
    window,      ///< Theorem 3
    round_robin  ///< Theorem 2
  };
  By by = By::sum;
  Ns bound = 0;
  Ns points = 0;  ///< of Theorem 3
  Ns prefix = 0;  ///< of Theorem 3: the bound up to the task before it
};

/// With `parts`, also what it is for each task of the run; nothing if it is unbounded from the start.
Ns run_bound(
  const Service & service, const std::vector<ExecutorTask> & tasks, const TaskRun & run,
  const std::vector<Ns> & bounds, Ns horizon, const BusyWindowTerms & terms, Steps & steps,
  std::vector<RunBound> * parts = nullptr);

/// Theorem 2 with assumed bounds, for a run of tasks. Keeps references; allocates nothing.
class RoundRobin
{
public:
  RoundRobin(
    const std::vector<ExecutorTask> & tasks, const TaskRun & run, const std::vector<Ns> & bounds,
    const RoundRobinTerms & terms);

  /// Runs of a task before the run's last one, in an interval of `length`: of that one itself, earlier
  /// ones.
  Ns runs(std::size_t task, Ns length) const;

  WorstCase worst_case(const Service & service, Ns horizon, Steps & steps) const;

private:
  Ns work(Ns length) const;

  const std::vector<ExecutorTask> & tasks_;
  const std::vector<Ns> & bounds_;
  const RoundRobinTerms terms_;
  const std::size_t own_;  // the last of the run
  Ns most_ = 0;            // runs of another polled task
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ROUND_ROBIN_HPP_
