#include "analysis/pool/pool_solver.hpp"

#include <algorithm>
#include <utility>

#include "analysis/fixed_point.hpp"

namespace takt_plan::detail
{
namespace
{

std::vector<PooledTask> checked(std::vector<PooledTask> tasks)
{
  for (PooledTask & task : tasks) {
    task.cost = std::max<Ns>(task.cost, 1);
    task.outside = task.outside || task.threads.empty();
  }
  return tasks;
}

Ns less_one(Ns count)
{
  return count == kUnbounded || count == 0 ? count : count - 1;
}

/// The largest x with threads x <= sum of min(work, x) + rest.
Ns waiting(Ns threads, std::vector<Ns> work, Ns rest)
{
  std::sort(work.begin(), work.end());
  // Assumes that the longest groups are above x: as many as needed, at most all threads but one.
  const Index most = std::min<Index>(work.size(), static_cast<Index>(threads - 1));
  Ns sum = rest;
  for (Index i = 0; i + most < work.size(); ++i) {
    sum = add(sum, work[i]);
  }
  Ns longest = sum == kUnbounded ? kUnbounded : sum / (threads - static_cast<Ns>(most));
  for (Index above = most; above > 0; --above) {
    const Ns next = work[work.size() - above];
    sum = add(sum, next);
    if (next > longest || sum == kUnbounded) {
      break;
    }
    longest = sum / (threads - static_cast<Ns>(above) + 1);
  }
  return longest;
}

}  // namespace

struct PoolSolver::Blocking
{
  Ns longest = 0;          ///< of the longest runs, all together
  Ns reentrant = 0;        ///< of reentrant tasks, and
  std::vector<Ns> groups;  ///< of exclusive groups, with their more urgent work
};

PoolSolver::PoolSolver(std::vector<PooledTask> tasks, Ns horizon, const PoolTerms & terms)
: tasks_(checked(std::move(tasks))),
  terms_(terms),
  horizon_(horizon),
  relations_(tasks_),
  pool_(relations_.pools()),
  bounds_(tasks_.size()),
  left_(relations_.groups(), 0),
  lower_(relations_.groups(), 0)
{
  std::vector<std::size_t> sizes(tasks_.size(), 0);
  for (Index task = 0; task < tasks_.size(); ++task) {
    ++sizes[pool_[task]];
    for (std::vector<Index> & run : relations_.runs(task)) {
      Ns least = 0;
      for (const Index member : run) {
        least = add(least, tasks_[member].cost);
      }
      bounds_[task].push_back({std::move(run), tasks_[task].outside ? kUnbounded : least});
    }
  }
  for (const std::size_t size : sizes) {
    steps_.emplace_back(size);
  }
}

void PoolSolver::set_jitter(Index task, Index source, Ns jitter)
{
  tasks_[task].arrivals[source].jitter = jitter;
}

bool PoolSolver::sweep(int round)
{
  bool moved = false;
  for (Index task = 0; task < tasks_.size(); ++task) {
    for (Bound & bound : bounds_[task]) {
      if (bound.response == kUnbounded) {
        continue;
      }
      const Ns response = bound_of(bound, steps_[pool_[task]]);
      if (response > bound.response) {
        bound.response = response > horizon_ || round > kMostRounds ? kUnbounded : response;
        moved = true;
      }
    }
  }
  return moved;
}

PooledResponse PoolSolver::response(Index task) const
{
  PooledResponse result;
  result.response = bounds_[task].front().response;
  Ns best = kUnbounded;
  for (const Bound & bound : bounds_[task]) {
    for (const Arrivals & source : tasks_[bound.run.front()].arrivals) {
      const Ns end = add(source.jitter, bound.response);
      if (result.first == kNone || end < best) {
        best = end;
        result.first = bound.run.front();
        result.from_first = bound.response;
      }
    }
  }
  return result;
}

Ns PoolSolver::end(Index task, Index source) const
{
  Ns end = kUnbounded;
  for (const Bound & bound : bounds_[task]) {
    const std::vector<Arrivals> & first = tasks_[bound.run.front()].arrivals;
    if (source < first.size()) {
      end = std::min(end, add(first[source].jitter, bound.response));
    }
  }
  return end;
}

// ---- the equations ----

Ns PoolSolver::bound_of(const Bound & bound, Steps & steps)
{
  for (Index i = 0; i < tasks_.size(); ++i) {
    steps.take();
  }
  const PoolScope scope = pool_scope(tasks_, relations_, bound.run, terms_.group);
  const Ns cost = tasks_[bound.run.back()].cost;
  const Ns length = fixed_point(bound.response - cost + 1, horizon_, steps, [&](Ns window) {
    return add(delay(scope, window, steps), 1);
  });
  return length == kUnbounded ? kUnbounded : add(length - 1, cost);
}

void PoolSolver::Sums::park(Ns time, TermKind kind, Index task)
{
  parked = add(parked, time);
  if (record != nullptr) {
    add_term(record->parked, {kind, time, task});
  }
}

void PoolSolver::Sums::keep_busy(Ns work, Index task)
{
  rest = add(rest, work);
  if (record != nullptr && work > 0) {
    record->rest.push_back({{task}, false, work});
  }
}

/// f(v). With `terms`, also adds its terms.
Ns PoolSolver::delay(const PoolScope & scope, Ns length, Steps & steps, BoundTerms * terms)
{
  Record record;
  Sums sums;
  sums.record = terms == nullptr ? nullptr : &record;
  add_own(scope, length, sums);
  add_mates(scope, length, sums, steps);
  work_.clear();
  for (const std::vector<PoolOther> & group : scope.groups) {
    Ns work = 0;
    for (const PoolOther & other : group) {
      work = add(work, multiply(runs_of(scope, other, length, steps), tasks_[other.task].cost));
    }
    work_.push_back(work);
  }
  for (const PoolOther & other : scope.reentrant) {
    const Ns runs = runs_of(scope, other, length, steps);
    sums.keep_busy(multiply(runs, tasks_[other.task].cost), other.task);
  }
  const Ns waited = waiting_of(scope, length, sums, steps);
  if (steps.none()) {
    return kUnbounded;
  }
  const Ns waits = add(static_cast<Ns>(scope.run.size()), sums.returns);
  const Ns woken = terms_.wake ? multiply(multiply(waits, scope.threads - 1), scope.wake) : 0;
  if (terms != nullptr) {
    *terms = recorded(scope, length, record, waited, woken, steps);
  }
  const Ns fixed = add(add(scope.before, sums.parked), woken);
  return add(fixed, waited);
}

/// Adds other activations of the run's own tasks.
void PoolSolver::add_own(const PoolScope & scope, Ns length, Sums & sums) const
{
  if (!terms_.queued) {
    return;
  }
  for (const Index task : scope.run) {
    const Ns within = less_one(released_within(task, length));
    // Counts activations before the run's own one. If they may overtake each other, counts all.
    const Ns earlier = scope.overtaken ? within : std::min(less_one(released_before(task)), within);
    const Ns all = task == scope.run.back() ? earlier : within;
    const PooledTask & own = tasks_[task];
    if (own.reentrant) {
      sums.keep_busy(multiply(all, own.cost), task);
      sums.park(multiply(all, own.serial), TermKind::activations, task);
      sums.returns = add(sums.returns, own.serial == 0 ? 0 : all);
    } else {
      sums.park(multiply(earlier, own.cost), TermKind::activations, task);
      sums.returns = add(sums.returns, earlier);
      sums.keep_busy(multiply(all == kUnbounded ? kUnbounded : all - earlier, own.cost), task);
    }
  }
}

/// Adds members of the exclusive group.
void PoolSolver::add_mates(const PoolScope & scope, Ns length, Sums & sums, Steps & steps) const
{
  for (const PoolOther & mate : scope.mates) {
    const Ns runs = runs_of(scope, mate, length, steps);
    sums.park(multiply(runs, tasks_[mate.task].cost), TermKind::parked, mate.task);
    sums.returns = add(sums.returns, runs);
  }
  for (const PoolOther & mate : scope.abroad) {
    const Ns runs = runs_of(scope, mate, length, steps);
    sums.park(multiply(runs, bounds_[mate.task].front().response), TermKind::parked, mate.task);
    sums.returns = add(sums.returns, runs);
  }
  if (scope.mate_slipping > 0) {
    const Ns slips = add(sums.returns, 1);
    sums.park(multiply(slips, scope.mate_slipping), TermKind::parked, kNone);
    sums.returns = add(sums.returns, slips);
  }
  if (scope.mate_begun > 0) {
    sums.park(scope.mate_begun, TermKind::parked, kNone);
    sums.returns = add(sums.returns, 1);
  }
}

/// Less urgent work that had begun: `most` runs, and `each` of one exclusive group.
PoolSolver::Blocking PoolSolver::blocking(
  const PoolScope & scope, Ns length, Ns most, Ns each, bool equals, Steps & steps)
{
  for (const PoolOther & other : scope.lower) {
    if (const Index group = relations_.group(other.task); group != kNone) {
      left_[group] = each;
      lower_[group] = 0;
    }
  }
  Blocking result;
  Ns left = most;
  for (const PoolOther & other : scope.lower) {
    if (other.equal && !equals) {
      continue;
    }
    steps.take();
    const Ns cost = tasks_[other.task].cost;
    Ns runs = std::min(most, released_within(other.task, length));
    if (const Index group = relations_.group(other.task); group != kNone) {
      runs = std::min(runs, left_[group]);
      left_[group] -= runs;
      lower_[group] = add(lower_[group], multiply(runs, cost));
    } else {
      result.reentrant = add(result.reentrant, multiply(runs, cost));
    }
    runs = std::min(left, runs);
    left -= runs;
    result.longest = add(result.longest, multiply(runs, cost));
  }
  for (Index i = 0; i < scope.groups.size(); ++i) {
    Ns & lower = lower_[relations_.group(scope.groups[i].front().task)];
    result.groups.push_back(add(work_[i], lower));
    lower = 0;
  }
  for (const PoolOther & other : scope.lower) {
    if (const Index group = relations_.group(other.task); group != kNone && lower_[group] > 0) {
      result.groups.push_back(lower_[group]);
      lower_[group] = 0;
    }
  }
  return result;
}

/// x: several limits of less urgent work hold, so the smallest result counts.
Ns PoolSolver::waiting_of(const PoolScope & scope, Ns length, const Sums & sums, Steps & steps)
{
  const Ns threads = scope.threads;
  Ns least = kUnbounded;
  const auto limit = [&](const std::vector<Ns> & groups, Ns rest) {
    const Ns longest = waiting(threads, groups, rest);
    if (longest < least && sums.record != nullptr) {
      sums.record->busy = rest;
      for (const Ns work : groups) {
        sums.record->busy = add(sums.record->busy, std::min(work, longest));
      }
    }
    least = std::min(least, longest);
  };
  if (!terms_.blocking) {
    limit(work_, sums.rest);
    return least;
  }
  Ns urgent = add(sums.rest, sums.parked);
  for (const Ns work : work_) {
    urgent = add(urgent, work);
  }
  const Ns tasks = terms_.again ? static_cast<Ns>(scope.run.size()) - 1 : 0;
  const Ns returns = terms_.while_parked ? sums.returns : 0;
  const Ns times = add(tasks, returns);
  const Ns later =
    add(multiply(tasks, threads - 1), multiply(returns, scope.spans ? threads : threads - 1));
  const bool equals = returns > 0;

  Ns again = 0;
  if (later > 0) {
    again = blocking(scope, length, later, times, equals, steps).longest;
    if (!scope.spans) {
      again = std::min(again, multiply(threads - 1, urgent));
    }
    Blocking all = blocking(scope, length, add(threads, later), add(times, 1), equals, steps);
    limit(work_, add(sums.rest, all.longest));
    limit(all.groups, add(sums.rest, all.reentrant));
  }
  Blocking first = blocking(scope, length, threads, 1, false, steps);
  const Ns rest = add(sums.rest, again);
  limit(first.groups, add(rest, first.reentrant));
  limit(work_, add(rest, first.longest));
  return least;
}

/// The largest number of runs of a task, as urgent or more, that may delay.
Ns PoolSolver::runs_of(
  const PoolScope & scope, const PoolOther & other, Ns length, Steps & steps) const
{
  steps.take();
  const bool before = other.equal || (other.started && !scope.overtaken);
  const Ns runs = before ? released_before(other.task) : released_within(other.task, length);
  return other.started ? less_one(runs) : runs;
}

/// Activations that were nominally released up to an instant and have not ended by then.
Ns PoolSolver::released_before(Index task) const
{
  return released_within(task, 1);
}

/// Activations that were nominally released before `length` after an instant, and have not ended by
/// the instant.
Ns PoolSolver::released_within(Index task, Ns length) const
{
  if (tasks_[task].outside) {
    return kUnbounded;
  }
  Ns sum = 0;
  for (Index source = 0; source < tasks_[task].arrivals.size(); ++source) {
    const Arrivals & arrivals_of = tasks_[task].arrivals[source];
    const Ns span = terms_.carry_in ? end(task, source) : add(arrivals_of.jitter, 1);
    sum = add(sum, arrivals(add(span, length - 1), arrivals_of.period, 0));
  }
  return sum;
}

}  // namespace takt_plan::detail

namespace takt_plan
{

std::vector<PooledResponse> pooled_responses(
  const std::vector<PooledTask> & tasks, Ns horizon, const PoolTerms & terms)
{
  detail::PoolSolver solver(tasks, std::min(horizon, kUnbounded - 1), terms);
  for (int round = 0; solver.sweep(round); ++round) {
  }
  std::vector<PooledResponse> result;
  for (Index task = 0; task < tasks.size(); ++task) {
    result.push_back(solver.response(task));
  }
  return result;
}

}  // namespace takt_plan
