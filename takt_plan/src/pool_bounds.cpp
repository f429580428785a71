#include "takt_plan/pool_bounds.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "chain_ways.hpp"
#include "flow.hpp"
#include "pool_refusals.hpp"
#include "pool_solver.hpp"
#include "printed.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan
{
namespace
{

using detail::Stream;
using takt_core::Faults;
using takt_core::Result;
using takt_schedule::quoted;

/// The task whose end alone starts this one, without delay, on the same threads' executor.
Index after(const Model & model, Index index)
{
  const Task & task = model.tasks[index];
  if (task.release || task.triggers.size() != 1 || task.triggers.front().delay != 0) {
    return kNone;
  }
  const Index from = task.triggers.front().from;
  return model.tasks[from].threads == task.threads ? from : kNone;
}

std::vector<PooledTask> pooled_tasks(
  const Model & model, const detail::Flow & flow, const std::vector<std::string> & refusals)
{
  std::vector<PooledTask> result;
  for (Index index = 0; index < model.tasks.size(); ++index) {
    const Task & task = model.tasks[index];
    PooledTask pooled;
    for (const Index id : flow.streams.of(index)) {
      pooled.arrivals.push_back({flow.streams.all()[id].period, 0});
    }
    pooled.cost = task.cost();
    pooled.wake = task.dispatch;
    pooled.threads = task.threads;
    std::sort(pooled.threads.begin(), pooled.threads.end());
    const bool fifo = model.threads[task.threads.front()].order == takt_core::Order::fifo;
    pooled.priority = fifo ? 0 : task.priority;
    pooled.reentrant = task.group != kNone && !model.groups[task.group].exclusive;
    if (pooled.reentrant) {
      pooled.serial = add(task.dispatch, task.middleware);
    } else {
      pooled.group = task.group;
    }
    pooled.after = after(model, index);
    pooled.outside = !refusals[index].empty();
    result.push_back(std::move(pooled));
  }
  return result;
}

class Fixpoint
{
public:
  Fixpoint(const Model & model, const PoolOptions & options)
  : model_(model),
    horizon_(detail::horizon(model, options.horizon)),
    flow_(model),
    refusals_(detail::pool_refusals(model, flow_)),
    solver_(pooled_tasks(model, flow_, refusals_), horizon_, options.terms),
    released_(flow_.streams.all().size(), 0),
    position_(flow_.streams.all().size(), 0)
  {
    for (Index task = 0; task < model.tasks.size(); ++task) {
      const std::vector<Index> & streams = flow_.streams.of(task);
      for (Index i = 0; i < streams.size(); ++i) {
        position_[streams[i]] = i;
      }
    }
  }

  PooledBounds solve()
  {
    bool moved = true;
    for (int round = 0; moved; ++round) {
      moved = release(round);
      moved = solver_.sweep(round) || moved;
    }
    PooledBounds bounds;
    for (Index task = 0; task < model_.tasks.size(); ++task) {
      bounds.tasks.push_back(bound_of(task, flow_.streams.of(task)));
    }
    for (const Chain & chain : model_.chains) {
      const auto ways = detail::chain_ways(model_, flow_.streams, chain);
      bounds.chains.push_back(ways ? bound_of(chain.path.back(), *ways) : ways.faults());
    }
    return bounds;
  }

private:
  /// True if some release is later than it was.
  bool release(int round)
  {
    bool moved = false;
    for (const Index task : flow_.order) {
      for (const Index id : flow_.streams.of(task)) {
        const Ns late = latest_release(id);
        if (late != released_[id]) {
          released_[id] = round > detail::kMostRounds ? kUnbounded : late;
          solver_.set_jitter(task, position_[id], released_[id]);
          moved = true;
        }
      }
    }
    return moved;
  }

  Ns end(Index id) const { return solver_.end(flow_.streams.all()[id].task, position_[id]); }

  Ns latest_release(Index id) const
  {
    const Stream & stream = flow_.streams.all()[id];
    const Task & task = model_.tasks[stream.task];
    Ns latest = stream.from.empty() ? task.release->jitter : 0;
    for (const Stream::From & from : stream.from) {
      latest = std::max(latest, add(end(from.stream), task.triggers[from.link].delay));
    }
    return released_[id] == kUnbounded || latest > horizon_ ? kUnbounded : latest;
  }

  Result<Ns> bound_of(Index task, const std::vector<Index> & ways) const
  {
    if (!refusals_[task].empty()) {
      return Faults{refusals_[task]};
    }
    const std::string whom = quoted(model_.tasks[task].id);
    Ns bound = 0;
    for (const Index id : ways) {
      if (released_[id] == kUnbounded) {
        return Faults{whom + " has no bound because what starts it has none"};
      }
      bound = std::max(bound, end(id));
    }
    if (bound <= horizon_) {
      return bound;
    }
    if (solver_.given_up(task)) {
      return Faults{
        whom + " has no bound that " + std::to_string(detail::kMostSteps) +
        " steps for each task that shares its threads would find: they are nearly full, or very "
        "many releases come at once"};
    }
    return Faults{
      whom + " has no bound below " + detail::printed(horizon_) +
      ": its threads are overloaded or nearly so, or something that may delay it has no bound"};
  }

  const Model & model_;
  const Ns horizon_;
  const detail::Flow flow_;
  const std::vector<std::string> refusals_;
  detail::PoolSolver solver_;
  std::vector<Ns> released_;     // one per stream, at the latest
  std::vector<Index> position_;  // of each stream among those of its task
};

}  // namespace

Result<PooledBounds> pool_bounds(const Model & model, const PoolOptions & options)
{
  if (const takt_core::Status status = check(model); !status) {
    return status.faults();
  }
  return Fixpoint(model, options).solve();
}

}  // namespace takt_plan
