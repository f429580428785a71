#include "support/started_model.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "model/flow.hpp"
#include "models/close_releases.hpp"
#include "support/random_model.hpp"

namespace takt_plan::test
{
namespace
{

constexpr Ns kMostLeft = 6'000;  // the work that a start may leave is done by then

}  // namespace

Model some_processes(std::uint64_t seed)
{
  Model model = random_model(seed);
  std::mt19937_64 random(seed);
  const auto pick = [&](Ns least, Ns most) {
    return std::uniform_int_distribution<Ns>(least, most)(random);
  };
  const Ns processes = pick(1, 3);
  for (Ns process = 0; process < processes; ++process) {
    model.executors.resize(static_cast<std::size_t>(process) + 1, "other");
    model.epochs.push_back(takt_core::Epoch::host);
  }
  for (Thread & thread : model.threads) {
    thread.executor = static_cast<Index>(pick(0, processes - 1));
  }
  // The same period for all timers: sets that keep their order for ever.
  const Ns period = pick(0, 1) == 0 ? 0 : 1000;
  const Ns offsets = pick(0, 3) == 0 ? 2 : 50;  // with few offsets, some timers are released
                                                // together
  for (Index index = 0; index < model.tasks.size(); ++index) {
    Task & task = model.tasks[index];
    task.executor = model.threads[task.threads.front()].executor;
    const Index other = static_cast<Index>(pick(0, static_cast<Ns>(index)));
    if (task.triggers.size() == 1 && other < index && pick(0, 1) == 0) {
      task.triggers.push_back({other, 0, 1});
    }
    if (task.release) {
      task.timer = pick(0, 4) != 0;
      task.release->jitter = task.timer ? 0 : pick(0, 3) * 20;  // only messages from outside have
                                                                // jitter
      task.release->period = period == 0 ? task.release->period : period;
      task.release->offset = pick(0, offsets - 1) * (task.release->period / offsets);
    } else if (task.triggers.size() == 2 && task.triggers[0].from != task.triggers[1].from) {
      task.all = false;
      task.newest = true;
      task.store = task.middleware = pick(0, task.time);
    }
  }
  if (has_close_releases(seed)) {
    model = with_close_offsets(std::move(model), seed);
    for (Task & task : model.tasks) {
      if (task.release) {
        *task.release->offset %= task.release->period;
        task.release->jitter = task.timer ? 0 : pick(0, 20);
      }
    }
  }
  return model;
}

double load_of(const Model & model)
{
  const detail::Flow flow(model);
  std::vector<double> loads(model.cores.size());
  for (Index task = 0; task < model.tasks.size(); ++task) {
    loads[model.threads[model.tasks[task].threads.front()].cores.front()] +=
      flow.streams.load(model, task);
  }
  for (const OtherLoad & other : model.others) {
    loads[other.cores.front()] +=
      static_cast<double>(other.time) / static_cast<double>(other.period);
  }
  return *std::max_element(loads.begin(), loads.end());
}

Ns hyperperiod_of(const Model & model)
{
  Ns hyperperiod = 1;
  for (const Task & task : model.tasks) {
    hyperperiod = task.release ? std::lcm(hyperperiod, task.release->period) : hyperperiod;
  }
  return hyperperiod;
}

Ns settled_from(const Model & model, Ns started)
{
  return started + 4 * hyperperiod_of(model) +
         static_cast<Ns>(static_cast<double>(kMostLeft) / (1 - load_of(model)));
}

}  // namespace takt_plan::test
