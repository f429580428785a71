#include "takt_plan/settling.hpp"

#include <algorithm>
#include <unordered_map>

#include "analysis/jobs/job_graph.hpp"
#include "model/flow.hpp"
#include "model/printed.hpp"
#include "takt_plan/end_to_end.hpp"

namespace takt_plan
{
namespace
{

// Beyond either limit, each set that one start leaves in one order counts as a set that does not
// settle.
constexpr Index kMostTasksTried = 1'000;
constexpr Index kMostWorkTried = 5'000;  // sets times tasks, one set after the other

// The longest time, in whole hyperperiods, until all sources of a part with known phases have
// begun; 0: no part has known phases.
Ns longest_hyperperiods(const Model & model, const detail::Flow & flow)
{
  Ns longest = 0;
  for (const detail::JobGraph & graph : detail::job_graphs(model, flow)) {
    Ns offset = 0;
    for (const detail::JobNode & node : graph.nodes) {
      // If offsets count from the start of the process, no source begins later after a disturbance.
      if (is_source(node) && !model.counts_from_start(model.tasks[node.task])) {
        offset = std::max(offset, node.offset);
      }
    }
    if (graph.refusal.empty() && !graph.nodes.empty()) {
      longest = std::max(longest, (offset / graph.hyperperiod + 1) * graph.hyperperiod);
    }
  }
  return longest;
}

bool rests_on_phases(const Bounds & bounds)
{
  return std::any_of(bounds.chains.begin(), bounds.chains.end(), [](const auto & chain) {
    return chain && takt_plan::rests_on_phases(*chain);
  });
}

bool same(const Bounds & before, const Model & disturbed)
{
  const auto after = bounds_through_reads(disturbed);
  if (!after) {
    return false;
  }
  for (Index chain = 0; chain < before.chains.size(); ++chain) {
    const auto & was = before.chains[chain];
    const auto & is = after->chains[chain];
    if (was && (!is || is->bound > was->bound)) {
      return false;
    }
  }
  return true;
}

/// Sets that do not settle by themselves.
std::vector<Index> lasting_sets(
  const Model & model, const detail::Flow & flow, const Bounds & bounds)
{
  std::vector<Index> sets;
  for (Index task = 0; task < model.tasks.size(); ++task) {
    const detail::MessageSet * const set = flow.streams.set(task);
    if (set != nullptr && set->start != detail::SetStart::any) {
      sets.push_back(task);
    }
  }
  if (sets.empty() || model.tasks.size() > kMostTasksTried) {
    return sets;
  }
  Model disturbed = model;
  for (const Index set : sets) {
    disturbed.tasks[set].any_start = true;
  }
  if (same(bounds, disturbed)) {
    return {};
  }
  if (sets.size() * model.tasks.size() > kMostWorkTried) {
    return sets;
  }
  std::vector<Index> lasting;
  for (const Index set : sets) {
    Model one = model;
    one.tasks[set].any_start = true;
    if (!same(bounds, one)) {
      lasting.push_back(set);
    }
  }
  return lasting.empty() ? sets : lasting;  // several together
}

/// Marks the tasks that are before some topics of the set, but not before all. A task before all
/// topics gives each of them as many messages.
void mark_before(
  const Model & model, const detail::Flow & flow, Index set, std::vector<char> & marks)
{
  const auto & topics = flow.streams.set(set)->topics;
  std::vector<Index> of(model.tasks.size(), 0);  // so many topics
  for (const auto & topic : topics) {
    std::vector<char> before(model.tasks.size(), 0);
    for (const Index way : topic) {
      for (const detail::Stream::From & from : flow.streams.all()[way].from) {
        before[flow.streams.all()[from.stream].task] = 1;
      }
    }
    for (auto task = flow.order.rbegin(); task != flow.order.rend(); ++task) {
      for (const Link & link : model.tasks[*task].triggers) {
        before[link.from] = before[*task] != 0 ? 1 : before[link.from];
      }
      of[*task] += before[*task] != 0 ? 1 : 0;
    }
  }
  for (Index task = 0; task < of.size(); ++task) {
    marks[task] = of[task] > 0 && of[task] < topics.size() ? 1 : marks[task];
  }
}

}  // namespace

Settling settling(const Model & model, const Bounds & bounds)
{
  Settling result;
  const detail::Flow flow(model);
  const Ns after = longest_hyperperiods(model, flow);
  if (after == 0) {
    return result;
  }
  const std::vector<Index> sets = lasting_sets(model, flow, bounds);
  if (sets.empty() && !rests_on_phases(bounds)) {
    return result;
  }
  result.after = after;
  std::vector<char> lasts(model.tasks.size(), 0);
  for (const Index set : sets) {
    lasts[set] = 1;
    mark_before(model, flow, set, lasts);
  }
  for (Index task = 0; task < lasts.size(); ++task) {
    if (lasts[task] != 0) {
      result.for_good.push_back(task);
    }
  }
  return result;
}

void say(const Settling & settling, const Model & model, takt_schedule::Schedule & schedule)
{
  if (!settling.after) {
    return;
  }
  std::unordered_map<std::string, Index> tasks;
  for (const Index task : settling.for_good) {
    tasks.emplace(model.tasks[task].id, task);
  }
  for (takt_schedule::ExecutorSchedule & executor : schedule.executors) {
    executor.settles = takt_rt::Duration(*settling.after);
    for (takt_schedule::CallbackRule & rule : executor.callbacks) {
      rule.never_settles = std::any_of(
        rule.match.begin(), rule.match.end(),
        [&](const std::string & id) { return tasks.contains(id); });
    }
  }
}

std::string when_bounds_hold(const Settling & settling, const Model & model)
{
  if (!settling.after) {
    return {};
  }
  const std::string after = detail::printed(*settling.after);
  // Under the epoch of a clock a process may start at any moment of a hyperperiod.
  const bool any_moment = std::any_of(
    model.tasks.begin(), model.tasks.end(),
    [&](const Task & task) { return task.timer && !model.counts_from_start(task); });
  const std::string text =
    "Bounds rest on phases: they hold " +
    (any_moment ? "from " + after + " after the last process has started, " : "") +
    "while no timer skips a period and no message is lost, and again " + after + " later";
  if (settling.for_good.empty()) {
    return text + ".";
  }
  const std::size_t more = settling.for_good.size() - 1;
  return text + ". After a disturbance of a callback with `settles: never` in its rule (" +
         model.tasks[settling.for_good.front()].id +
         (more == 0 ? std::string() : " and " + std::to_string(more) + " more") +
         ") they hold only after a new start.";
}

}  // namespace takt_plan
