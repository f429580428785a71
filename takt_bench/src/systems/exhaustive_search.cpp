#include "systems/exhaustive_search.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "takt_plan/bounds.hpp"
#include "takt_plan/planner.hpp"

namespace takt_bench
{

using namespace takt_plan;  // NOLINT: all of it is about its models

namespace
{

class Exhaustive
{
public:
  Exhaustive(const takt_schedule::System & system, int steps) : steps_(steps)
  {
    PlanOptions options;
    options.planner = Planner::isolated;
    auto planned = plan_schedule(system, options);
    if (!planned) {
      throw std::runtime_error(to_string(planned.faults().front()));
    }
    model_ = std::move(planned->model);
    most_urgent_ = system.hosts.front().most_priority;
    find_timers();
    for (const Chain & chain : model_.chains) {
      deadlines_.push_back(chain.deadline);
    }
    core_of_.assign(model_.tasks.size(), 0);
  }

  Tried run()
  {
    place(0, 0);
    return std::move(result_);
  }

private:
  struct Timer
  {
    Index task = kNone;
    Ns period = 0;
    Ns start = 0;
  };

  void find_timers()
  {
    Ns hyperperiod = 1;
    for (Index task = 0; task < model_.tasks.size(); ++task) {
      if (model_.tasks[task].timer) {
        timers_.push_back({task, model_.tasks[task].release->period, 0});
        hyperperiod = std::lcm(hyperperiod, timers_.back().period);
      }
    }
    for (const Task & task : model_.tasks) {
      for (const Link & slow : task.newest ? task.triggers : std::vector<Link>{}) {
        for (const Link & fast : task.triggers) {
          Timer & one = timer_of(slow.from);
          one.start = one.period > timer_of(fast.from).period ? hyperperiod : one.start;
        }
      }
    }
    std::stable_sort(timers_.begin(), timers_.end(), [](const Timer & a, const Timer & b) {
      return a.period > b.period;
    });
  }

  Timer & timer_of(Index task)
  {
    return *std::find_if(
      timers_.begin(), timers_.end(), [&](const Timer & timer) { return timer.task == task; });
  }

  // All cores are equal: a task goes on a core in use, or on the next free one.
  void place(Index task, Index used)
  {
    if (task == core_of_.size()) {
      return order();
    }
    for (Index core = 0; core < std::min(used + 1, model_.cores.size()) && !result_.plan; ++core) {
      core_of_[task] = core;
      place(task + 1, std::max(used, core + 1));
    }
  }

  void order()
  {
    std::vector<double> load(model_.cores.size(), 0);
    for (Index task = 0; task < core_of_.size(); ++task) {
      load[core_of_[task]] += load_of(task);
    }
    if (*std::max_element(load.begin(), load.end()) > 1) {
      return;
    }
    // Only the order on each core counts: of all permutations, tries those in which the cores
    // follow each other.
    std::vector<Index> urgency(core_of_.size());
    std::iota(urgency.begin(), urgency.end(), Index{0});
    do {
      const bool by_core = std::is_sorted(urgency.begin(), urgency.end(), [&](Index a, Index b) {
        return core_of_[a] < core_of_[b];
      });
      if (by_core) {
        judge_order(urgency);
      }
    } while (!result_.plan && std::next_permutation(urgency.begin(), urgency.end()));
  }

  // A callback with one source runs as often as the source.
  double load_of(Index task) const
  {
    double load = 0;
    for (Index from = task; true; from = model_.tasks[from].triggers.front().from) {
      const Task & one = model_.tasks[from];
      if (one.release) {
        load =
          static_cast<double>(model_.tasks[task].work()) / static_cast<double>(one.release->period);
        break;
      }
      if (one.triggers.size() != 1) {
        return 0;  // its rate depends on several sources; the bounds decide whether the plan fits
      }
    }
    return load;
  }

  void judge_order(const std::vector<Index> & urgency)
  {
    Assignment assignment;
    for (Index place = 0; place < urgency.size(); ++place) {
      const Index task = urgency[place];
      assignment.threads.push_back(
        {model_.tasks[task].executor,
         core_of_[task],
         most_urgent_ - static_cast<int>(place),
         {task}});
    }
    for (const Timer & timer : timers_) {
      assignment.offsets.push_back({timer.task, timer.start});
    }
    Model model = model_;
    assign(assignment, ceilings_of(assignment, model.executors.size()), model);
    ++result_.plans;
    if (met(model, {})) {
      result_.plan = std::move(assignment);
      return;
    }
    shift(1, assignment, model);
  }

  // Tries all offsets of the timers from `first` on.
  void shift(Index first, Assignment & assignment, Model & model)
  {
    if (first >= timers_.size()) {
      ++result_.plans;
      BoundsOptions options;
      options.jobs_only = true;
      options.give_up_above = deadlines_;
      options.horizon = 2 * timers_.front().period;
      if (met(model, options)) {
        result_.plan = assignment;
      }
      return;
    }
    const Timer & timer = timers_[first];
    for (int step = 0; step < steps_ && !result_.plan; ++step) {
      const Ns offset = timer.start + timer.period / steps_ * step;
      assignment.offsets[first].offset = offset;
      model.tasks[timer.task].release->offset = offset;
      shift(first + 1, assignment, model);
    }
  }

  static bool met(const Model & model, const BoundsOptions & options)
  {
    const auto found = bounds(model, options);
    if (!found) {
      throw std::runtime_error(to_string(found.faults().front()));
    }
    for (Index chain = 0; chain < model.chains.size(); ++chain) {
      if (!meets_deadline(model.chains[chain], found->chains[chain])) {
        return false;
      }
    }
    return true;
  }

  const int steps_;
  Model model_;
  int most_urgent_ = 0;
  std::vector<Timer> timers_;  // the slowest first
  std::vector<Ns> deadlines_;
  std::vector<Index> core_of_;
  Tried result_;
};

}  // namespace

Tried exhaustive_search(const takt_schedule::System & system, int steps)
{
  return Exhaustive(system, steps).run();
}

}  // namespace takt_bench
