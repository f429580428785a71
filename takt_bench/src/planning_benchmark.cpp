// What it takes to plan and to analyse large systems, on one core.
#include <benchmark/benchmark.h>

#include <string>
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

takt_schedule::System system_of(int callbacks)
{
  Shape shape;
  shape.cores = kCores;
  shape.chains = callbacks / kCallbacks;
  shape.callbacks = kCallbacks;
  shape.utilization = kLoad * kCores;
  return takt_bench::generated_system(shape, 1);
}

void plan(benchmark::State & state, int callbacks)
{
  const takt_schedule::System system = system_of(callbacks);
  for (auto _ : state) {
    benchmark::DoNotOptimize(takt_plan::plan_schedule(system));
  }
}

void analyse(benchmark::State & state, int callbacks)
{
  const auto planned = takt_plan::plan_schedule(system_of(callbacks));
  for (auto _ : state) {
    benchmark::DoNotOptimize(takt_plan::bounds(planned->model));
  }
}

}  // namespace

int main(int argc, char ** argv)
{
  std::vector<takt_bench::Limit> limits;
  for (const int callbacks : {250, 500, 1000}) {
    const std::string size = std::to_string(callbacks);
    benchmark::RegisterBenchmark(("plan_" + size).c_str(), plan, callbacks)
      ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("analyse_" + size).c_str(), analyse, callbacks)
      ->Unit(benchmark::kMillisecond);
  }
  // Once: they take as long as many of the others.
  for (const int callbacks : {3000, 10'000}) {
    const std::string name = "plan_" + std::to_string(callbacks);
    benchmark::RegisterBenchmark(name.c_str(), plan, callbacks)
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1)
      ->Repetitions(1);
  }
  limits.push_back({"plan_10000", "", 120e9, "10,000 callbacks on 16 cores planned"});
  limits.push_back({"plan_1000", "", 10e9, "1,000 callbacks on 16 cores planned"});
  limits.push_back({"analyse_1000", "", 0.2e9, "1,000 callbacks on 16 cores analysed"});
  return takt_bench::run(argc, argv, limits);
}
