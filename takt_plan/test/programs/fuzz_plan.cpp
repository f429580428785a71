// libFuzzer's entry: `takt plan`, `takt explain` and `takt simulate` with a system and a schedule.
// fuzz_plan_test.cpp also calls it without libFuzzer. Both files are one text, with a line "==="
// between them.
//
// For any bytes there is an answer, or faults of one sentence each. A written plan can be read
// back, and has the bounds that the planner reported.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/end_to_end/history_depth.hpp"
#include "takt_plan/bounds.hpp"
#include "takt_plan/end_to_end.hpp"
#include "takt_plan/load_plan.hpp"
#include "takt_plan/planner.hpp"
#include "takt_plan/simulate.hpp"
#include "takt_plan/simulation_model.hpp"
#include "takt_schedule/parse_system.hpp"
#include "takt_schedule/to_yaml.hpp"

/// Counts the texts that reached an analysis, a simulation and a plan.
std::size_t takt_fuzz_explained = 0;
std::size_t takt_fuzz_simulated = 0;
std::size_t takt_fuzz_planned = 0;

namespace
{

using takt_plan::Bounds;
using takt_rt::Faults;

constexpr std::string_view kBetween = "\n===\n";

/// Planning larger systems takes long, and finds no further faults.
constexpr std::size_t kMostCallbacks = 20;
/// Limits of a simulation: periods of the shortest source, and messages in all histories.
constexpr takt_plan::Ns kPeriods = 20;
constexpr std::size_t kMostMessages = 10'000;

void require(bool condition, const char * what, const std::string & detail)
{
  if (!condition) {
    std::fprintf(stderr, "%s: %s\n", what, detail.c_str());
    std::abort();
  }
}

void require_sentences(const Faults & faults)
{
  for (const std::string & fault : sentences(faults)) {
    require(!fault.empty() && fault.find('\n') == std::string::npos, "no sentence", fault);
  }
}

/// The bounds as text, for comparisons.
template <typename Answer, typename Value>
std::string shown(const std::vector<takt_rt::Result<Answer>> & answers, const Value & value)
{
  std::string text;
  for (const auto & answer : answers) {
    require_sentences(answer.faults());
    if (answer) {
      require(value(*answer) >= 0, "negative bound", std::to_string(value(*answer)));
    }
    text += answer ? std::to_string(value(*answer)) : to_string(answer.faults().front());
    text += '\n';
  }
  return text;
}

std::string shown(const Bounds & bounds)
{
  return shown(bounds.tasks, [](takt_plan::Ns bound) { return bound; }) +
         shown(bounds.chains, [](const takt_plan::ChainAnswer & answer) { return answer.bound; });
}

/// Calls the other analyses of `takt explain`: end-to-end bounds, and depths of histories.
void explain_chains(const takt_plan::Model & model)
{
  const auto found = takt_plan::end_to_end(model, {}, true);
  require(found.ok(), "no chains", found ? "" : to_string(found.faults().front()));
  for (const auto & chain : found->chains) {
    require_sentences(chain.faults());
    if (chain) {
      shown(
        std::vector{chain->reaction_time, chain->data_age, chain->age_at_output},
        [](takt_plan::Ns time) { return time; });
    }
  }
  const auto depths = takt_plan::history_depths(model);
  require(depths.ok(), "no depths", depths ? "" : to_string(depths.faults().front()));
  for (const takt_plan::HistoryDepth & depth : *depths) {
    require_sentences(depth.needed.faults());
    require(!depth.needed || *depth.needed >= 1, "no history", "");
  }
}

/// The duration of the simulation; 0: none.
takt_plan::Ns duration(const takt_plan::SimulationModel & model)
{
  takt_plan::Ns shortest = 1'000'000'000;
  for (const takt_plan::Task & task : model.model.tasks) {
    shortest = task.release ? std::min(shortest, task.release->period) : shortest;
  }
  for (const takt_plan::OtherLoad & other : model.model.others) {
    shortest = std::min(shortest, other.period);
  }
  std::size_t messages = 0;
  for (const auto & task : model.tasks) {
    messages += std::min<std::size_t>(task.depth, kMostMessages + 1);
  }
  return messages > kMostMessages ? 0 : shortest * kPeriods;
}

void simulate(const takt_plan::SimulationModel & model)
{
  takt_plan::SimulationOptions options;
  options.duration = duration(model);
  options.runs = 2;
  if (options.duration > 0) {
    for (const auto phases : {takt_plan::Phases::random, takt_plan::Phases::adversarial}) {
      options.phases = phases;
      const auto result = takt_plan::simulate(model, options);
      require_sentences(result.faults());
      takt_fuzz_simulated += result ? 1 : 0;
    }
  }
}

void explain(std::string_view system, std::string_view schedule)
{
  const auto plan = takt_plan::parse_plan(system, schedule);
  require_sentences(plan.faults());
  if (plan) {
    const auto bounds = takt_plan::bounds(plan->model);
    require(bounds.ok(), "no model", bounds ? "" : to_string(bounds.faults().front()));
    shown(*bounds);
    explain_chains(plan->model);
    simulate(takt_plan::simulation_model(*plan));
    ++takt_fuzz_explained;
  }
}

void plan(std::string_view text, takt_plan::Planner planner)
{
  const auto system = takt_schedule::parse_system(text, "system.yaml");
  require_sentences(system.faults());
  if (!system || system->callbacks.size() > kMostCallbacks) {
    return;
  }
  takt_plan::PlanOptions options;
  options.planner = planner;
  const auto planned = takt_plan::plan_schedule(*system, options);
  require_sentences(planned.faults());
  if (planned) {
    const std::string written = takt_schedule::to_yaml(planned->schedule);
    const auto again = takt_plan::parse_plan(*system, written);
    require(
      again.ok(), "written, but not read back", again ? "" : to_string(again.faults().front()));
    const auto bounds = takt_plan::bounds_through_reads(again->model);
    require(bounds.ok(), "no model", written);
    require(shown(*bounds) == shown(planned->bounds), "other bounds", written);
    ++takt_fuzz_planned;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  const std::size_t between = std::min(text.find(kBetween), size);
  const std::string_view system = text.substr(0, between);
  const std::size_t rest = std::min(size, between + kBetween.size());
  explain(system, text.substr(rest));
  plan(system, takt_plan::kPlanners[size % takt_plan::kPlanners.size()]);
  return 0;
}
