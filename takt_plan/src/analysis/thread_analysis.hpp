// The analysis of one thread that runs its tasks to their end: the equations of executor_bounds.hpp
// over the service of thread_service.hpp. The thread's order decides:
//
// - `window`: round robin, as window_bounds.hpp says;
// - `priority`: non-preemptive work. Tasks of the same priority or above interfere. One run of a
//   lower priority, which may have begun just before, blocks;
// - `fifo`: non-preemptive work. All other tasks interfere, also those that are released later. No
//   run blocks beyond that, because each run that had begun was released.
//
// A task that another task starts counts by the lateness of its own releases, on any thread. So the
// analysis knows of tasks that start each other only the latest time of each start.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__THREAD_ANALYSIS_HPP_
#define TAKT_PLAN__SRC__THREAD_ANALYSIS_HPP_

#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/limits.hpp"
#include "analysis/local_analysis.hpp"
#include "analysis/thread_service.hpp"
#include "analysis/window/round_robin.hpp"
#include "takt_plan/executor_bounds.hpp"

namespace takt_plan::detail
{

class ThreadAnalysis : public LocalAnalysis
{
public:
  /// Covers the tasks whose first thread this is. `kind`: window or deadline.
  ThreadAnalysis(
    const Model & model, const Flow & flow, Index thread, Analysis kind,
    const BoundsOptions & options);

  std::string refusal(Index task) const override;
  const std::vector<Ns> & responses(const Lateness & lateness) override;
  Ns end(Index stream, Ns released, Ns response) const override;
  BoundTerms terms(Index task) override;
  std::vector<LocalPart> parts(Index stream) override;
  std::string reason(Index task) const override;

private:
  /// The tasks of this thread, as positions, that start each other up to the task of a stream.
  struct Run
  {
    TaskRun tasks;
    Index head = kNone;  // stream of the first
  };

  std::string find_refusal() const;
  std::vector<Demand> demands(const Lateness & lateness);
  void solve();
  std::vector<ExecutorTask> polled_tasks() const;
  void solve_window();
  void bound_runs(const std::vector<ExecutorTask> & executor);
  Run run_up_to(Index stream) const;
  // The terms of bounds: thread_terms.cpp.
  void bound_runs_again(const std::vector<ExecutorTask> & executor);
  BoundTerms terms_in_order(Index own, const Ahead & ahead) const;
  BoundTerms terms_by_polling(
    const std::vector<ExecutorTask> & executor, const TaskRun & run, const RunBound & by) const;
  BoundTerms terms_of(
    const TaskRun & run, const std::vector<Ns> & runs, Index blocking,
    const WorstCase & worst) const;
  bool continues(Index stream) const;
  Ns late_in_window(Index stream) const;
  void solve_in_order();
  Ahead ahead_in_order(Index own) const;

  const Model & model_;
  const Flow & flow_;
  const Index thread_;
  const RoundRobinTerms window_terms_;
  const bool round_robin_only_;
  const ThreadTerms terms_;
  const Ns horizon_;
  ThreadService service_;
  std::string refusal_;  // of the whole thread
  std::vector<Demand> demands_;
  Service given_ = Supply::dedicated();  // of the last round
  bool solved_ = false;
  std::vector<Ns> responses_;
  // Of each task of the model among the covered tasks; kNone: not covered.
  std::vector<Index> position_;
  std::unordered_map<Index, Ns> released_;  // per stream of these tasks, in the last round
  // Per stream: the end of a run of tasks, if the run has several.
  std::unordered_map<Index, Ns> ends_;
  Steps steps_;
  Steps window_steps_;  // of the second theorem, which only makes bounds smaller
  Steps run_steps_;     // the steps that were left before runs of tasks were examined
  // After the first question for terms.
  std::unordered_map<Index, std::vector<RunBound>> run_bounds_;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__THREAD_ANALYSIS_HPP_
