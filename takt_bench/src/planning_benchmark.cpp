// The time of planning and analysing large systems, and systems with many jobs in a hyperperiod, on
// one core.
#include <benchmark/benchmark.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "ratio_reporter.hpp"
#include "systems/generated_system.hpp"
#include "takt_plan/bounds.hpp"
#include "takt_plan/planner.hpp"

namespace
{

using takt_bench::Shape;

constexpr int kCores = 16;
constexpr int kCallbacks = 5;  // of each chain
constexpr double kLoad = 0.6;  // of each core

Shape shape_of(int callbacks)
{
  Shape shape;
  shape.cores = kCores;
  shape.chains = callbacks / kCallbacks;
  shape.callbacks = kCallbacks;
  shape.utilization = kLoad * kCores;
  return shape;
}

/// More work than the cores can do, so that no search ends because all chains fit. The search in
/// larger systems is less thorough.
Shape overloaded()
{
  Shape shape = shape_of(400);
  shape.cores = 6;
  shape.utilization = 6.5;
  return shape;
}

void plan(benchmark::State & state, const Shape & shape)
{
  const takt_schedule::System system = takt_bench::generated_system(shape, 1);
  for (auto _ : state) {
    benchmark::DoNotOptimize(takt_plan::plan_schedule(system));
  }
}

void analyse(benchmark::State & state, const Shape & shape)
{
  const auto planned = takt_plan::plan_schedule(takt_bench::generated_system(shape, 1));
  for (auto _ : state) {
    benchmark::DoNotOptimize(takt_plan::bounds(planned->model));
  }
}

/// 16 chains of five callbacks, four of each period, back and forth over four cores with a thread
/// for each period on each core, so that all of them belong together. All timers have offsets on
/// one epoch. The longest period is of 70 ms, and the hyperperiod then of 2.1 s and 4,940 jobs; or
/// of 112 ms, and the hyperperiod of 8.4 s and 18,860 jobs.
takt_plan::Model with_phases(takt_plan::Ns longest_period)
{
  constexpr takt_plan::Ns kMs = 1'000'000;
  constexpr takt_plan::Index kJobCores = 4;
  constexpr takt_plan::Index kChainsOfAPeriod = 4;
  const std::array<takt_plan::Ns, 4> periods{20 * kMs, 30 * kMs, 50 * kMs, longest_period * kMs};
  takt_plan::Model model;
  model.hosts = {"car"};
  model.executors = {"main"};
  model.epochs = {takt_core::Epoch::start};
  for (takt_plan::Index core = 0; core < kJobCores; ++core) {
    model.cores.push_back({0, static_cast<int>(core)});
  }
  // Each thread of a core is more urgent than the threads of longer periods.
  for (takt_plan::Index period = 0; period < periods.size(); ++period) {
    for (takt_plan::Index core = 0; core < kJobCores; ++core) {
      takt_plan::Thread thread;
      thread.name = "thread" + std::to_string(model.threads.size());
      thread.kind = takt_plan::ThreadClass::fixed_priority;
      thread.priority = 90 - static_cast<int>(period);
      thread.cores = {core};
      thread.order = takt_core::Order::priority;
      model.threads.push_back(thread);
    }
  }
  for (takt_plan::Index chain = 0; chain < periods.size() * kChainsOfAPeriod; ++chain) {
    const takt_plan::Index period = chain % periods.size();
    takt_plan::Chain path;
    path.name = "chain" + std::to_string(chain);
    path.deadline = periods[period];
    for (takt_plan::Index i = 0; i < kCallbacks; ++i) {
      takt_plan::Task task;
      task.id = "/c" + std::to_string(chain) + "_" + std::to_string(i);
      task.threads = {period * kJobCores + (chain / periods.size() + i) % kJobCores};
      task.priority = static_cast<int>(1 + (chain + i) % 200);
      // Each period gives each core the same load.
      task.time = static_cast<takt_plan::Ns>(
        kLoad * kJobCores / periods.size() / kCallbacks / kChainsOfAPeriod *
        static_cast<double>(periods[period]));
      if (i == 0) {
        task.timer = true;
        task.release = takt_plan::Release{};
        task.release->period = periods[period];
        task.release->offset = static_cast<takt_plan::Ns>(7 * chain) * kMs % periods[period];
      } else {
        task.triggers = {{model.tasks.size() - 1, 0, 0}};
      }
      path.path.push_back(model.tasks.size());
      model.tasks.push_back(std::move(task));
    }
    model.chains.push_back(std::move(path));
  }
  return model;
}

void analyse_jobs(benchmark::State & state, takt_plan::Ns longest_period)
{
  const takt_plan::Model model = with_phases(longest_period);
  for (auto _ : state) {
    const auto found = takt_plan::bounds(model);
    const bool by_phases = found && found->chains.front() &&
                           found->chains.front()->analysis == takt_plan::Analysis::jobs;
    if (!by_phases) {
      state.SkipWithError("the first chain has no bound by phases");
      break;
    }
    benchmark::DoNotOptimize(found);
  }
}

}  // namespace

int main(int argc, char ** argv)
{
  std::vector<takt_bench::Limit> limits;
  for (const int callbacks : {250, 500, 1000}) {
    const std::string size = std::to_string(callbacks);
    benchmark::RegisterBenchmark(("plan_" + size).c_str(), plan, shape_of(callbacks))
      ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("analyse_" + size).c_str(), analyse, shape_of(callbacks))
      ->Unit(benchmark::kMillisecond);
  }
  for (const auto & [name, longest] :
       {std::pair{"analyse_4940_jobs", 70}, {"analyse_18860_jobs", 112}}) {
    benchmark::RegisterBenchmark(name, analyse_jobs, longest)->Unit(benchmark::kMillisecond);
  }
  // Run these once: each takes as long as many of the others together.
  for (const auto & [name, shape] :
       {std::pair{"plan_3000", shape_of(3000)},
        {"plan_10000", shape_of(10'000)},
        {"plan_400_overloaded", overloaded()}}) {
    benchmark::RegisterBenchmark(name, plan, shape)
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1)
      ->Repetitions(1);
  }
  limits.push_back({"plan_10000", "", 60e9, "10,000 callbacks on 16 cores planned"});
  // The limit that docs/plan.md promises for systems of up to 400 callbacks.
  limits.push_back(
    {"plan_400_overloaded", "", 30e9, "400 callbacks on 6 overloaded cores planned"});
  limits.push_back({"plan_1000", "", 1e9, "1,000 callbacks on 16 cores planned"});
  limits.push_back({"analyse_1000", "", 0.2e9, "1,000 callbacks on 16 cores analysed"});
  limits.push_back(
    {"analyse_18860_jobs", "", 1e9, "a hyperperiod of 18,860 jobs of 80 callbacks analysed"});
  return takt_bench::run(
    argc, argv, limits,
    // The search in systems of up to 400 callbacks is more thorough.
    {{"plan_500", "plan_1000", 2, "planning, from 500 to 1,000 callbacks"},
     {"plan_1000", "plan_10000", 10, "planning, from 1,000 to 10,000 callbacks"},
     {"analyse_250", "analyse_1000", 4, "analysis, from 250 to 1,000 callbacks"},
     {"analyse_4940_jobs", "analyse_18860_jobs", 18'860.0 / 4'940.0,
      "analysis of the same callbacks, from 4,940 to 18,860 jobs"}});
}
