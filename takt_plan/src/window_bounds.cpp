#include "takt_plan/window_bounds.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "chain_ways.hpp"
#include "flow.hpp"
#include "printed.hpp"
#include "round_robin.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan
{
namespace
{

using detail::Stream;
using takt_core::Faults;
using takt_core::Order;
using takt_core::Result;
using takt_schedule::quoted;

class Solver
{
public:
  Solver(const Model & model, const WindowOptions & options)
  : model_(model),
    terms_(options.terms),
    horizon_(detail::horizon(model, options.horizon)),
    flow_(model),
    refusals_(model.tasks.size()),
    responses_(model.tasks.size(), 0),
    released_(flow_.streams.all().size(), 0)
  {
  }

  WindowBounds solve()
  {
    for (Index task = 0; task < model_.tasks.size(); ++task) {
      refusals_[task] = refuse(task);
      responses_[task] = refusals_[task].empty() ? model_.tasks[task].cost() : kUnbounded;
    }
    for (Index thread = 0; thread < model_.threads.size(); ++thread) {
      steps_.emplace_back(flow_.segments.tasks_of(thread).size());
    }
    for (int round = 0; iterate(round); ++round) {
    }
    WindowBounds bounds;
    for (Index task = 0; task < model_.tasks.size(); ++task) {
      bounds.tasks.push_back(bound_of(task, flow_.streams.of(task)));
    }
    for (const Chain & chain : model_.chains) {
      const auto ways = detail::chain_ways(model_, flow_.streams, chain);
      bounds.chains.push_back(ways ? bound_of(chain.path.back(), ways->streams) : ways.faults());
    }
    return bounds;
  }

private:
  // ---- what is outside of the theorem ----

  std::string refuse(Index index) const
  {
    const Task & task = model_.tasks[index];
    if (task.threads.size() > 1) {
      return quoted(task.id) + " may run on any of " + std::to_string(task.threads.size()) +
             " threads; this analysis needs one thread for each callback";
    }
    const Index thread = task.threads.front();
    std::string reason = refuse_thread(thread);
    for (const Index other : flow_.segments.tasks_of(thread)) {
      if (!reason.empty()) {
        break;
      }
      if (model_.tasks[other].threads.size() > 1) {
        reason = quoted(model_.tasks[other].id) + " may run on it and on others";
      } else if (flow_.segments.spanned(other)) {
        reason = quoted(model_.tasks[other].id) + " is in an exclusive group that spans threads";
      } else if (model_.tasks[other].newest) {
        reason = quoted(model_.tasks[other].id) + " waits for a set of newest messages";
      } else if (flow_.streams.too_many(other)) {
        reason = detail::too_many_ways(quoted(model_.tasks[other].id));
      }
    }
    return reason.empty() ? ""
                          : quoted(task.id) + " runs on thread " +
                              quoted(model_.threads[thread].name) + ": " + reason;
  }

  std::string refuse_thread(Index index) const
  {
    const Thread & thread = model_.threads[index];
    if (thread.order != Order::window) {
      return "its order is " + std::string(takt_core::to_string(thread.order)) +
             "; this analysis needs window";
    }
    if (thread.kind != ThreadClass::fixed_priority || thread.follow || thread.cores.size() != 1) {
      return "this analysis needs policy fifo or rr, a fixed OS priority and one core";
    }
    const Index core = thread.cores.front();
    for (const Index other : flow_.segments.threads_on(core)) {
      const Thread & beside = model_.threads[other];
      if (other != index && disturbs(beside, other, thread)) {
        return "thread " + quoted(beside.name) + " may take " + model_.core_name(core) + " from it";
      }
    }
    for (const OtherLoad & other : model_.others) {
      const bool here =
        std::find(other.cores.begin(), other.cores.end(), core) != other.cores.end();
      if (here && other.priority >= thread.priority) {
        return "thread " + quoted(other.name) + " may take " + model_.core_name(core) + " from it";
      }
    }
    return {};
  }

  bool disturbs(const Thread & other, Index index, const Thread & thread) const
  {
    const auto & tasks = flow_.segments.tasks_of(index);
    const bool at_ceiling =
      other.ceiling != 0 && std::any_of(tasks.begin(), tasks.end(), [&](Index task) {
        return model_.tasks[task].middleware > 0;
      });
    return at_ceiling || other.follow || other.kind == ThreadClass::deadline ||
           (other.kind == ThreadClass::fixed_priority && other.priority >= thread.priority);
  }

  // ---- the least solution for all threads at once ----

  bool iterate(int round)
  {
    bool moved = false;
    for (const Index task : flow_.order) {
      for (const Index id : flow_.streams.of(task)) {
        const Ns late = latest_release(id);
        if (late != released_[id]) {
          released_[id] = late > horizon_ || round > detail::kMostRounds ? kUnbounded : late;
          moved = true;
        }
      }
    }
    for (Index thread = 0; thread < model_.threads.size(); ++thread) {
      const std::vector<Index> & tasks = flow_.segments.tasks_of(thread);
      if (!tasks.empty() && refusals_[tasks.front()].empty()) {
        moved = solve_thread(thread) || moved;
      }
    }
    return moved;
  }

  Ns latest_release(Index id) const
  {
    const Stream & stream = flow_.streams.all()[id];
    const Task & task = model_.tasks[stream.task];
    Ns latest = stream.from.empty() ? task.release->jitter : 0;
    for (const Stream::From & from : stream.from) {
      const Ns end = add(released_[from.stream], responses_[flow_.streams.all()[from.stream].task]);
      latest = std::max(latest, add(end, task.triggers[from.link].delay));
    }
    return released_[id] == kUnbounded || latest > horizon_ ? kUnbounded : latest;
  }

  bool solve_thread(Index index)
  {
    const Thread & thread = model_.threads[index];
    const std::vector<Index> & tasks = flow_.segments.tasks_of(index);
    std::vector<ExecutorTask> executor;
    for (const Index task : tasks) {
      ExecutorTask entry;
      entry.demand.cost = model_.tasks[task].cost();
      for (const Index id : flow_.streams.of(task)) {
        entry.demand.arrivals.push_back({flow_.streams.all()[id].period, released_[id]});
      }
      entry.polled =
        thread.window_timers == takt_core::WindowTimers::snapshot || !model_.tasks[task].timer;
      executor.push_back(std::move(entry));
    }
    const auto bounds =
      detail::round_robin_bounds(Supply::dedicated(), executor, horizon_, terms_, steps_[index]);
    bool moved = false;
    for (Index i = 0; i < tasks.size(); ++i) {
      moved = moved || responses_[tasks[i]] != bounds[i];
      responses_[tasks[i]] = bounds[i];
    }
    return moved;
  }

  // ---- answers ----

  Result<Ns> bound_of(Index task, const std::vector<Index> & ways) const
  {
    if (!refusals_[task].empty()) {
      return Faults{refusals_[task]};
    }
    Ns bound = 0;
    for (const Index id : ways) {
      if (released_[id] == kUnbounded) {
        return Faults{
          quoted(model_.tasks[task].id) + " has no bound because what starts it has none"};
      }
      bound = std::max(bound, add(released_[id], responses_[task]));
    }
    if (bound > horizon_ && steps_[model_.tasks[task].threads.front()].none()) {
      return Faults{
        quoted(model_.tasks[task].id) + " has no bound that " + std::to_string(detail::kMostSteps) +
        " steps for each task of its thread would find: the thread is nearly full, or very many "
        "releases come at once"};
    }
    if (bound > horizon_) {
      return Faults{
        quoted(model_.tasks[task].id) + " has no bound below " + detail::printed(horizon_) +
        ": its thread is overloaded or nearly so, or something on it is released without a "
        "bound"};
    }
    return bound;
  }

  const Model & model_;
  const RoundRobinTerms terms_;
  const Ns horizon_;
  const detail::Flow flow_;
  std::vector<std::string> refusals_;  // one per task
  std::vector<Ns> responses_;          // one per task, from its own activation
  std::vector<Ns> released_;           // one per stream, at the latest
  std::vector<detail::Steps> steps_;   // one per thread
};

}  // namespace

Result<WindowBounds> window_bounds(const Model & model, const WindowOptions & options)
{
  if (const takt_core::Status status = check(model); !status) {
    return status.faults();
  }
  return Solver(model, options).solve();
}

}  // namespace takt_plan
