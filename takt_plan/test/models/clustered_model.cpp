#include "models/clustered_model.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "models/close_releases.hpp"
#include "support/random_pool_model.hpp"

namespace takt_plan::test
{
namespace
{

class Clusters
{
public:
  Clusters(Model model, std::uint64_t seed) : model_(std::move(model)), random_(seed * 43 + 1) {}

  Model make()
  {
    while (model_.cores.size() < static_cast<Index>(pick(2, 3))) {
      model_.cores.push_back({0, static_cast<int>(model_.cores.size())});
    }
    if (pick(0, 7) != 0) {
      model_.others.clear();
    }
    const Index threads = model_.threads.size();
    const bool all_cores = pick(0, 2) == 0;
    for (Index thread = 0; thread < threads; ++thread) {
      if (pick(0, 1) == 0) {
        model_.threads[thread].cores = all_cores ? every_core() : some_cores();
      }
      if (pick(0, 2) == 0) {
        add_pool(thread);
      }
    }
    if (pick(0, 1) == 0) {
      lengthen();
    }
    return std::move(model_);
  }

private:
  int pick(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  std::vector<Index> every_core() const
  {
    std::vector<Index> cores(model_.cores.size());
    for (Index core = 0; core < cores.size(); ++core) {
      cores[core] = core;
    }
    return cores;
  }

  std::vector<Index> some_cores()
  {
    std::vector<Index> cores = every_core();
    std::shuffle(cores.begin(), cores.end(), random_);
    cores.resize(static_cast<std::size_t>(pick(1, static_cast<int>(cores.size()))));
    std::sort(cores.begin(), cores.end());
    return cores;
  }

  void add_pool(Index thread)
  {
    const bool apart = pick(0, 1) == 0;
    const auto cores = static_cast<int>(model_.cores.size());
    const int more = apart ? pick(1, cores - 1) : pick(1, 2);
    std::vector<Index> own = every_core();
    std::shuffle(own.begin(), own.end(), random_);
    std::vector<Index> threads{thread};
    if (apart) {
      model_.threads[thread].cores = {own.back()};
    }
    for (int i = 0; i < more; ++i) {
      Thread mate = model_.threads[thread];
      mate.name += "." + std::to_string(i + 1);
      if (apart) {
        mate.cores = {own[static_cast<Index>(i)]};
      }
      threads.push_back(model_.threads.size());
      model_.threads.push_back(std::move(mate));
    }
    Index group = kNone;
    if (pick(0, 2) == 0) {
      group = model_.groups.size();
      model_.groups.push_back({"g" + std::to_string(group), true});
    }
    for (Task & task : model_.tasks) {
      if (task.threads == std::vector<Index>{thread}) {
        task.threads = threads;
        task.group = pick(0, 1) == 0 ? group : kNone;
      }
    }
  }

  /// More cores have less to do each.
  void lengthen()
  {
    for (Task & task : model_.tasks) {
      task.time = task.time * pick(10, 16) / 10;
    }
  }

  Model model_;
  std::mt19937_64 random_;
};

}  // namespace

Model clustered(Model model, std::uint64_t seed)
{
  return Clusters(std::move(model), seed).make();
}

Model phased_pools(std::uint64_t seed)
{
  Model model = random_pool_model(seed);
  std::mt19937_64 random(seed * 47 + 1);
  const auto pick = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  std::vector<std::vector<Index>> pools(model.executors.size());
  for (Index thread = 0; thread < model.threads.size(); ++thread) {
    pools[model.threads[thread].executor].push_back(thread);
  }
  const bool together = pick(0, 2) == 0;  // all threads of a pool on all of its cores
  const bool shared = pick(0, 1) == 0;    // all pools begin with core 0
  for (const std::vector<Index> & pool : pools) {
    std::vector<Index> cores;
    for (Index i = 0; i < pool.size(); ++i) {
      cores.push_back(shared ? i : model.threads[pool[i]].cores.front());
    }
    for (Index i = 0; i < pool.size(); ++i) {
      Thread & thread = model.threads[pool[i]];
      thread.priority = model.threads[pool.front()].priority;
      thread.cores = together ? cores : std::vector<Index>{cores[i]};
    }
  }
  for (Task & task : model.tasks) {
    task.threads = pools[task.executor];
    if (task.group != kNone && !model.groups[task.group].exclusive) {
      task.group = kNone;
    }
    if (task.release && !task.release->offset) {
      task.timer = true;
      task.release->offset = pick(0, 20) * 50;
    }
  }
  return with_close_offsets(std::move(model), seed);
}

}  // namespace takt_plan::test
