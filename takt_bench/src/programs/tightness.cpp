#include "programs/tightness.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "systems/generated_system.hpp"
#include "takt_plan/planner.hpp"
#include "takt_plan/simulate.hpp"
#include "takt_plan/simulation_model.hpp"

namespace takt_bench
{

using namespace takt_plan;  // NOLINT: all of it is about its models

namespace
{

constexpr Shape kShape{4, 9, 5, 0, true};
constexpr Ns kRandom = 3'000'000'000;   // of each run: three of the longest periods
constexpr Ns kAligned = 1'000'000'000;  // the longest period
constexpr std::uint64_t kRandomRuns = 4;
constexpr Reservation kReservation{9'500'000, 10'000'000, 10'000'000, 0};

template <typename T>
T need(takt_rt::Result<T> result)
{
  if (!result) {
    throw std::runtime_error(to_string(result.faults().front()));
  }
  return std::move(*result);
}

/// Places each whole chain on the core with the least load, in the order of falling loads.
std::vector<Index> balanced(const Model & model)
{
  std::vector<double> load;
  for (const Chain & chain : model.chains) {
    Ns cost = 0;
    for (const Index task : chain.path) {
      cost = add(cost, model.tasks[task].cost());
    }
    const Ns period = model.tasks[chain.path.front()].release->period;
    load.push_back(static_cast<double>(cost) / static_cast<double>(period));
  }
  std::vector<Index> order(load.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return load[a] > load[b]; });
  std::vector<double> cores(model.cores.size());
  std::vector<Index> result(load.size());
  for (const Index chain : order) {
    const auto least = std::min_element(cores.begin(), cores.end());
    *least += load[chain];
    result[chain] = static_cast<Index>(least - cores.begin());
  }
  return result;
}

/// Makes one thread on each core. The kind decides whether chains may use all threads or one of
/// them.
Model on_one_thread_per_core(Model model, Bound kind)
{
  Thread thread = model.threads.front();
  thread.kind = ThreadClass::fixed_priority;
  thread.priority = 50;
  thread.order = takt_core::Order::priority;
  if (kind == Bound::window_snapshot || kind == Bound::window_immediate) {
    thread.order = takt_core::Order::window;
    thread.window_timers = kind == Bound::window_snapshot ? takt_core::WindowTimers::snapshot
                                                          : takt_core::WindowTimers::immediate;
  } else if (kind == Bound::deadline) {
    thread.kind = ThreadClass::deadline;
    thread.priority = 0;
    thread.reservation = kReservation;
  }
  std::vector<Index> all(model.cores.size());
  std::iota(all.begin(), all.end(), Index{0});
  const std::vector<Index> core_of = balanced(model);
  model.threads.clear();
  for (const Index core : all) {
    thread.name = "core" + std::to_string(core);
    thread.cores = {core};
    model.threads.push_back(thread);
  }
  for (Index c = 0; c < model.chains.size(); ++c) {
    const Chain & chain = model.chains[c];
    for (Index place = 0; place < chain.path.size(); ++place) {
      Task & task = model.tasks[chain.path[place]];
      task.threads = kind == Bound::pool ? all : std::vector<Index>{core_of[c]};
      // The more important chain is more urgent, and within a chain the later callback.
      task.priority = chain.priority * kShape.callbacks + static_cast<int>(place);
    }
  }
  return model;
}

/// Collects the worst response of each chain over all runs.
class Search
{
public:
  explicit Search(const Model & model)
  : simulation_(need(simulation_model(model))),
    worst_(model.chains.size())
  {
    for (const Chain & chain : model.chains) {
      Ns before = 0;
      Ns longest = 0;
      Ns at = 0;
      for (const Index task : chain.path) {
        const Ns cost = model.tasks[task].cost();
        if (cost > longest) {
          longest = cost;
          at = before;
        }
        before = add(before, cost);
      }
      before_longest_.push_back(at);
    }
  }

  void run(Phases phases, std::uint64_t runs, Ns duration, std::uint64_t seed)
  {
    SimulationOptions options;
    options.phases = phases;
    options.runs = runs;
    options.duration = duration;
    options.seed = seed;
    const SimulationResult seen = need(simulate(simulation_, options));
    for (Index chain = 0; chain < worst_.size(); ++chain) {
      const Responses & responses = seen.chains[chain].responses;
      worst_[chain] = std::max(worst_[chain], responses.count > 0 ? responses.worst.time() : 0);
    }
  }

  /// Simulates the situation in which the longest callback of each chain in `begun` has just begun
  /// when all others are released.
  void blocked(const std::vector<bool> & begun)
  {
    Ns start = 0;
    for (Index chain = 0; chain < begun.size(); ++chain) {
      start = begun[chain] ? std::max(start, before_longest_[chain]) : start;
    }
    Model & model = simulation_.model;
    for (Index chain = 0; chain < begun.size(); ++chain) {
      model.tasks[model.chains[chain].path.front()].release->offset =
        begun[chain] ? start - before_longest_[chain] : start + 1;
    }
    run(Phases::fixed, 1, start + kAligned, 1);
  }

  std::uint64_t adversarial() const { return adversarial_runs(simulation_); }
  const std::vector<Ns> & worst() const { return worst_; }

private:
  SimulationModel simulation_;
  std::vector<Ns> before_longest_;  // per chain: execution times of the callbacks before the
                                    // longest one
  std::vector<Ns> worst_;
};

std::vector<Ns> worst_simulated(const Model & model, Index most_important, std::uint64_t seed)
{
  Search search(model);
  search.run(Phases::adversarial, search.adversarial(), kAligned, seed);
  search.run(Phases::random, kRandomRuns, kRandom, seed);
  for (Index chain = 0; chain < model.chains.size(); ++chain) {
    std::vector<bool> less(model.chains.size());
    for (Index other = 0; other < less.size(); ++other) {
      less[other] = model.chains[other].priority < model.chains[chain].priority;
    }
    search.blocked(less);
    if (chain == most_important) {
      for (Index other = 0; other < less.size(); ++other) {
        std::vector<bool> one(less.size());
        one[other] = less[other];
        search.blocked(one);
      }
    }
  }
  return search.worst();
}

}  // namespace

std::string_view to_string(Bound bound)
{
  switch (bound) {
    case Bound::priority:
      return "priority";
    case Bound::window_snapshot:
      return "window (snapshot)";
    case Bound::window_immediate:
      return "window (immediate)";
    case Bound::pool:
      return "pool";
    case Bound::deadline:
      break;
  }
  return "deadline";
}

std::vector<ChainTightness> tightness(
  Bound kind, double utilization, std::uint64_t seed, const BoundsOptions & options)
{
  Shape shape = kShape;
  shape.utilization = utilization * shape.cores;
  PlanOptions plan;
  // The threads of the plan are replaced, so the quickest planner suffices to place the tasks.
  plan.planner = kind == Bound::priority ? Planner::takt : Planner::rate_monotonic;
  Model model = need(plan_schedule(generated_system(shape, seed), plan)).model;
  if (kind != Bound::priority) {
    model = on_one_thread_per_core(std::move(model), kind);
  }
  const Bounds found = need(bounds(model, options));
  const auto most = std::max_element(
    model.chains.begin(), model.chains.end(),
    [](const Chain & a, const Chain & b) { return a.priority < b.priority; });
  const auto most_important = static_cast<Index>(most - model.chains.begin());
  const std::vector<Ns> worst = worst_simulated(model, most_important, seed);
  std::vector<ChainTightness> result;
  for (Index chain = 0; chain < worst.size(); ++chain) {
    ChainTightness one{chain == most_important, std::nullopt, worst[chain]};
    if (found.chains[chain]) {
      one.bound = found.chains[chain]->bound;
    }
    result.push_back(one);
  }
  return result;
}

}  // namespace takt_bench
