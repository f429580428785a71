#include "planners/simulated_plan.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "model/build_model.hpp"
#include "model/streams.hpp"
#include "planners/plan_problem.hpp"
#include "takt_plan/draw.hpp"
#include "takt_plan/load_plan.hpp"
#include "takt_plan/simulate.hpp"

namespace takt_plan
{
namespace
{

using takt_rt::Result;
using takt_schedule::Schedule;
using takt_schedule::System;

constexpr Ns kLongestRun = 10'000'000'000;
constexpr double kMostSimulated = 20'000;  // approximate number of jobs in a run
constexpr Ns kLeastPeriods = 4;            // a run lasts at least this many of the longest period
constexpr std::uint64_t kRandomTimes = 2;  // runs with random times
constexpr std::uint64_t kRandomPhases = 4;
// The number of runs if there are several processes, or sources without a known phase.
constexpr std::uint64_t kRandomClocks = 4;

Ns duration_of(const Model & model)
{
  const detail::Streams streams(model, in_trigger_order(model));
  double rate = 0;
  Ns longest = 0;
  Ns last = 0;  // the latest first release of a source
  for (Index task = 0; task < model.tasks.size(); ++task) {
    rate += streams.rate(task);
    if (model.tasks[task].release) {
      longest = std::max(longest, model.tasks[task].release->period);
      last = std::max(last, model.tasks[task].release->offset.value_or(0));
    }
  }
  const double most = rate > 0 ? kMostSimulated / rate : 0;
  const Ns duration = most < static_cast<double>(kLongestRun) ? static_cast<Ns>(most) : kLongestRun;
  return add(last, std::max(duration, multiply(longest, kLeastPeriods)));
}

/// Returns the model with each start moved by a random distance, and with random phases for sources
/// without an offset. In reality the offsets of each process count from its own start, and those of
/// each host by its own clock; in `simulate` all offsets count from one instant. Returns nothing if
/// all sources count from one instant, or if no source has an offset.
std::optional<SimulationModel> at_other_phases(SimulationModel simulated, std::uint64_t seed)
{
  Model & model = simulated.model;
  std::map<Index, Ns> longest;  // longest period, by epoch
  bool any = false;             // some source has no offset
  for (const Task & task : model.tasks) {
    if (task.release && task.release->offset) {
      Ns & period = longest[model.epoch_of(task)];
      period = std::max(period, task.release->period);
    }
    any = any || (task.release && !task.release->offset);
  }
  if (longest.empty() || (longest.size() < 2 && !any)) {
    return std::nullopt;
  }
  Draw draw(seed);
  std::map<Index, Ns> start;
  for (const auto & [epoch, period] : longest) {
    start[epoch] = draw.between(0, period - 1);
  }
  for (Task & task : model.tasks) {
    if (task.release) {
      task.release->offset = task.release->offset
                               ? add(*task.release->offset, start[model.epoch_of(task)])
                               : draw.between(0, task.release->period - 1);
    }
  }
  return simulated;
}

/// True if no source has a known phase: then the simulation draws all phases.
bool any_phase(const Model & model)
{
  return std::none_of(model.tasks.begin(), model.tasks.end(), [](const Task & task) {
    return task.release && task.release->offset;
  });
}

/// SimulatedPlan::hyperperiod
Ns hyperperiod_of(const Model & model)
{
  Ns least = 0;
  for (const Task & task : model.tasks) {
    if (task.release) {
      const Ns period = task.release->period;
      least = least == 0 ? period : multiply(least, period / std::gcd(least, period));
      if (least >= kUnbounded) {
        return kUnbounded;
      }
    }
  }
  return least;
}

void add_runs(const SimulationResult & more, Index runs, SimulatedPlan & to)
{
  for (Index chain = 0; chain < to.chains.size(); ++chain) {
    const Responses & responses = more.chains[chain].responses;
    to.chains[chain].count += responses.count;
    to.chains[chain].missed += responses.missed;
    if (responses.count > 0) {
      to.chains[chain].worst = std::max(to.chains[chain].worst, responses.worst.time());
    }
  }
  for (Index task = 0; task < to.skips.size(); ++task) {
    to.skipped += more.tasks[task].skipped;
    to.skips[task] += more.tasks[task].skipped;
    to.lost += more.tasks[task].overwritten;
  }
  to.duration = add(to.duration, more.simulated);
  to.runs += runs;
}

}  // namespace

Result<SimulatedPlan> simulate_plan(const System & system, const Schedule & schedule)
{
  auto model = build_model(system, schedule);
  if (!model) {
    return model.faults();
  }
  const SimulationModel simulated = simulation_model(Plan{system, schedule, std::move(*model), {}});
  SimulationOptions options;
  options.duration = duration_of(simulated.model);
  SimulatedPlan result;
  result.chains.resize(simulated.model.chains.size());
  result.skips.resize(simulated.model.tasks.size());
  result.hyperperiod = hyperperiod_of(simulated.model);
  struct Situation
  {
    Phases phases;
    Execution execution;
    std::uint64_t runs;
  };
  std::vector<Situation> situations{
    {Phases::fixed, Execution::worst, 1}, {Phases::fixed, Execution::uniform, kRandomTimes}};
  if (any_phase(simulated.model)) {
    situations.push_back({Phases::random, Execution::worst, kRandomPhases});
  }
  for (const Situation & situation : situations) {
    options.phases = situation.phases;
    options.execution = situation.execution;
    options.runs = situation.runs;
    const auto found = simulate(simulated, options);
    if (!found) {
      return found.faults();
    }
    add_runs(*found, situation.runs, result);
  }
  options.phases = Phases::fixed;
  options.execution = Execution::worst;
  options.runs = 1;
  for (std::uint64_t run = 0; run < kRandomClocks; ++run) {
    const auto other = at_other_phases(simulated, run);
    if (!other) {
      break;
    }
    const auto found = simulate(*other, options);
    if (!found) {
      return found.faults();
    }
    add_runs(*found, 1, result);
  }
  return result;
}

Schedule stock_pool(const System & system, const PlanOptions & options)
{
  Schedule schedule;
  schedule.chains = system.chains;
  for (const takt_schedule::CallbackModel & callback : system.callbacks) {
    if (schedule.find(callback.executor) != nullptr) {
      continue;
    }
    takt_schedule::ExecutorSchedule executor;
    executor.name = callback.executor;
    executor.order = takt_core::Order::stock;
    takt_schedule::Threads pool;
    pool.name = "pool";
    for (const takt_schedule::HostModel & host : system.hosts) {
      if (host.name == callback.host) {
        pool.attributes.cores = host.cores;
        std::erase_if(
          pool.attributes.cores, [&](int core) { return !detail::usable(host, core, options); });
      }
    }
    pool.count = std::clamp<int>(static_cast<int>(pool.attributes.cores.size()), 1, 63);
    executor.threads.push_back(std::move(pool));
    executor.default_threads = {"pool"};
    schedule.executors.push_back(std::move(executor));
  }
  return schedule;
}

}  // namespace takt_plan
