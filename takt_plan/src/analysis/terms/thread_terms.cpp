// Finds the terms of the bounds of ThreadAnalysis: evaluates the equations once more at their worst
// case, with the bounds that are known by now.
#include <algorithm>
#include <utility>

#include "analysis/thread_analysis.hpp"
#include "analysis/window/thread_window.hpp"

namespace takt_plan::detail
{

BoundTerms ThreadAnalysis::terms(Index task)
{
  const Index own = position_[task];
  if (model_.threads[thread_].order != takt_core::Order::window) {
    return terms_in_order(own, ahead_in_order(own));
  }
  const std::vector<ExecutorTask> executor = polled_tasks();
  if (!executor[own].polled) {
    Ahead ahead = ahead_of_polled(executor, own);
    if (round_robin_only_ && !window_terms_.blocking) {
      ahead.blocking = kNone;
    }
    return terms_in_order(own, ahead);
  }
  // The bound is that of one of the two theorems. Find out which.
  Steps steps(tasks().size());
  const RoundRobinTerms counted = round_robin_only_ ? window_terms_ : RoundRobinTerms{};
  const Ns round_robin =
    RoundRobin(executor, {own}, responses_, counted).worst_case(given_, horizon_, steps).response;
  RunBound by{RunBound::By::round_robin, responses_[own], 0, 0};
  if (round_robin != responses_[own]) {
    by.by = RunBound::By::window;
    by.points = executor[own].demand.releases(responses_[own]);
  }
  return terms_by_polling(executor, {own}, by);
}

std::vector<LocalPart> ThreadAnalysis::parts(Index stream)
{
  const Index task = flow_.streams.all()[stream].task;
  const Ns released = released_.at(stream);
  const auto found = ends_.find(stream);
  if (found == ends_.end() || add(released, responses_[position_[task]]) <= found->second) {
    return {{{task}, terms(task)}};
  }
  const std::vector<ExecutorTask> executor = polled_tasks();
  if (run_bounds_.empty()) {
    bound_runs_again(executor);
  }
  const std::vector<RunBound> & bounds = run_bounds_.at(stream);
  std::vector<LocalPart> parts;
  TaskRun run = run_up_to(stream).tasks;
  while (!run.empty()) {
    const RunBound & last = bounds[run.size() - 1];
    LocalPart part;
    if (last.by == RunBound::By::sum) {
      part = {{tasks()[run.back()]}, terms(tasks()[run.back()])};
      run.pop_back();
    } else {
      for (const std::size_t member : run) {
        part.tasks.push_back(tasks()[member]);
      }
      part.terms = terms_by_polling(executor, run, last);
      run.clear();
    }
    parts.insert(parts.begin(), std::move(part));
  }
  add_term(parts.back().terms, {TermKind::not_before, std::max<Ns>(0, released - found->second)});
  return parts;
}

/// Repeats `bound_runs` with as many steps left, and notes the theorem that gave each bound.
void ThreadAnalysis::bound_runs_again(const std::vector<ExecutorTask> & executor)
{
  Steps steps = run_steps_;
  for (const Index task : tasks()) {
    for (const Index id : flow_.streams.of(task)) {
      const Run run = run_up_to(id);
      if (run.tasks.size() > 1) {
        run_bound(given_, executor, run.tasks, responses_, horizon_, {}, steps, &run_bounds_[id]);
      }
    }
  }
}

BoundTerms ThreadAnalysis::terms_in_order(Index own, const Ahead & ahead) const
{
  Steps steps(tasks().size());
  std::vector<Demand> interferers;
  for (const std::size_t other : ahead.others) {
    interferers.push_back(demands_[other]);
  }
  const Ns blocking = ahead.blocking == kNone ? 0 : demands_[ahead.blocking].cost;
  const WorstCase worst =
    nonpreemptive_worst_case(given_, demands_[own], interferers, blocking, horizon_, steps);
  std::vector<Ns> runs(tasks().size(), 0);
  runs[own] = demands_[own].releases(worst.offset + 1) - 1;
  for (const std::size_t other : ahead.others) {
    runs[other] = demands_[other].releases(worst.start);
  }
  return terms_of({own}, runs, ahead.blocking, worst);
}

BoundTerms ThreadAnalysis::terms_by_polling(
  const std::vector<ExecutorTask> & executor, const TaskRun & run, const RunBound & by) const
{
  Steps steps(tasks().size());
  WorstCase worst;
  std::vector<Ns> runs;
  if (by.by == RunBound::By::window) {
    const ThreadWindow window(given_, executor, horizon_, {}, steps);
    worst = window.worst_case(run.back(), by.points, by.prefix);
    for (std::size_t x = 0; x < executor.size(); ++x) {
      runs.push_back(window.runs(x, run.back(), worst.offset, by.points, worst.start));
    }
  } else {
    const RoundRobinTerms counted = round_robin_only_ ? window_terms_ : RoundRobinTerms{};
    const RoundRobin round_robin(executor, run, responses_, counted);
    worst = round_robin.worst_case(given_, horizon_, steps);
    for (std::size_t x = 0; x < executor.size(); ++x) {
      runs.push_back(round_robin.runs(x, worst.start));
    }
  }
  return terms_of(run, runs, kNone, worst);
}

/// `runs`: for each task the number of its runs before the last run of `run`. For a task of `run`
/// one of these is the run's own.
BoundTerms ThreadAnalysis::terms_of(
  const TaskRun & run, const std::vector<Ns> & runs, Index blocking, const WorstCase & worst) const
{
  Ns own = 0;
  Ns overhead = 0;
  for (const std::size_t member : run) {
    const Task & task = model_.tasks[tasks()[member]];
    own += demands_[member].cost;
    overhead += std::min(demands_[member].cost, add(task.dispatch, task.middleware));
  }
  BoundTerms terms;
  add_term(terms, {TermKind::work, own - overhead});
  add_term(terms, {TermKind::overhead, overhead});
  if (blocking != kNone) {
    add_term(terms, {TermKind::blocking, demands_[blocking].cost, tasks()[blocking]});
  }
  for (const bool others : {false, true}) {
    for (std::size_t x = 0; x < runs.size(); ++x) {
      const bool member = std::find(run.begin(), run.end(), x) != run.end();
      if (member != others) {
        const Ns more = member && x != run.back() ? runs[x] - 1 : runs[x];
        const TermKind kind = others ? TermKind::same_thread : TermKind::activations;
        add_term(terms, {kind, more * demands_[x].cost, tasks()[x]});
      }
    }
  }
  for (const BoundTerm & term : service_.terms(given_, worst.end, sum_of(terms))) {
    terms.push_back(term);
  }
  add_term(terms, {TermKind::head_start, worst.response - worst.end});
  return terms;
}

}  // namespace takt_plan::detail
