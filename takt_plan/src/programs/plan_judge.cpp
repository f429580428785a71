#include "plan_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analysis/end_to_end/history_depth.hpp"
#include "depth_report.hpp"
#include "model/printed.hpp"
#include "takt_plan/end_to_end.hpp"
#include "takt_plan/settling.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan::program
{
namespace
{

using detail::printed;
using detail::printed_up;
using takt_schedule::quoted;

/// True if this share of the chain's deadline stays to spare.
bool keeps(const Chain & chain, Ns bound, std::optional<double> share)
{
  return share && chain.deadline != kUnbounded && bound <= chain.deadline &&
         static_cast<double>(chain.deadline - bound) >=
           *share * static_cast<double>(chain.deadline);
}

/// A timer whose run may end at its next release may skip periods.
bool skips(const Model & model, const Bounds & bounds, Index task)
{
  const Task & timer = model.tasks[task];
  return timer.timer && bounds.tasks[task] && *bounds.tasks[task] >= timer.release->period;
}

/// What is worse by bounds; empty: nothing.
std::string worse(
  const Model & model, const Bounds & before, const Bounds & after,
  std::optional<double> keep_slack)
{
  for (Index i = 0; i < before.chains.size(); ++i) {
    if (!before.chains[i]) {
      continue;
    }
    const Chain & chain = model.chains[i];
    if (!after.chains[i]) {
      return "chain " + quoted(chain.name) + " has no bound";
    }
    const Ns bound = after.chains[i]->bound;
    if (bound > before.chains[i]->bound && !keeps(chain, bound, keep_slack)) {
      return fmt::format(
        "the bound of chain {} is {} instead of {}", quoted(chain.name), printed(bound),
        printed(before.chains[i]->bound));
    }
  }
  for (Index i = 0; i < before.tasks.size(); ++i) {
    if (before.tasks[i] && !after.tasks[i] && !model.tasks[i].input) {
      return quoted(model.tasks[i].id) + " has no bound";
    }
    if (before.tasks[i] && !skips(model, before, i) && skips(model, after, i)) {
      return quoted(model.tasks[i].id) + " may skip periods";
    }
  }
  return {};
}

std::string longer(const Chain & chain, Ns before, Ns after)
{
  return fmt::format(
    "chain {} takes {} in simulation instead of {}", quoted(chain.name), printed_up(after),
    printed_up(before));
}

/// What is worse in simulation; empty: nothing. `bounds`: of the changed plan.
std::string worse(
  const Model & model, const Bounds & bounds, const SimulatedPlan & before,
  const SimulatedPlan & after, std::optional<double> keep_slack)
{
  if (after.skipped > before.skipped) {
    return fmt::format("timers skip {} periods in simulation", after.skipped);
  }
  if (after.lost > before.lost) {
    return fmt::format(
      "{} messages are overwritten before they are taken in simulation, instead of {}", after.lost,
      before.lost);
  }
  for (Index i = 0; i < before.chains.size(); ++i) {
    const auto & one = before.chains[i];
    const auto & other = after.chains[i];
    const Chain & chain = model.chains[i];
    if (other.count == 0 && one.count != 0) {
      return "chain " + quoted(chain.name) + " never ends in simulation";
    }
    if (
      one.count != 0 && other.worst > one.worst &&
      (!bounds.chains[i] || !keeps(chain, bounds.chains[i]->bound, keep_slack))) {
      return longer(chain, one.worst, other.worst);
    }
    if (other.missed > one.missed) {
      return "chain " + quoted(chain.name) + " misses more deadlines in simulation";
    }
  }
  return {};
}

/// The chain whose response grows most; empty: none grows.
std::string cost(const Model & model, const SimulatedPlan & before, const SimulatedPlan & after)
{
  Ns most = 0;
  std::string told;
  for (Index i = 0; i < before.chains.size(); ++i) {
    const Ns more = after.chains[i].worst - before.chains[i].worst;
    if (before.chains[i].count != 0 && more > most) {
      most = more;
      told = longer(model.chains[i], before.chains[i].worst, after.chains[i].worst);
    }
  }
  return told;
}

}  // namespace

PlanJudge::PlanJudge(
  const takt_schedule::System & system, Planned & planned, SimulatedPlan & simulated,
  std::optional<double> keep_slack)
: system_(system),
  planned_(planned),
  simulated_(simulated),
  keep_slack_(keep_slack),
  short_(short_histories(planned.model))
{
}

PlanJudge::Histories PlanJudge::short_histories(const Model & model) const
{
  Histories all;
  const auto depths = history_depths(model);
  for (const HistoryDepth & depth : depths ? *depths : std::vector<HistoryDepth>()) {
    if (too_small(system_, depth)) {
      all.emplace(depth.task, depth.topic);
    }
  }
  return all;
}

PlanJudge::Verdict PlanJudge::take(Model model, takt_schedule::Schedule schedule)
{
  auto bounds = bounds_through_reads(model);
  if (!bounds) {
    return {false, to_string(bounds.faults().front())};
  }
  if (std::string what = worse(model, planned_.bounds, *bounds, keep_slack_); !what.empty()) {
    return {false, std::move(what)};
  }
  for (const auto & history : short_histories(model)) {
    if (short_.count(history) == 0) {
      return {
        false, "the history of " + quoted(model.tasks[history.first].id) + " may be too short"};
    }
  }
  auto simulated = simulate_plan(system_, schedule);
  if (!simulated) {
    return {false, to_string(simulated.faults().front())};
  }
  if (std::string what = worse(model, *bounds, simulated_, *simulated, keep_slack_);
      !what.empty()) {
    return {false, std::move(what)};
  }
  Verdict verdict{true, cost(model, simulated_, *simulated)};
  planned_.settling = settling(model, *bounds);
  say(planned_.settling, model, schedule);
  planned_.model = std::move(model);
  planned_.bounds = std::move(*bounds);
  planned_.schedule = std::move(schedule);
  simulated_ = std::move(*simulated);
  return verdict;
}

}  // namespace takt_plan::program
