#include "planners/background.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "takt_core/scheduler.hpp"

namespace takt_plan::detail
{
namespace
{

class Background
{
public:
  Background(const PlanProblem & problem, const Layout & layout, const Bounds & bounds)
  : problem_(problem),
    layout_(layout),
    needed_(problem.model.tasks.size(), 0),
    moved_(problem.model.tasks.size(), 0)
  {
    find_needed();
    for (Index task = 0; task < moved_.size(); ++task) {
      const Index core = layout_.core_of(task);
      if (core != kNone && layout_.crowded(core) && !bounds.tasks[task]) {
        move(task);
      }
    }
    for (Index core = 0; core < layout_.cores(); ++core) {
      move_until_the_cap_is_kept(core);
    }
  }

  Assignment assignment() const
  {
    Assignment result;
    result.offsets = layout_.assignment().offsets;
    std::vector<Index> threads(problem_.model.executors.size(), 0);
    const auto add = [&](AssignedThread thread) {
      if (!thread.tasks.empty()) {
        ++threads[thread.executor];
        result.threads.push_back(std::move(thread));
      }
    };
    for (Index core = 0; core < layout_.cores(); ++core) {
      std::vector<AssignedThread> fair;  // per executor
      for (Index executor = 0; executor < problem_.model.executors.size(); ++executor) {
        fair.push_back({executor, core, 0, {}});
      }
      for (Index place = 0; place < layout_.on(core).size(); ++place) {
        const Block & block = layout_.on(core)[place];
        AssignedThread thread{
          block.executor, core, layout_.priority(core, place), {}, place < layout_.lifted(core)};
        for (const Index task : block.tasks) {
          (moved_[task] != 0 ? fair[block.executor] : thread).tasks.push_back(task);
        }
        add(std::move(thread));
      }
      for (AssignedThread & thread : fair) {
        add(std::move(thread));
      }
    }
    const bool too_many = std::any_of(threads.begin(), threads.end(), [](Index count) {
      return count > takt_core::Scheduler::kMaxThreads;
    });
    return too_many ? layout_.assignment() : result;
  }

private:
  // A task is needed if it is on a chain's path, or if it starts a needed task.
  void find_needed()
  {
    for (auto task = problem_.order.rbegin(); task != problem_.order.rend(); ++task) {
      const auto & next = problem_.next[*task];
      needed_[*task] =
        unit(*task).importance >= 0 ||
        std::any_of(next.begin(), next.end(), [&](Index one) { return needed_[one] != 0; });
    }
  }

  const Unit & unit(Index task) const { return problem_.units[problem_.unit_of[task]]; }

  // Moves the tasks of the task's unit, because these share its thread, and the tasks that these
  // start: those would wait for a fair thread in any case.
  void move(Index task)
  {
    const std::vector<Index> & together = unit(task).tasks;
    if (moved_[task] != 0 || std::any_of(together.begin(), together.end(), [&](Index one) {
          return needed_[one] != 0;
        })) {
      return;
    }
    for (const Index one : together) {
      moved_[one] = 1;
    }
    for (const Index one : together) {
      for (const Index next : problem_.next[one]) {
        move(next);
      }
    }
  }

  double real_time_load(Index core) const
  {
    double load = 0;
    for (const Block & block : layout_.on(core)) {
      for (const Index task : block.tasks) {
        load += moved_[task] != 0 ? 0 : problem_.utilization(task);
      }
    }
    return load;
  }

  void move_until_the_cap_is_kept(Index core)
  {
    const auto & blocks = layout_.on(core);
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
      for (auto task = block->tasks.rbegin(); task != block->tasks.rend(); ++task) {
        if (real_time_load(core) <= problem_.room[core] + kLoadNoise) {
          return;
        }
        move(*task);
      }
    }
  }

  const PlanProblem & problem_;
  const Layout & layout_;
  std::vector<char> needed_;  // per task
  std::vector<char> moved_;   // per task
};

}  // namespace

Assignment with_background(
  const PlanProblem & problem, const Layout & layout, const Bounds & bounds)
{
  return Background(problem, layout, bounds).assignment();
}

}  // namespace takt_plan::detail
