// takt_acceptance: counts the generated systems for which each planner finds a schedule.
//
// The same analysis judges each schedule. Simulation judges it, too. Simulation sees only some
// responses, so its acceptance is not a proof; but it must not refute a schedule that the analysis
// accepts. For small systems the program also tries all plans, and counts for each planner the
// systems that have a plan and that the planner can plan.
//
// Exit codes: 0 done, 1 simulation refuted a bound, or the output could not be written, 2 the
// command line is faulty.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "systems/exhaustive_search.hpp"
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
using takt_bench::PhasesOf;
using takt_bench::Shape;

constexpr int kRefuted = 1;
constexpr Ns kSimulated = 3'000'000'000;  // three of the longest periods

/// A planner with its options.
struct Contender
{
  const char * name = "";
  Planner planner = Planner::takt;
  bool walks = false;
};

// Planning without a walk corresponds to `--time 0s`.
constexpr std::array kContenders{
  Contender{"takt", Planner::takt, true},
  Contender{"takt, no walk", Planner::takt},
  Contender{"picas", Planner::picas},
  Contender{"isolated", Planner::isolated},
  Contender{"rate-monotonic", Planner::rate_monotonic},
  Contender{"competition", Planner::competition},
  Contender{"competition-literal", Planner::competition_literal},
};
constexpr std::size_t kWithPhases = 5;  // the first contenders also plan the systems with phases

constexpr int kSteps = 10;  // offsets per period in the exhaustive search
constexpr std::array kSmallLoads{0.6, 0.75, 0.9};

struct Point
{
  std::string name;
  Shape shape;
  std::uint64_t sets = 0;
  std::size_t contenders = kContenders.size();
};

struct Count
{
  Contender contender;
  int accepted = 0;   ///< schedules that the analysis accepts
  int unrefuted = 0;  ///< schedules that simulation does not refute
  int refuted = 0;    ///< bounds that a simulated response exceeded
  double threads = 0;
};

struct Numbers
{
  std::uint64_t published = 1000;  ///< number of systems of each shape from publications
  std::uint64_t phases = 25;       ///< number of systems of each shape with and without phases
  std::uint64_t exhaustive = 100;  ///< number of small systems at each load
  std::uint64_t seed = 1;
};

std::vector<Point> points(const Numbers & numbers)
{
  std::vector<Point> result;
  for (const bool by_deadline : {true, false}) {
    for (const double utilization : {2.5, 3.0, 3.5}) {
      result.push_back(
        {by_deadline ? "9 chains × 5, by deadline" : "9 chains × 5, at random",
         {4, 9, 5, utilization, by_deadline},
         numbers.published});
    }
  }
  for (const int cores : {2, 4, 8, 16}) {
    result.push_back({"5 chains × 10, by deadline", {cores, 5, 10, 1.0, true}, numbers.published});
  }
  for (const PhasesOf phases : {PhasesOf::known, PhasesOf::unknown}) {
    for (const int cores : {2, 4, 8}) {
      for (const double load : {0.7, 0.8, 0.9, 0.95}) {
        Shape shape{cores, cores * 9 / 4, 3, load * cores, false, phases};
        const char * const known = phases == PhasesOf::known ? "known" : "unknown";
        result.push_back(
          {fmt::format("{} chains × 3, phases {}", shape.chains, known), shape, numbers.phases,
           kWithPhases});
      }
    }
  }
  std::erase_if(result, [](const Point & point) { return point.sets == 0; });
  return result;
}

PlanOptions options_of(const Contender & contender)
{
  PlanOptions options;
  options.planner = contender.planner;
  options.walks = contender.walks;
  options.enough_when_proven = true;
  return options;
}

Planned plan_of(const takt_schedule::System & system, const PlanOptions & options)
{
  auto planned = plan_schedule(system, options);
  if (!planned) {
    throw std::runtime_error(to_string(planned.faults().front()));
  }
  return std::move(*planned);
}

/// Makes the contender's plan, and counts it.
Planned plan_and_count(const takt_schedule::System & system, Count & count)
{
  Planned planned = plan_of(system, options_of(count.contender));
  count.accepted += all_met(planned) ? 1 : 0;
  count.threads += static_cast<double>(planned.assignment.threads.size());
  return planned;
}

void judge(const takt_schedule::System & system, bool known, std::uint64_t seed, Count & count)
{
  const Planned planned = plan_and_count(system, count);
  const auto plan = parse_plan(system, takt_schedule::to_yaml(planned.schedule));
  if (!plan) {
    throw std::runtime_error(to_string(plan.faults().front()));
  }
  SimulationOptions run;
  run.duration = kSimulated;
  run.phases = known || !planned.assignment.offsets.empty() ? Phases::fixed : Phases::random;
  run.seed = seed;
  const auto seen = simulate(simulation_model(*plan), run);
  if (!seen) {
    throw std::runtime_error(to_string(seen.faults().front()));
  }
  bool missed = false;
  for (Index chain = 0; chain < seen->chains.size(); ++chain) {
    const auto & responses = seen->chains[chain].responses;
    missed = missed || responses.missed > 0;
    const auto & bound = planned.bounds.chains[chain];
    count.refuted += bound && responses.count > 0 && responses.worst.time() > bound->bound ? 1 : 0;
  }
  count.unrefuted += missed ? 0 : 1;
}

nlohmann::ordered_json as_json(
  const char * part, const std::string & system, const Shape & shape, std::uint64_t sets,
  const Count & count)
{
  return {
    {"part", part},
    {"system", system},
    {"cores", shape.cores},
    {"utilization", shape.utilization},
    {"planner", count.contender.name},
    {"sets", sets},
    {"accepted", count.accepted},
    {"no_miss_simulated", count.unrefuted},
    {"bounds_refuted", count.refuted},
    {"threads", sets > 0 ? count.threads / static_cast<double>(sets) : 0}};
}

/// Counts the plans of each planner for the systems of a shape. Returns the number of refuted
/// bounds.
int compare(const Point & point, std::uint64_t seed, nlohmann::ordered_json & json)
{
  const PhasesOf phases = point.shape.phases;
  std::vector<Count> counts;
  for (std::size_t i = 0; i < point.contenders; ++i) {
    counts.push_back({kContenders[i]});
  }
  for (std::uint64_t i = 0; i < point.sets; ++i) {
    const takt_schedule::System system = generated_system(point.shape, seed + i);
    for (Count & count : counts) {
      judge(system, phases == PhasesOf::known, seed + i, count);
    }
  }
  int refuted = 0;
  for (const Count & count : counts) {
    refuted += count.refuted;
    json.push_back(as_json(
      phases == PhasesOf::any_period ? "published" : "phases", point.name, point.shape, point.sets,
      count));
  }
  fmt::print(
    stderr, "{}, {} cores, load {:.1f}\n", point.name, point.shape.cores, point.shape.utilization);
  return refuted;
}

/// Counts for each planner the small systems that exhaustive search can plan, and that the planner
/// can plan, too.
void compare_with_exhaustive(double load, const Numbers & numbers, nlohmann::ordered_json & json)
{
  std::vector<Count> counts;
  for (std::size_t i = 0; i < kWithPhases; ++i) {
    counts.push_back({kContenders[i]});
  }
  std::uint64_t feasible = 0;
  for (std::uint64_t i = 0; i < numbers.exhaustive; ++i) {
    const takt_schedule::System system = takt_bench::small_system(load, numbers.seed + i);
    if (!takt_bench::exhaustive_search(system, kSteps).plan) {
      continue;
    }
    ++feasible;
    for (Count & count : counts) {
      const Planned planned = plan_and_count(system, count);
      if (count.contender.walks && !all_met(planned)) {
        fmt::print(
          stderr, "exhaustive search plans the system of seed {} and load {}, and takt does not\n",
          numbers.seed + i, load);
      }
    }
  }
  for (const Count & count : counts) {
    Shape shape;
    shape.cores = 0;  // one or two
    shape.utilization = load;
    json.push_back(as_json("exhaustive", "small", shape, feasible, count));
  }
  fmt::print(stderr, "small systems, load {}: {} can be planned\n", load, feasible);
}

int run(const Numbers & numbers)
{
  auto json = nlohmann::ordered_json::array();
  int refuted = 0;
  for (const Point & point : points(numbers)) {
    refuted += compare(point, numbers.seed, json);
  }
  if (numbers.exhaustive > 0) {
    for (const double load : kSmallLoads) {
      compare_with_exhaustive(load, numbers, json);
    }
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
  Numbers numbers;
  const CLI::Range any(0, 1'000'000);
  app.add_option("--published", numbers.published, "systems of each published shape")->check(any);
  app.add_option("--phases", numbers.phases, "of each shape with and without phases")->check(any);
  app.add_option("--exhaustive", numbers.exhaustive, "small systems at each load")->check(any);
  app.add_option("--seed", numbers.seed, "of the first system");
  return takt_schedule::run_program(app, argc, argv, [&] { return run(numbers); });
}
