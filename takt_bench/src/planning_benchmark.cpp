// What it takes to plan and to analyse large systems, on one core.
#include <benchmark/benchmark.h>

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

/// With more work than cores, so that no search ends because all chains fit. Larger systems are searched
/// less thoroughly.
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
  // Once: they take as long as many of the others.
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
  // What docs/plan.md promises of systems of up to 400 callbacks.
  limits.push_back(
    {"plan_400_overloaded", "", 30e9, "400 callbacks on 6 overloaded cores planned"});
  limits.push_back({"plan_1000", "", 1e9, "1,000 callbacks on 16 cores planned"});
  limits.push_back({"analyse_1000", "", 0.2e9, "1,000 callbacks on 16 cores analysed"});
  return takt_bench::run(
    argc, argv, limits,
    {{"plan_250", "plan_1000", 4, "planning, from 250 to 1,000 callbacks"},
     {"plan_1000", "plan_10000", 10, "planning, from 1,000 to 10,000 callbacks"},
     {"analyse_250", "analyse_1000", 4, "analysis, from 250 to 1,000 callbacks"}});
}
