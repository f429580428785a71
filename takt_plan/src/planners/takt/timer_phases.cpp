#include "planners/takt/timer_phases.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "model/streams.hpp"

namespace takt_plan::detail
{
namespace
{

// Phases are multiples of a step: the largest of these steps that fits at least kStepsOfPeriod
// times into a period.
constexpr std::array<Ns, 4> kSteps{1'000'000, 100'000, 10'000, 1'000};
constexpr Ns kStepsOfPeriod = 25;
// A source starts at most kMostLater hyperperiods later. If a hyperperiod is longer than
// kMostStart, it is too long to wait for.
constexpr int kMostLater = 4;
constexpr Ns kMostStart = 10'000'000'000;

Ns step_of(Ns period)
{
  const auto found = std::find_if(
    kSteps.begin(), kSteps.end(), [&](Ns step) { return step * kStepsOfPeriod <= period; });
  return found == kSteps.end() ? 1 : *found;
}

/// The hyperperiod of the sources of a set; 0: too long to wait for.
Ns hyperperiod(const Streams & streams, const MessageSet & set)
{
  Ns all = 1;
  for (const std::vector<Index> & topic : set.topics) {
    for (const Index stream : topic) {
      const Ns period = streams.all()[stream].period;
      const Ns factor = period / std::gcd(all, period);
      if (factor > kMostStart / all) {
        return 0;
      }
      all *= factor;
    }
  }
  return all;
}

}  // namespace

TimerPhases::TimerPhases(const PlanProblem & problem) : problem_(problem)
{
  add_groups();
  find_starts();
}

void TimerPhases::add_groups()
{
  const Model & model = problem_.model;
  const Streams streams(model, problem_.order);
  std::vector<Index> root(model.tasks.size());
  std::iota(root.begin(), root.end(), Index{0});
  const auto root_of = [&](Index task) {
    while (root[task] != task) {
      task = root[task];
    }
    return task;
  };
  for (const MessageSet & set : streams.sets()) {
    std::vector<Index> sources;
    for (const std::vector<Index> & topic : set.topics) {
      for (const Index stream : topic) {
        sources.push_back(streams.all()[stream].source);
      }
    }
    for (const Index one : sources) {
      for (const Index other : sources) {
        if (model.tasks[one].release->period == model.tasks[other].release->period) {
          root[std::max(root_of(one), root_of(other))] = std::min(root_of(one), root_of(other));
        }
      }
    }
  }
  std::vector<Index> group_of(model.tasks.size(), kNone);
  for (const Index timer : problem_.timers) {
    Index & group = group_of[root_of(timer)];
    if (group == kNone) {
      group = groups_.size();
      const Ns period = model.tasks[timer].release->period;
      groups_.push_back({{}, period, step_of(period), 0});
    }
    groups_[group].timers.push_back(timer);
  }
}

void TimerPhases::find_starts()
{
  const Model & model = problem_.model;
  const Streams streams(model, problem_.order);
  std::vector<Ns> start(model.tasks.size(), 0);
  bool moved = true;
  for (int round = 0; moved && round < kMostLater; ++round) {
    moved = false;
    for (const MessageSet & set : streams.sets()) {
      const Ns turn = hyperperiod(streams, set);
      for (const Index slow : set.topics[set.slowest]) {
        for (const std::vector<Index> & topic : set.topics) {
          for (const Index other : topic) {
            const Stream & fast = streams.all()[other];
            const Stream & of = streams.all()[slow];
            const Ns least = add(start[fast.source], turn);
            if (turn > 0 && fast.period < of.period && start[of.source] < least) {
              start[of.source] = least;
              moved = true;
            }
          }
        }
      }
    }
  }
  for (Group & group : groups_) {
    for (const Index timer : group.timers) {
      group.start =
        std::max(group.start, (start[timer] + group.period - 1) / group.period * group.period);
    }
  }
}

Ns TimerPhases::phase(const Layout & layout, Index group) const
{
  const Index timer = groups_[group].timers.front();
  const auto & given = layout.offset(timer);
  const Ns offset = given ? *given : problem_.model.tasks[timer].release->offset.value_or(0);
  return offset % groups_[group].period;
}

void TimerPhases::set(Layout & layout, Index group, Ns phase) const
{
  const Group & of = groups_[group];
  const Ns rounded = (phase + of.step - 1) / of.step * of.step % of.period;
  for (const Index timer : of.timers) {
    layout.set_offset(timer, of.start + rounded);
  }
}

void TimerPhases::set_all(Layout & layout) const
{
  for (Index group = 0; group < groups_.size(); ++group) {
    set(layout, group, phase(layout, group));
  }
}

}  // namespace takt_plan::detail
