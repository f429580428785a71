// Finds the terms of the bounds of PoolSolver and PoolAnalysis: evaluates the equation once more,
// with the bounds that are known by now.
#include <algorithm>
#include <numeric>
#include <utility>

#include "analysis/pool/pool_analysis.hpp"
#include "analysis/pool/pool_solver.hpp"

namespace takt_plan::detail
{

PoolParts PoolSolver::parts_of_response(Index task)
{
  return parts_of(bounds_[task].front());
}

PoolParts PoolSolver::parts_of_end(Index task, Index source)
{
  const Ns least = end(task, source);
  for (const Bound & bound : bounds_[task]) {
    const std::vector<Arrivals> & first = tasks_[bound.run.front()].arrivals;
    if (source < first.size() && add(first[source].jitter, bound.response) == least) {
      PoolParts parts = parts_of(bound);
      parts.end = least;
      return parts;
    }
  }
  return {};
}

PoolParts PoolSolver::parts_of(const Bound & bound)
{
  PoolParts parts;
  parts.run = bound.run;
  const PoolScope scope = pool_scope(tasks_, relations_, bound.run, terms_.group);
  Steps steps(tasks_.size());
  const Ns length = bound.response - tasks_[bound.run.back()].cost + 1;
  delay(scope, length, steps, &parts.terms);
  return parts;
}

BoundTerms PoolSolver::recorded(
  const PoolScope & scope, Ns length, const Record & record, Ns waited, Ns woken,
  Steps & steps) const
{
  BoundTerms terms = record.parked;
  BoundTerm busy{TermKind::threads_busy, waited};
  busy.threads = static_cast<Index>(scope.threads);
  busy.busy = record.rest;
  for (Index i = 0; i < scope.groups.size(); ++i) {
    BusyWork work{{}, false, std::min(work_[i], waited)};
    for (const PoolOther & other : scope.groups[i]) {
      if (runs_of(scope, other, length, steps) > 0) {
        work.tasks.push_back(other.task);
      }
    }
    if (work.time > 0) {
      busy.busy.push_back(std::move(work));
    }
  }
  const Ns had_begun = std::accumulate(
    busy.busy.begin(), busy.busy.end(), record.busy,
    [](Ns left, const BusyWork & work) { return left - work.time; });
  if (had_begun > 0) {
    busy.busy.push_back({{}, true, had_begun});
  }
  add_term(terms, busy);
  add_term(terms, {TermKind::waking, woken});
  return terms;
}

BoundTerms PoolAnalysis::with_own_work(const PoolParts & parts) const
{
  Ns own = 0;
  Ns overhead = 0;
  for (const Index member : parts.run) {
    const Task & task = model_.tasks[tasks()[member]];
    const Ns cost = std::max<Ns>(task.cost(), 1);
    own += cost;
    overhead += std::min(cost, add(task.dispatch, task.middleware));
  }
  BoundTerms terms;
  add_term(terms, {TermKind::work, own - overhead});
  add_term(terms, {TermKind::overhead, overhead});
  for (BoundTerm term : parts.terms) {
    term.task = term.task == kNone ? kNone : tasks()[term.task];
    for (BusyWork & work : term.busy) {
      for (Index & task : work.tasks) {
        task = tasks()[task];
      }
    }
    terms.push_back(std::move(term));
  }
  return terms;
}

BoundTerms PoolAnalysis::terms(Index task)
{
  return with_own_work(solver_.parts_of_response(position_[task]));
}

std::vector<LocalPart> PoolAnalysis::parts(Index stream)
{
  const Index task = position_[flow_.streams.all()[stream].task];
  const PoolParts found = solver_.parts_of_end(task, source_[stream]);
  LocalPart part;
  for (const Index member : found.run) {
    part.tasks.push_back(tasks()[member]);
  }
  part.terms = with_own_work(found);
  add_term(part.terms, {TermKind::not_before, std::max<Ns>(0, released_[stream] - found.end)});
  return {part};
}

}  // namespace takt_plan::detail
