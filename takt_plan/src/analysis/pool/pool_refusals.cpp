#include "analysis/pool/pool_refusals.hpp"

#include <algorithm>

#include "takt_schedule/quoted.hpp"

namespace takt_plan::detail
{
namespace
{

using takt_core::Order;
using takt_schedule::quoted;

class Refusals
{
public:
  Refusals(const Model & model, const Flow & flow) : model_(model), flow_(flow) {}

  std::vector<std::string> look() const
  {
    std::vector<std::string> of_threads;
    for (Index thread = 0; thread < model_.threads.size(); ++thread) {
      of_threads.push_back(of_thread(thread));
    }
    std::vector<std::string> result;
    for (const Task & task : model_.tasks) {
      result.push_back(of_place(task, of_threads));
    }
    std::vector<Index> refused(model_.groups.size(), kNone);  // a member of the group
    for (Index task = 0; task < model_.tasks.size(); ++task) {
      if (!result[task].empty() && exclusive(model_.tasks[task])) {
        refused[model_.tasks[task].group] = task;
      }
    }
    for (Index index = 0; index < model_.tasks.size(); ++index) {
      const Task & task = model_.tasks[index];
      if (!result[index].empty()) {
        continue;
      }
      if (task.newest) {
        result[index] =
          quoted(task.id) +
          " works on sets of newest messages; these are analysed on one thread, not on several";
      } else if (flow_.streams.too_many(index)) {
        result[index] = too_many_ways(quoted(task.id));
      } else if (exclusive(task) && refused[task.group] != kNone) {
        const Index mate = refused[task.group];
        result[index] = quoted(task.id) + " is in an exclusive group with " +
                        quoted(model_.tasks[mate].id) + "; " + result[mate];
      }
    }
    return result;
  }

private:
  bool exclusive(const Task & task) const
  {
    return task.group != kNone && model_.groups[task.group].exclusive;
  }
  /// Whether a run of the task may begin before the one before has ended.
  bool reentrant(const Task & task) const
  {
    return task.group != kNone && !model_.groups[task.group].exclusive;
  }

  std::string of_place(const Task & task, const std::vector<std::string> & of_threads) const
  {
    const Thread & first = model_.threads[task.threads.front()];
    for (const Index index : task.threads) {
      const Thread & thread = model_.threads[index];
      if (!of_threads[index].empty()) {
        return quoted(task.id) + " may run on thread " + quoted(thread.name) + ": " +
               of_threads[index];
      }
      if (thread.order != first.order) {
        return quoted(task.id) + " may run on threads " + quoted(first.name) + " and " +
               quoted(thread.name) + ", which pick by different orders";
      }
    }
    return {};
  }

  std::string of_thread(Index index) const
  {
    const Thread & thread = model_.threads[index];
    if (thread.order != Order::priority && thread.order != Order::fifo) {
      return "its order is " + std::string(takt_core::to_string(thread.order)) +
             "; this analysis needs priority or fifo";
    }
    for (const Index task : flow_.segments.tasks_of(index)) {
      if (model_.tasks[task].sequence != kNone && !model_.tasks[task].graph) {
        return quoted(model_.tasks[task].id) +
               " is in a sequence there, whose callbacks wait for one thread while others may be "
               "idle; make it a graph, or give it a thread that shares no callbacks with others";
      }
      if (std::string fault = in_graph(model_.tasks[task]); !fault.empty()) {
        return fault;
      }
    }
    if (thread.kind != ThreadClass::fixed_priority || thread.follow || thread.cores.size() != 1) {
      return "this analysis needs policy fifo or rr, a fixed OS priority and one core";
    }
    const Index core = thread.cores.front();
    const auto taken_by = [&](const std::string & name) {
      return "thread " + quoted(name) + " may take " + model_.core_name(core) + " from it";
    };
    for (const Index other : flow_.segments.threads_on(core)) {
      if (other != index && disturbs(other, thread)) {
        return taken_by(model_.threads[other].name);
      }
    }
    for (const OtherLoad & other : model_.others) {
      const bool here =
        std::find(other.cores.begin(), other.cores.end(), core) != other.cores.end();
      if (here && other.priority >= thread.priority) {
        return taken_by(other.name);
      }
    }
    return {};
  }

  /// A callback of a graph that a message made ready waits for the end of the run that published
  /// it, and with it wait messages of other runs. So a thread may be idle then.
  std::string in_graph(const Task & task) const
  {
    if (!task.graph) {
      return {};
    }
    for (const Link & link : task.triggers) {
      const Task & from = model_.tasks[link.from];
      const bool before = from.graph && from.executor == task.executor &&
                          from.sequence == task.sequence && from.position < task.position;
      if (before && (reentrant(from) || has_others(task, link))) {
        return quoted(task.id) + " is in a graph there behind " + quoted(from.id) +
               (reentrant(from) ? ", whose runs may overlap"
                                : ", and also gets messages of others") +
               ": such a message may wait for the end of a run of " + quoted(from.id) +
               " while a thread is idle; take " + quoted(task.id) + " out of the graph";
      }
    }
    return {};
  }

  /// Whether messages of others than the link's publisher start the task, too: not those that
  /// complete a set together with the publisher's.
  static bool has_others(const Task & task, const Link & link)
  {
    return task.release ||
           std::any_of(task.triggers.begin(), task.triggers.end(), [&](const Link & other) {
             return &other != &link && (!task.all || other.topic == link.topic);
           });
  }

  bool disturbs(Index index, const Thread & thread) const
  {
    const Thread & other = model_.threads[index];
    const auto & tasks = flow_.segments.tasks_of(index);
    const bool at_ceiling =
      other.ceiling >= thread.priority && std::any_of(tasks.begin(), tasks.end(), [&](Index task) {
        return model_.tasks[task].section() > 0;
      });
    return at_ceiling || other.follow || other.kind == ThreadClass::deadline ||
           (other.kind == ThreadClass::fixed_priority && other.priority >= thread.priority);
  }

  const Model & model_;
  const Flow & flow_;
};

}  // namespace

std::vector<std::string> pool_refusals(const Model & model, const Flow & flow)
{
  return Refusals(model, flow).look();
}

}  // namespace takt_plan::detail
