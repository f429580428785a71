#include "analysis/jobs/cluster_refusals.hpp"

#include <algorithm>
#include <set>

#include "analysis/priority/priority_scope.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan::detail
{
namespace
{

using takt_schedule::quoted;

constexpr const char * kSeveral = ", and callbacks of its part may run on several threads or cores";

bool have_common(const std::vector<Index> & a, const std::vector<Index> & b)
{
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

class Refusals
{
public:
  Refusals(const Model & model, const Flow & flow, const std::vector<Index> & tasks)
  : model_(model),
    flow_(flow),
    tasks_(tasks),
    first_of_(model.groups.size(), kNone)
  {
    for (Index task = model.tasks.size(); task-- > 0;) {
      if (model.tasks[task].group != kNone) {
        first_of_[model.tasks[task].group] = task;
      }
    }
    for (const Index task : tasks) {
      threads_.insert(model.tasks[task].threads.begin(), model.tasks[task].threads.end());
    }
  }

  std::string look() const
  {
    std::set<std::vector<Index>> pools;
    for (const Index task : tasks_) {
      if (std::string fault = of_task(model_.tasks[task]); !fault.empty()) {
        return fault;
      }
      if (pools.insert(model_.tasks[task].threads).second) {
        if (std::string fault = of_pool(model_.tasks[task]); !fault.empty()) {
          return fault;
        }
      }
    }
    for (const Index thread : threads_) {
      if (std::string fault = of_thread(thread); !fault.empty()) {
        return fault;
      }
    }
    return {};
  }

private:
  std::string of_task(const Task & task) const
  {
    const std::string what = of_what(task);
    return what.empty() ? of_group(task) : quoted(task.id) + what + kSeveral;
  }

  /// The trait of the task that this analysis does not know, as the rest of a sentence.
  static std::string of_what(const Task & task)
  {
    if (task.sequence != kNone || task.overtakes) {
      return " is in a sequence";
    }
    if (task.condition_wait > 0) {
      return " waits for a condition";
    }
    if (task.input) {
      return " has trigger: false";
    }
    return task.border != kNone ? " is in a group with logical execution time" : "";
  }

  /// With its executor, if the model has several of them.
  std::string name(const Thread & thread) const
  {
    return quoted(thread.name) + (model_.executors.size() > 1
                                    ? " of executor " + quoted(model_.executors[thread.executor])
                                    : std::string());
  }

  /// The faults of the task's threads.
  std::string of_pool(const Task & task) const
  {
    const Thread & first = model_.threads[task.threads.front()];
    for (const Index index : task.threads) {
      const Thread & thread = model_.threads[index];
      if (thread.priority != first.priority || thread.order != first.order) {
        return quoted(task.id) + " may run on threads " + name(first) + " and " + name(thread) +
               ", which have different priorities or orders";
      }
      for (const Index mate : flow_.segments.tasks_of(index)) {
        if (model_.tasks[mate].threads != task.threads) {
          return quoted(task.id) + " and " + quoted(model_.tasks[mate].id) +
                 " share some of their threads, and not all";
        }
      }
    }
    const auto other = std::find_if(task.threads.begin(), task.threads.end(), [&](Index thread) {
      return model_.threads[thread].cores != first.cores;
    });
    if (other != task.threads.end() && !all_apart(task)) {
      return quoted(task.id) + " may run on threads " + name(first) + " and " +
             name(model_.threads[*other]) + ", and the threads of " + quoted(task.id) +
             " share some of their cores, and not all";
    }
    return {};
  }

  /// True if no two threads of the task have a core in common.
  bool all_apart(const Task & task) const
  {
    for (const Index a : task.threads) {
      for (const Index b : task.threads) {
        if (a != b && have_common(model_.threads[a].cores, model_.threads[b].cores)) {
          return false;
        }
      }
    }
    return true;
  }

  std::string of_group(const Task & task) const
  {
    if (task.group == kNone) {
      return {};
    }
    if (!model_.groups[task.group].exclusive) {
      return task.threads.size() == 1
               ? std::string()
               : quoted(task.id) + " is in a reentrant group, and may run on several threads";
    }
    const Task & first = model_.tasks[first_of_[task.group]];
    return first.threads == task.threads
             ? std::string()
             : quoted(task.id) + " excludes " + quoted(first.id) + ", which has other threads";
  }

  std::string of_thread(Index index) const
  {
    const Thread & thread = model_.threads[index];
    for (const OtherLoad & other : model_.others) {
      if (other.priority >= thread.priority && have_common(other.cores, thread.cores)) {
        return "thread " + name(thread) + " shares a core with " + quoted(other.name) +
               ", which is not an executor's" + kSeveral;
      }
    }
    if (thread.ceiling == 0 || most_middleware(model_, flow_.segments, index) == 0) {
      return {};
    }
    for (const Index other : threads_) {
      const Thread & of = model_.threads[other];
      if (of.priority >= thread.ceiling && of.host == thread.host) {
        return at_ceiling(thread, name(of));
      }
    }
    for (const OtherLoad & other : model_.others) {
      if (other.priority >= thread.ceiling && have_common(other.cores, thread.cores)) {
        return at_ceiling(thread, quoted(other.name));
      }
    }
    return {};
  }

  std::string at_ceiling(const Thread & thread, const std::string & other) const
  {
    return "thread " + name(thread) +
           " publishes at a middleware ceiling that is not above the priority of " + other +
           kSeveral;
  }

  const Model & model_;
  const Flow & flow_;
  const std::vector<Index> & tasks_;
  std::set<Index> threads_;
  std::vector<Index> first_of_;  // per group: its first task
};

}  // namespace

std::string refuse_clusters(
  const Model & model, const Flow & flow, const std::vector<Index> & tasks)
{
  return Refusals(model, flow, tasks).look();
}

}  // namespace takt_plan::detail
