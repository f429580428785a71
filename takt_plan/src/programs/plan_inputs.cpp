#include "plan_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analysis/inputs/inputs.hpp"
#include "model/build_model.hpp"
#include "model/streams.hpp"
#include "plan_judge.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan::program
{
namespace
{

using takt_schedule::quoted;
using takt_schedule::Schedule;
using takt_schedule::System;

/// The schedule under which messages of this callback wait for their takers.
Schedule with_input(Schedule schedule, Index executor, const std::string & id)
{
  for (takt_schedule::CallbackRule & rule : schedule.executors[executor].callbacks) {
    if (rule.match == std::vector<std::string>{id}) {
      rule.non_triggering.emplace();
      rule.threads.clear();
      rule.priority.reset();
    }
  }
  return schedule;
}

/// Takes the change, or says what is worse with it.
PlanJudge::Verdict take(const System & system, const Schedule & schedule, PlanJudge & judge)
{
  auto model = build_model(system, schedule);
  if (model) {
    model = with_inputs_in_takers(std::move(*model));
  }
  if (!model) {
    return {false, to_string(model.faults().front())};
  }
  return judge.take(std::move(*model), schedule);
}

std::string taker_of(const Model & model, Index input)
{
  const std::vector<Index> & takers = model.tasks[input].input->takers;
  return model.tasks[takers.front()].id +
         (takers.size() > 1 ? fmt::format(" and {} more of its group", takers.size() - 1) : "");
}

}  // namespace

void use_inputs(
  const System & system, Planned & planned, SimulatedPlan & simulated, double keep_slack,
  const std::function<bool()> & may_go_on)
{
  const detail::Streams streams(planned.model, in_trigger_order(planned.model));
  std::vector<Index> storing;
  for (Index task = 0; task < planned.model.tasks.size(); ++task) {
    if (system.callbacks[task].stores) {
      storing.push_back(task);
    }
  }
  std::stable_sort(storing.begin(), storing.end(), [&](Index a, Index b) {
    return streams.rate(a) > streams.rate(b);
  });
  if (storing.empty()) {
    return;
  }
  PlanJudge judge(system, planned, simulated, keep_slack);
  for (Index i = 0; i < storing.size(); ++i) {
    if (!may_go_on()) {
      planned.notes.push_back(fmt::format(
        "the time ended the search before {} of {} subscriptions that store were tried with "
        "trigger: false",
        storing.size() - i, storing.size()));
      return;
    }
    const Index task = storing[i];
    const std::string id = planned.model.tasks[task].id;
    const PlanJudge::Verdict verdict =
      take(system, with_input(planned.schedule, planned.model.tasks[task].executor, id), judge);
    planned.notes.push_back(
      verdict.taken
        ? fmt::format(
            "trigger: false for {}, which stores for {}: {:.0f} messages a second wake no thread{}",
            id, taker_of(planned.model, task), streams.rate(task) * 1e9,
            verdict.worse.empty() ? "" : "; " + verdict.worse)
        : fmt::format("no trigger: false for {}, which stores: with it {}", id, verdict.worse));
  }
}

}  // namespace takt_plan::program
