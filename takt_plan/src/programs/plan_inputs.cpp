#include "plan_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
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

/// The schedule under which messages of these callbacks wait for their takers.
Schedule with_inputs(Schedule schedule, const Model & model, const std::vector<Index> & inputs)
{
  for (const Index input : inputs) {
    for (takt_schedule::CallbackRule & rule :
         schedule.executors[model.tasks[input].executor].callbacks) {
      if (rule.match == std::vector<std::string>{model.tasks[input].id}) {
        rule.non_triggering.emplace();
        rule.threads.clear();
        rule.priority.reset();
      }
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

/// The callbacks that take the messages. Those that store themselves, and still trigger, come only
/// where there is no other.
std::string takers_of(const System & system, const Model & model, Index input)
{
  std::vector<Index> takers = model.tasks[input].input->takers;
  std::stable_partition(
    takers.begin(), takers.end(), [&](Index task) { return !system.callbacks[task].stores; });
  return model.tasks[takers.front()].id +
         (takers.size() > 1 ? fmt::format(" and {} more of its group", takers.size() - 1) : "");
}

/// Tries `trigger: false` for subscriptions that store. While one of a group still triggers, it
/// takes the messages of the others. So those of a group are tried together first, then each by
/// itself, and those that were refused once more after others were taken.
class Search
{
public:
  Search(
    const System & system, Planned & planned, SimulatedPlan & simulated, double keep_slack,
    Trials & trials)
  : system_(system),
    planned_(planned),
    judge_(system, planned, simulated, keep_slack),
    streams_(planned.model, in_trigger_order(planned.model)),
    trials_(trials)
  {
    for (Index task = 0; task < planned.model.tasks.size(); ++task) {
      if (system.callbacks[task].stores) {
        storing_.push_back(task);
        rate_.push_back(streams_.rate(task));
      } else {
        rate_.push_back(0);
      }
    }
    std::stable_sort(
      storing_.begin(), storing_.end(), [&](Index a, Index b) { return rate_[a] > rate_[b]; });
  }

  void run()
  {
    std::map<Index, std::vector<Index>> groups;
    for (const Index task : storing_) {
      if (const Index group = planned_.model.tasks[task].group; group != kNone) {
        groups[group].push_back(task);
      }
    }
    for (const auto & [group, mates] : groups) {
      if (mates.size() > 1) {
        try_all(mates);
      }
    }
    while (try_each()) {
    }
    say();
  }

private:
  /// Tries each that has not been tried since the plan changed. True: one was taken that another
  /// one may need.
  bool try_each()
  {
    bool taken = false;
    for (const Index task : storing_) {
      const auto refused = refused_.find(task);
      if (
        taken_.count(task) != 0 || (refused != refused_.end() && refused->second.at == changes_)) {
        continue;
      }
      taken = try_all({task}) || taken;
    }
    return taken && !ended_;
  }

  bool try_all(const std::vector<Index> & tasks)
  {
    if (ended_ || !trials_.may_go_on()) {
      ended_ = true;
      return false;
    }
    trials_.tell(taken_.size() + refused_.size(), storing_.size());
    trials_.count();
    const PlanJudge::Verdict verdict =
      take(system_, with_inputs(planned_.schedule, planned_.model, tasks), judge_);
    changes_ += verdict.taken ? 1 : 0;
    for (const Index task : tasks) {
      if (verdict.taken) {
        taken_[task] = task == tasks.front() ? verdict.worse : "";  // the cost of all of them
        refused_.erase(task);
      } else if (tasks.size() == 1) {
        refused_[task] = {verdict.worse, changes_};
      }
    }
    return verdict.taken;
  }

  /// Writes the notes, which name the takers of the last plan.
  void say()
  {
    std::size_t untried = 0;
    for (const Index task : storing_) {
      const std::string & id = planned_.model.tasks[task].id;
      if (const auto taken = taken_.find(task); taken != taken_.end()) {
        planned_.notes.push_back(fmt::format(
          "trigger: false for {}, which stores for {}: {:.0f} messages a second wake no thread{}",
          id, takers_of(system_, planned_.model, task), rate_[task] * 1e9,
          taken->second.empty() ? "" : "; " + taken->second));
      } else if (const auto refused = refused_.find(task); refused != refused_.end()) {
        planned_.notes.push_back(fmt::format(
          "no trigger: false for {}, which stores: with it {}", id, refused->second.why));
      } else {
        ++untried;
      }
    }
    if (untried > 0) {
      planned_.notes.push_back(trials_.why_ended(
        "subscriptions that store, with trigger: false,", untried, storing_.size()));
    }
  }

  struct Refused
  {
    std::string why;
    std::size_t at = 0;  ///< the number of changes of the plan before the trial
  };

  const System & system_;
  Planned & planned_;
  PlanJudge judge_;
  const detail::Streams streams_;
  Trials & trials_;
  std::vector<Index> storing_;          // those with most messages first
  std::vector<double> rate_;            // per task: of those that store
  std::map<Index, std::string> taken_;  // what each costs
  std::map<Index, Refused> refused_;
  std::size_t changes_ = 0;
  bool ended_ = false;
};

}  // namespace

void use_inputs(
  const System & system, Planned & planned, SimulatedPlan & simulated, double keep_slack,
  Trials & trials)
{
  const auto & callbacks = system.callbacks;
  if (std::any_of(
        callbacks.begin(), callbacks.end(), [](const auto & one) { return one.stores; })) {
    Search(system, planned, simulated, keep_slack, trials).run();
  }
}

}  // namespace takt_plan::program
