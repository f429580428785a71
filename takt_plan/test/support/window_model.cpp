#include "support/window_model.hpp"

#include <algorithm>
#include <random>

#include "analysis/limits.hpp"
#include "model/chain_ways.hpp"
#include "model/flow.hpp"
#include "support/example.hpp"
#include "support/random_model.hpp"

namespace takt_plan::test
{
namespace
{

using detail::Stream;
using takt_rt::Faults;
using takt_rt::Result;

constexpr int kMostRounds = 1000;

class Solver
{
public:
  Solver(const Model & model, const ThreadAnalysis & analysis)
  : model_(model),
    analysis_(analysis),
    horizon_(detail::horizon(model, 0)),
    flow_(model),
    position_(model.tasks.size()),
    executors_(model.threads.size()),
    bounds_(model.threads.size()),
    released_(flow_.streams.all().size(), 0),
    ended_(flow_.streams.all().size(), 0)
  {
    for (Index thread = 0; thread < model.threads.size(); ++thread) {
      const std::vector<Index> & tasks = flow_.segments.tasks_of(thread);
      for (Index i = 0; i < tasks.size(); ++i) {
        position_[tasks[i]] = i;
      }
    }
  }

  ThreadBounds solve()
  {
    for (int round = 0; iterate(round); ++round) {
    }
    ThreadBounds bounds;
    bounds.horizon = horizon_;
    for (Index task = 0; task < model_.tasks.size(); ++task) {
      bounds.tasks.push_back(bound_of(flow_.streams.of(task)));
    }
    for (const Chain & chain : model_.chains) {
      const auto ways = detail::chain_ways(model_, flow_.streams, chain);
      bounds.chains.push_back(ways ? bound_of(ways->streams) : ways.faults());
    }
    return bounds;
  }

private:
  const Stream & stream(Index id) const { return flow_.streams.all()[id]; }
  Index thread_of(Index id) const { return flow_.segments.thread(stream(id).task); }

  /// True if the end of the one stream before starts this one at once, on the same thread.
  bool continues(Index id) const
  {
    const Stream & own = stream(id);
    if (own.from.size() != 1 || detail::joins(model_.tasks[own.task])) {
      return false;
    }
    const Stream::From & from = own.from.front();
    return thread_of(from.stream) == thread_of(id) &&
           model_.tasks[own.task].triggers[from.link].delay == 0;
  }

  bool iterate(int round)
  {
    bool moved = false;
    const auto set = [&](Ns & value, Ns now) {
      if (value != now) {
        value = now > horizon_ || round > kMostRounds ? kUnbounded : now;
        moved = true;
      }
    };
    for (Index thread = 0; thread < model_.threads.size(); ++thread) {
      describe(thread);
      bounds_[thread] = analysis_.tasks(executors_[thread], horizon_);
    }
    for (const Index task : flow_.order) {
      for (const Index id : flow_.streams.of(task)) {
        set(released_[id], released_[id] == kUnbounded ? kUnbounded : release_of(id));
        set(ended_[id], ended_[id] == kUnbounded ? kUnbounded : end_of(id));
      }
    }
    return moved;
  }

  void describe(Index thread)
  {
    executors_[thread].clear();
    for (const Index task : flow_.segments.tasks_of(thread)) {
      ExecutorTask entry;
      entry.demand.cost = model_.tasks[task].cost();
      for (const Index id : flow_.streams.of(task)) {
        entry.demand.arrivals.push_back({stream(id).period, released_[id]});
        entry.in_window.push_back({stream(id).period, late_in_window(id)});
      }
      entry.polled = model_.threads[thread].window_timers == takt_core::WindowTimers::snapshot ||
                     !model_.tasks[task].timer;
      executors_[thread].push_back(std::move(entry));
    }
  }

  Ns late_in_window(Index id) const
  {
    if (continues(id)) {
      return late_in_window(stream(id).from.front().stream);
    }
    return analysis_.punctual && !stream(id).from.empty() ? 0 : released_[id];
  }

  Ns release_of(Index id) const
  {
    const Task & task = model_.tasks[stream(id).task];
    Ns latest = stream(id).from.empty() ? task.release->jitter : 0;
    for (const Stream::From & from : stream(id).from) {
      latest = std::max(latest, add(ended_[from.stream], task.triggers[from.link].delay));
    }
    return latest;
  }

  Ns end_of(Index id) const
  {
    const Index thread = thread_of(id);
    TaskRun run{position_[stream(id).task]};
    Ns bound = bounds_[thread][run.front()];
    Index head = id;
    while (analysis_.run && continues(head)) {
      head = stream(head).from.front().stream;
      run.insert(run.begin(), position_[stream(head).task]);
    }
    if (run.size() > 1) {
      bound = analysis_.run(executors_[thread], run, bounds_[thread], horizon_);
    }
    return add(released_[head], bound);
  }

  Result<Ns> bound_of(const std::vector<Index> & ways) const
  {
    Ns bound = 0;
    for (const Index id : ways) {
      bound = std::max(bound, ended_[id]);
    }
    if (ways.empty() || bound == kUnbounded) {
      return Faults{"no bound"};
    }
    return bound;
  }

  const Model & model_;
  const ThreadAnalysis & analysis_;
  const Ns horizon_;
  const detail::Flow flow_;
  std::vector<std::size_t> position_;  // of each task on its thread
  std::vector<std::vector<ExecutorTask>> executors_;
  std::vector<std::vector<Ns>> bounds_;
  std::vector<Ns> released_;  // per stream: latest release after its nominal one
  std::vector<Ns> ended_;
};

}  // namespace

Model window_model(std::uint64_t seed, takt_core::WindowTimers timers)
{
  Model model = random_model(seed);
  model.others.clear();
  std::vector<Index> first(model.cores.size(), kNone);
  for (Index thread = 0; thread < model.threads.size(); ++thread) {
    model.threads[thread].order = takt_core::Order::window;
    model.threads[thread].window_timers = timers;
    Index & of_core = first[model.threads[thread].cores.front()];
    of_core = of_core == kNone ? thread : of_core;
  }
  for (Task & task : model.tasks) {
    task.threads = {first[model.threads[task.threads.front()].cores.front()]};
    task.time = task.time * 9 / 10;
  }
  std::mt19937_64 random(seed);
  for (Task & task : model.tasks) {
    task.timer = task.timer && random() % 3 != 0;
  }
  return model;
}

Model crowded_window_model(std::uint64_t seed, takt_core::WindowTimers timers)
{
  std::mt19937_64 random(seed);
  const auto pick = [&](Ns least, Ns most) {
    return std::uniform_int_distribution<Ns>(least, most)(random);
  };
  Example example(1);
  const Index thread = example.thread(0, 50);
  example.model.threads[thread].order = takt_core::Order::window;
  example.model.threads[thread].window_timers = timers;
  for (Ns left = pick(2, 5); left > 0; --left) {
    const bool quick = pick(0, 1) == 0;
    const Ns period = quick ? 20 * pick(2, 6) : 100 * pick(4, 16);
    const Ns jitter = quick ? 0 : pick(0, 8) * period / 2;
    const Index task = example.timer(thread, 0, period, pick(1, 20) * (quick ? 2 : 20), jitter);
    example.model.tasks[task].timer = pick(0, 2) != 0;
    std::vector<Index> path{task};
    for (Ns more = pick(0, 2); more > 0; --more) {
      path.push_back(example.sub(thread, 0, {path.back()}, pick(1, 20) * (quick ? 1 : 10)));
    }
    example.chain(std::move(path));
  }
  const double factor = static_cast<double>(pick(60, 97)) / 100 / utilization(example.model, 0);
  for (Task & task : example.model.tasks) {
    task.time = std::max<Ns>(1, static_cast<Ns>(static_cast<double>(task.time) * factor));
  }
  return std::move(example.model);
}

ThreadBounds window_model_bounds(const Model & model, const ThreadAnalysis & analysis)
{
  return Solver(model, analysis).solve();
}

}  // namespace takt_plan::test
