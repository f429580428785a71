// takt_acceptance: how many generated systems each planner finds a schedule for.
//
// Each schedule is judged by the same analysis, and by simulation: which sees fewer responses than
// there are, so what it accepts is not a proof, but what analysis accepts it must not refute.
//
// Exit codes: 0 done, 1 simulation refuted a bound, or the output could not be written, 2 the command
// line is wrong.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "systems/generated_system.hpp"
#include "takt_plan/load_plan.hpp"
#include "takt_plan/planner.hpp"
#include "takt_plan/simulate.hpp"
#include "takt_plan/simulation_model.hpp"
#include "takt_schedule/program.hpp"
#include "takt_schedule/to_yaml.hpp"

namespace
{

using namespace takt_plan;  // NOLINT: a program
using takt_bench::generated_system;
using takt_bench::Shape;

constexpr int kRefuted = 1;
constexpr Ns kSimulated = 3'000'000'000;  // three of the longest periods

struct Point
{
  std::string name;
  Shape shape;
};

struct Count
{
  Planner planner = Planner::takt;
  int accepted = 0;   ///< by the analysis
  int unrefuted = 0;  ///< by simulation
  int refuted = 0;    ///< bounds that simulation was above
  double threads = 0;
};

std::vector<Point> points()
{
  std::vector<Point> result;
  for (const bool by_deadline : {true, false}) {
    for (const double utilization : {2.5, 3.0, 3.5}) {
      result.push_back(
        {by_deadline ? "9 chains × 5, by deadline" : "9 chains × 5, at random",
         {4, 9, 5, utilization, by_deadline}});
    }
  }
  for (const int cores : {2, 4, 8, 16}) {
    result.push_back({"5 chains × 10, by deadline", {cores, 5, 10, 1.0, true}});
  }
  return result;
}

void judge(const takt_schedule::System & system, std::uint64_t seed, Count & count)
{
  PlanOptions options;
  options.planner = count.planner;
  const auto planned = plan_schedule(system, options);
  if (!planned) {
    throw std::runtime_error(to_string(planned.faults().front()));
  }
  count.accepted += all_met(*planned) ? 1 : 0;
  count.threads += static_cast<double>(planned->assignment.threads.size());
  const auto plan = parse_plan(system, takt_schedule::to_yaml(planned->schedule));
  if (!plan) {
    throw std::runtime_error(to_string(plan.faults().front()));
  }
  SimulationOptions run;
  run.duration = kSimulated;
  run.phases = Phases::random;
  run.seed = seed;
  const auto seen = simulate(simulation_model(*plan), run);
  if (!seen) {
    throw std::runtime_error(to_string(seen.faults().front()));
  }
  bool missed = false;
  for (Index chain = 0; chain < seen->chains.size(); ++chain) {
    const auto & responses = seen->chains[chain].responses;
    missed = missed || responses.missed > 0;
    const auto & bound = planned->bounds.chains[chain];
    count.refuted += bound && responses.count > 0 && responses.worst.time() > bound->bound ? 1 : 0;
  }
  count.unrefuted += missed ? 0 : 1;
}

int run(std::uint64_t sets, std::uint64_t seed)
{
  auto json = nlohmann::ordered_json::array();
  int refuted = 0;
  for (const Point & point : points()) {
    std::vector<Count> counts;
    for (const Planner planner : kPlanners) {
      counts.push_back({planner});
    }
    for (std::uint64_t i = 0; i < sets; ++i) {
      const takt_schedule::System system = generated_system(point.shape, seed + i);
      for (Count & count : counts) {
        judge(system, seed + i, count);
      }
    }
    for (const Count & count : counts) {
      refuted += count.refuted;
      json.push_back(
        {{"system", point.name},
         {"cores", point.shape.cores},
         {"utilization", point.shape.utilization},
         {"planner", to_string(count.planner)},
         {"sets", sets},
         {"accepted", count.accepted},
         {"no_miss_simulated", count.unrefuted},
         {"bounds_refuted", count.refuted},
         {"threads", count.threads / static_cast<double>(sets)}});
    }
    fmt::print(
      stderr, "{}, {} cores, load {:.1f}\n", point.name, point.shape.cores,
      point.shape.utilization);
  }
  fmt::print("{}\n", json.dump(2));
  if (refuted > 0) {
    fmt::print(stderr, "takt_acceptance: simulation was above {} bounds\n", refuted);
    return kRefuted;
  }
  return 0;
}

}  // namespace

int main(int argc, char ** argv)
{
  CLI::App app{
    "Counts for how many generated systems planners find a schedule, as JSON.", "takt_acceptance"};
  std::uint64_t sets = 1000;
  std::uint64_t seed = 1;
  app.add_option("--sets", sets, "systems per point")->check(CLI::Range(1, 1'000'000));
  app.add_option("--seed", seed, "of the first system");
  return takt_schedule::run_program(app, argc, argv, [&] { return run(sets, seed); });
}
