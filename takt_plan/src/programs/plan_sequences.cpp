#include "plan_sequences.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "model/streams.hpp"
#include "plan_judge.hpp"

namespace takt_plan::program
{
namespace
{

using takt_schedule::System;

constexpr std::size_t kMostNamed = 4;  // callbacks of a sequence in a note

bool starts_at_once(const Model & model, const std::vector<Index> & path, Index task)
{
  const auto & triggers = model.tasks[task].triggers;
  return std::any_of(triggers.begin(), triggers.end(), [&](const Link & link) {
    return !link.call && link.delay == 0 && std::count(path.begin(), path.end(), link.from) > 0;
  });
}

/// The callbacks that `root` starts on its thread, directly or through each other, and that have no
/// place yet.
std::vector<Index> path_from(
  const System & system, const Model & model, const std::vector<Index> & order, Index root)
{
  const auto placed = [&](Index task) {
    // Subscriptions that complete a set together are several callbacks of the program.
    return model.tasks[task].sequence != kNone || model.tasks[task].input ||
           system.callbacks[task].ids.size() > 1;
  };
  const std::vector<Index> & threads = model.tasks[root].threads;
  if (placed(root) || model.threads[threads.front()].kind != ThreadClass::fixed_priority) {
    return {};
  }
  std::vector<Index> path{root};
  for (auto at = std::find(order.begin(), order.end(), root) + 1; at != order.end(); ++at) {
    const Task & task = model.tasks[*at];
    if (
      task.threads == threads && !task.timer && !placed(*at) && starts_at_once(model, path, *at)) {
      path.push_back(*at);
    }
  }
  return path;
}

enum class Level
{
  as_is,
  most_urgent,
  least_urgent
};

/// Gives the path a place each. False: the priorities would rise along it.
bool place(const std::vector<Index> & path, Level level, Index number, Model & model)
{
  int priority = model.tasks[path.front()].priority;
  for (const Index task : path) {
    const int own = model.tasks[task].priority;
    priority = level == Level::most_urgent ? std::max(priority, own) : std::min(priority, own);
  }
  for (Index position = 0; position < path.size(); ++position) {
    Task & task = model.tasks[path[position]];
    task.sequence = number;
    task.position = static_cast<std::uint32_t>(position);
    if (level != Level::as_is) {
      task.priority = priority;
    } else if (position > 0 && task.priority > model.tasks[path[position - 1]].priority) {
      return false;
    }
  }
  return true;
}

/// The schedule with the priorities and the sequence of these tasks.
void write(
  const System & system, const Model & model, const std::vector<Index> & path,
  takt_schedule::Schedule & schedule)
{
  auto & executor = schedule.executors[model.tasks[path.front()].executor];
  takt_schedule::SequenceRule sequence;
  for (const Index task : path) {
    const std::vector<std::string> ids = system.callbacks[task].all_ids();
    sequence.path.push_back(ids.front());
    for (takt_schedule::CallbackRule & rule : executor.callbacks) {
      if (rule.match == ids) {
        rule.priority = model.tasks[task].priority;
      }
    }
  }
  executor.sequences.push_back(std::move(sequence));
}

std::string note(const Model & model, const std::vector<Index> & path, double hops)
{
  std::vector<std::string> ids;
  for (Index i = 0; i < std::min(path.size(), kMostNamed); ++i) {
    ids.push_back(model.tasks[path[i]].id);
  }
  return fmt::format(
    "sequence of {} callbacks on thread {}: {}{}; at most {:.0f} runs a second start by direct "
    "call",
    path.size(), model.threads[model.tasks[path.front()].threads.front()].name,
    fmt::join(ids, " -> "), path.size() > kMostNamed ? " -> ..." : "", hops);
}

class Search
{
public:
  Search(const System & system, Planned & planned, SimulatedPlan & simulated)
  : system_(system),
    planned_(planned),
    judge_(system, planned, simulated, std::nullopt),
    order_(in_trigger_order(planned.model)),
    streams_(planned.model, order_),
    next_(planned.model.executors.size(), 0)
  {
  }

  void run(Trials & trials)
  {
    std::vector<std::vector<Index>> paths;  // of each root, before others have a place
    for (const Index root : order_) {
      std::vector<Index> path = path_from(system_, planned_.model, order_, root);
      if (path.size() >= 2) {
        paths.push_back(std::move(path));
      }
    }
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const std::vector<Index> path = path_from(system_, planned_.model, order_, paths[i].front());
      if (path.size() < 2) {
        continue;
      }
      trials.tell(i, paths.size());
      for (const Level level : {Level::as_is, Level::most_urgent, Level::least_urgent}) {
        if (!trials.may_go_on()) {
          planned_.notes.push_back(trials.why_ended("sequences", paths.size() - i, paths.size()));
          return;
        }
        if (takes(path, level, trials)) {
          break;
        }
      }
    }
  }

private:
  bool takes(const std::vector<Index> & path, Level level, Trials & trials)
  {
    Model model = planned_.model;
    Index & number = next_[model.tasks[path.front()].executor];
    if (!place(path, level, number, model)) {
      return false;
    }
    takt_schedule::Schedule schedule = planned_.schedule;
    write(system_, model, path, schedule);
    trials.count();
    if (!judge_.take(std::move(model), std::move(schedule)).taken) {
      return false;
    }
    ++number;
    double hops = 0;
    for (Index i = 1; i < path.size(); ++i) {
      hops += streams_.rate(path[i]) * 1e9;
    }
    planned_.notes.push_back(note(planned_.model, path, hops));
    return true;
  }

  const System & system_;
  Planned & planned_;
  PlanJudge judge_;
  const std::vector<Index> order_;
  const detail::Streams streams_;
  std::vector<Index> next_;  // number of sequences, per executor
};

}  // namespace

void use_sequences(
  const System & system, Planned & planned, SimulatedPlan & simulated, Trials & trials)
{
  Search(system, planned, simulated).run(trials);
}

}  // namespace takt_plan::program
