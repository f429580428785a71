#include "support/storing_model.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace takt_plan::test
{
namespace
{

class Picker
{
public:
  explicit Picker(std::uint64_t seed) : random_(seed ^ 0x570e) {}
  int operator()(int least, int most)
  {
    return std::uniform_int_distribution<int>(least, most)(random_);
  }

private:
  std::mt19937_64 random_;
};

bool starts_others(const Model & model, Index task)
{
  return std::any_of(model.tasks.begin(), model.tasks.end(), [&](const Task & other) {
    return std::any_of(other.triggers.begin(), other.triggers.end(), [&](const Link & link) {
      return link.from == task;
    });
  });
}

}  // namespace

Model with_inputs(Model model, std::uint64_t seed)
{
  Picker pick(seed);
  for (Index index = 0; index < model.tasks.size(); ++index) {
    Task & task = model.tasks[index];
    task.time = (task.time + 1) / 2;
    if (task.release || task.triggers.size() != 1 || starts_others(model, index)) {
      continue;
    }
    const auto taker = static_cast<Index>(pick(0, static_cast<int>(model.tasks.size()) - 1));
    if (taker == index || model.tasks[taker].input) {
      continue;
    }
    WaitingInput input;
    input.takers = {taker};
    for (Index other = 0; other < model.tasks.size(); ++other) {
      const bool mate = other != taker && other != index && !model.tasks[other].input &&
                        model.tasks[other].threads == model.tasks[taker].threads;
      if (mate && pick(0, 3) == 0) {
        input.takers.push_back(other);
        break;
      }
    }
    // A later input may not be a taker of this one.
    std::sort(input.takers.begin(), input.takers.end());
    task.depth = static_cast<std::uint32_t>(pick(1, 4));
    input.keep = static_cast<std::uint32_t>(pick(0, 2));
    input.max_age = pick(0, 4) == 0 ? pick(0, 1000) : kUnbounded;
    task.threads = model.tasks[taker].threads;
    task.input = std::move(input);
  }
  for (Task & task : model.tasks) {
    if (task.input) {
      std::erase_if(
        task.input->takers, [&](Index taker) { return model.tasks[taker].input.has_value(); });
      if (task.input->takers.empty()) {
        task.input.reset();
      }
    }
  }
  return model;
}

Model with_sequences(Model model, std::uint64_t seed)
{
  Picker pick(seed);
  Index next = 0;
  for (Index thread = 0; thread < model.threads.size(); ++thread) {
    const takt_core::Order order = model.threads[thread].order;
    if (order != takt_core::Order::priority && order != takt_core::Order::fifo) {
      continue;
    }
    std::vector<Index> path;
    const bool alike = pick(0, 2) != 0;
    const int skipped = pick(0, 3);
    for (const Index index : in_trigger_order(model)) {
      Task & task = model.tasks[index];
      if (task.input || task.threads != std::vector<Index>{thread}) {
        continue;
      }
      task.priority = alike ? 3 : task.priority;
      if (task.timer ? path.empty() : pick(0, 3) != skipped) {
        if (!path.empty()) {
          task.priority = std::min(task.priority, model.tasks[path.back()].priority);
        }
        path.push_back(index);
      }
    }
    if (path.size() > 1 && pick(0, 1) == 0) {
      model.tasks[path.front()].priority = 7;  // it starts before others, and its followers as well
    }
    for (Index position = 0; position < path.size() && path.size() > 1; ++position) {
      model.tasks[path[position]].sequence = next;
      model.tasks[path[position]].position = static_cast<std::uint32_t>(position);
    }
    ++next;
  }
  return model;
}

Model with_graphs(Model model, std::uint64_t seed)
{
  Picker pick(seed);
  // Pools have no bounds with other callbacks behind those that start them (pool_refusals.hpp).
  const auto waits_for_itself_only = [&](const Task & task) {
    return task.triggers.empty() ||
           (task.triggers.size() == 1 && !task.release &&
            (model.tasks[task.triggers.front().from].group == kNone ||
             model.groups[model.tasks[task.triggers.front().from].group].exclusive));
  };
  std::map<std::vector<Index>, std::vector<Index>> of_threads;
  for (const Index index : in_trigger_order(model)) {
    of_threads[model.tasks[index].threads].push_back(index);
  }
  Index next = 0;
  for (auto & [threads, tasks] : of_threads) {
    const int skipped = pick(0, 3);
    const int priority = model.tasks[tasks.front()].priority;
    std::uint32_t position = 0;
    for (const Index index : tasks) {
      Task & task = model.tasks[index];
      if (pick(0, 3) != skipped && (threads.size() == 1 || waits_for_itself_only(task))) {
        task.sequence = next;
        task.position = position++;
        task.graph = true;
        task.priority = priority;
      }
    }
    ++next;
  }
  return model;
}

}  // namespace takt_plan::test
