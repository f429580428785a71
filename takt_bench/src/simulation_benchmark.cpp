// The cost of a simulated run of a callback: a graph of the size of Autoware's, with 36 callbacks
// in chains on four threads with a core each.
#include <benchmark/benchmark.h>

#include <stdexcept>
#include <string>

#include "ratio_reporter.hpp"
#include "takt_plan/simulate.hpp"

namespace
{

using takt_core::Order;
using takt_plan::Index;
using takt_plan::Ns;

constexpr Index kThreads = 4;
constexpr Index kChains = 6;
constexpr Index kLength = 6;
constexpr Ns kMs = 1'000'000;

/// Each core has a load of one half, with overheads.
takt_plan::SimulationModel graph(Order order)
{
  takt_plan::Model model;
  model.hosts = {"host"};
  model.executors = {"main"};
  for (Index i = 0; i < kThreads; ++i) {
    model.cores.push_back({0, static_cast<int>(i)});
    takt_plan::Thread thread;
    thread.name = "t" + std::to_string(i);
    thread.kind = takt_plan::ThreadClass::fixed_priority;
    thread.priority = 50;
    thread.cores = {0, 1, 2, 3};
    thread.order = order;
    model.threads.push_back(thread);
  }
  for (Index chain = 0; chain < kChains; ++chain) {
    model.chains.push_back({"chain" + std::to_string(chain), {}, 0, takt_plan::kUnbounded});
    for (Index i = 0; i < kLength; ++i) {
      takt_plan::Task task;
      task.id = "/c" + std::to_string(model.tasks.size());
      task.threads = {0, 1, 2, 3};
      task.priority = static_cast<int>(chain);
      task.time = 3 * kMs;
      task.dispatch = 2'000;
      if (i == 0) {
        task.timer = true;
        task.release = takt_plan::Release{static_cast<Ns>(40 + 10 * chain) * kMs, 0, {}};
      } else {
        task.triggers = {{model.tasks.size() - 1, 0, 0}};
      }
      model.chains.back().path.push_back(model.tasks.size());
      model.tasks.push_back(task);
    }
  }
  auto result = takt_plan::simulation_model(std::move(model));
  if (!result) {
    throw std::runtime_error(to_string(result.faults().front()));
  }
  return *result;
}

void simulated_job(benchmark::State & state, Order order)
{
  const takt_plan::SimulationModel model = graph(order);
  takt_plan::SimulationOptions options;
  options.duration = 10'000 * kMs;
  const auto jobs = static_cast<benchmark::IterationCount>(simulate(model, options)->jobs);
  while (state.KeepRunningBatch(jobs)) {
    benchmark::DoNotOptimize(simulate(model, options));
  }
}

}  // namespace

int main(int argc, char ** argv)
{
  std::vector<takt_bench::Limit> limits;
  for (const auto & [name, order] :
       {std::pair{"priority", Order::priority}, std::pair{"fifo", Order::fifo},
        std::pair{"edf", Order::edf}, std::pair{"window", Order::window}}) {
    const std::string job = std::string(name) + "_simulated_job";
    benchmark::RegisterBenchmark(job.c_str(), simulated_job, order);
    // Ten million runs in a minute.
    limits.push_back({job, "", 6'000, std::string(name) + ": a simulated run of a callback"});
  }
  return takt_bench::run(argc, argv, limits);
}
