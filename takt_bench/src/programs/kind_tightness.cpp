#include "programs/kind_tightness.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "takt_plan/bounds.hpp"
#include "takt_plan/draw.hpp"
#include "takt_plan/simulate.hpp"
#include "takt_plan/simulation_model.hpp"

namespace takt_bench
{

using namespace takt_plan;  // NOLINT: all of it is about its models

namespace
{

constexpr int kFirst = 40;  // random situations at the beginning
constexpr Ns kHyperperiods = 3;
constexpr Ns kLeastDuration = 600'000'000;  // sets may take periods to get into the worst order
constexpr Ns kBefore = 200'000'000;         // the search changes runs that begin within this time
                                            // before a response

template <typename T>
T needed(takt_rt::Result<T> result)
{
  if (!result) {
    throw std::runtime_error(to_string(result.faults().front()));
  }
  return std::move(*result);
}

/// The system for the simulation, which sends a run's messages at its end. A callback that starts
/// others is two tasks there: the first one sends, and starts the second one, the rest of the run.
/// The rest goes before all else on its thread. Tasks of the system keep their numbers.
struct Divided
{
  Model model;
  std::vector<Index> rest;  // per task of the system; kNone: it is one task
};

Divided divided(const Model & model)
{
  constexpr int kMostUrgent = 255;
  Divided result{model, std::vector<Index>(model.tasks.size(), kNone)};
  for (const Task & task : model.tasks) {
    for (const Link & link : task.triggers) {
      const Task & sender = model.tasks[link.from];
      const Thread & thread = model.threads[sender.threads.front()];
      // Not every run of a callback with a set sends, so runs of its rest have other numbers.
      const bool divides = thread.order == takt_core::Order::priority && !sender.newest;
      if (result.rest[link.from] != kNone || !divides) {
        continue;
      }
      Task rest;
      rest.id = sender.id + "_rest";
      rest.host = sender.host;
      rest.executor = sender.executor;
      rest.threads = sender.threads;
      rest.priority = kMostUrgent;
      rest.time = sender.time;
      rest.triggers.push_back({link.from, 0, 0});
      result.rest[link.from] = result.model.tasks.size();
      result.model.tasks.push_back(std::move(rest));
    }
  }
  return result;
}

/// A situation: the search changes its values.
struct Situation
{
  std::vector<Ns> offsets;             // per task with a release
  std::vector<std::vector<Ns>> times;  // per task: execution times of its runs
  std::vector<std::vector<Ns>> sends;  // per task: the parts of these times before messages
  bool late = true;                    // messages are under way for the longest time
  std::uint64_t seed = 1;              // otherwise: of the random times of messages
};

class WorstSearch
{
public:
  WorstSearch(const Model & model, bool phases, std::uint64_t seed, int changes)
  : divided_(divided(model)),
    simulation_(needed(simulation_model(divided_.model))),
    tasks_(model.tasks.size()),
    phases_(phases),
    changes_(changes),
    draw_(seed),
    worst_(model.chains.size()),
    response_(model.chains.size()),
    best_(model.chains.size())
  {
    Ns hyperperiod = 1;
    for (Index task = 0; task < model.tasks.size(); ++task) {
      const Pace pace = pace_of(model, task);
      paces_.push_back(pace);
      if (model.tasks[task].release) {
        hyperperiod = std::lcm(hyperperiod, model.tasks[task].release->period);
      }
    }
    duration_ = std::max(kHyperperiods, kLeastDuration / hyperperiod) * hyperperiod;
  }

  std::vector<Ns> run()
  {
    if (!phases_) {
      look(Phases::adversarial, adversarial_runs(simulation_), first(0));
    }
    for (int i = 0; i < kFirst; ++i) {
      look(Phases::fixed, 1, first(i));
    }
    for (int i = 0; i < changes_; ++i) {
      for (Index chain = 0; chain < worst_.size(); ++chain) {
        if (!best_[chain].offsets.empty()) {
          Situation next = best_[chain];
          if (phases_ || draw_.between(0, 1) == 0) {
            change_times(response_[chain], next);
          } else {
            change_offsets(next);
          }
          look(Phases::fixed, 1, next);
        }
      }
    }
    return worst_;
  }

private:
  /// The rate at which a task works, and one source that starts it.
  struct Pace
  {
    Index source = kNone;
    double period = 0;
  };

  static Pace pace_of(const Model & model, Index index)
  {
    const Task & task = model.tasks[index];
    if (task.release) {
      return {index, static_cast<double>(task.release->period)};
    }
    Pace all;
    double rate = 0;
    for (const Link & link : task.triggers) {
      const Pace one = pace_of(model, link.from);
      rate += 1 / one.period;
      all = all.source == kNone || (task.newest && one.period > all.period) ? one : all;
    }
    return {all.source, task.newest ? all.period : 1 / rate};
  }

  std::vector<Task> & tasks() { return simulation_.model.tasks; }
  Index any_task() { return static_cast<Index>(draw_.between(0, static_cast<Ns>(tasks_) - 1)); }

  // The first situation has all sources at once, or all execution times at their worst.
  Situation first(int number)
  {
    Situation situation;
    for (Index index = 0; index < tasks_; ++index) {
      const Task & task = tasks()[index];
      const Ns period = task.release ? task.release->period : 1;
      situation.offsets.push_back(
        phases_ && task.release ? task.release->offset.value_or(0)
        : number == 0           ? 0
                                : draw_.between(0, period - 1));
    }
    situation.times.resize(tasks_);
    for (Index task = 0; task < tasks_; ++task) {
      situation.times[task].assign(
        static_cast<std::size_t>(static_cast<double>(duration_) / paces_[task].period) + 2,
        tasks()[task].time);
      for (Ns & time : situation.times[task]) {
        time = number == 0 || (!phases_ && number % 2 == 0) ? time : any_time(time);
      }
    }
    situation.sends = situation.times;
    return situation;
  }

  Ns any_time(Ns most)
  {
    const Ns way = draw_.between(0, 9);
    return way < 6 ? most : way < 8 ? 0 : draw_.between(0, most);
  }

  // Changes times of some runs that may delay the response.
  void change_times(const Response & response, Situation & situation)
  {
    do {
      const Index task = any_task();
      std::vector<Ns> & times = situation.times[task];
      const Ns moment = draw_.between(
        std::max<Ns>(response.release - kBefore, 0), std::max(response.end, response.release));
      const auto about = static_cast<std::size_t>(
        static_cast<double>(std::max<Ns>(moment - situation.offsets[paces_[task].source], 0)) /
        paces_[task].period);
      const std::size_t run = std::min(about, times.size() - 1);
      if (divided_.rest[task] != kNone && draw_.between(0, 2) == 0) {
        situation.sends[task][run] = any_time(times[run]);
        continue;
      }
      Ns & time = times[run];
      const Ns most = tasks()[task].time;
      const Ns by = most >> draw_.between(1, 16);
      time = draw_.between(0, 1) == 0 ? any_time(most)
                                      : std::clamp<Ns>(time + draw_.between(-by, by), 0, most);
      situation.sends[task][run] = time;
    } while (draw_.between(0, 2) == 0);
    if (draw_.between(0, 9) == 0) {
      situation.late = !situation.late;
      situation.seed = static_cast<std::uint64_t>(draw_.between(1, 1'000'000));
    }
  }

  void change_offsets(Situation & situation)
  {
    do {
      const Index index = any_task();
      if (!tasks()[index].release) {
        continue;
      }
      const Ns period = tasks()[index].release->period;
      const Ns by = draw_.between(0, 2) == 0 ? draw_.between(0, period - 1)
                                             : draw_.between(-period / 16, period / 16);
      // Or moves the source just before, to, or just after another source.
      const bool near = draw_.between(0, 1) == 0;
      const Ns next =
        near ? situation.offsets[any_task()] + draw_.between(-1, 1) : situation.offsets[index] + by;
      situation.offsets[index] = (next % period + period) % period;
    } while (draw_.between(0, 2) == 0);
  }

  void look(Phases phases, std::uint64_t runs, const Situation & situation)
  {
    SimulationOptions options;
    options.phases = phases;
    options.runs = runs;
    options.seed = situation.seed;
    options.duration = duration_;
    options.execution = situation.late ? Execution::worst : Execution::uniform;
    for (Index index = 0; index < tasks_; ++index) {
      if (tasks()[index].release) {
        tasks()[index].release->offset = situation.offsets[index];
      }
    }
    options.execution_time = [&](Index task, std::uint64_t run) {
      return task < tasks_ ? at(situation.sends[task], run) : rest_at(situation, task, run);
    };
    const SimulationResult seen = needed(simulate(simulation_, options));
    for (Index chain = 0; chain < worst_.size(); ++chain) {
      const Responses & responses = seen.chains[chain].responses;
      if (responses.count == 0) {
        continue;
      }
      worst_[chain] = std::max(worst_[chain], responses.worst.time());
      // With other phases, the response does not belong to the situation.
      if (phases == Phases::fixed && responses.worst.time() >= response_[chain].time()) {
        response_[chain] = responses.worst;
        best_[chain] = situation;
      }
    }
  }

  static Ns at(const std::vector<Ns> & times, std::uint64_t run)
  {
    return times[std::min<std::size_t>(run, times.size() - 1)];
  }

  /// The time of the rest of a run.
  Ns rest_at(const Situation & situation, Index rest, std::uint64_t run) const
  {
    const auto task = static_cast<Index>(
      std::find(divided_.rest.begin(), divided_.rest.end(), rest) - divided_.rest.begin());
    return at(situation.times[task], run) - at(situation.sends[task], run);
  }

  const Divided divided_;
  SimulationModel simulation_;
  const Index tasks_;  // of the system
  const bool phases_;
  const int changes_;
  Draw draw_;
  Ns duration_ = 0;
  std::vector<Pace> paces_;         // per task
  std::vector<Ns> worst_;           // per chain
  std::vector<Response> response_;  // per chain: the longest response with fixed phases
  std::vector<Situation> best_;     // per chain: the situation of that response
};

}  // namespace

std::vector<ChainTightness> tightness(Kind kind, bool phases, std::uint64_t seed, int changes)
{
  const Model model = system_of(kind, phases, seed);
  const Bounds found = needed(bounds(model));
  BoundsOptions by_phases;
  by_phases.jobs_only = true;
  const Bounds windows = needed(bounds(model, by_phases));
  const std::vector<Ns> worst = WorstSearch(model, phases, seed, changes).run();
  std::vector<ChainTightness> result;
  for (Index chain = 0; chain < worst.size(); ++chain) {
    ChainTightness one{false, std::nullopt, worst[chain]};
    if (found.chains[chain]) {
      one.bound = found.chains[chain]->bound;
    }
    one.windows = windows.chains[chain].ok();
    result.push_back(one);
  }
  return result;
}

}  // namespace takt_bench
