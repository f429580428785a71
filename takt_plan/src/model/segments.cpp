#include "model/segments.hpp"

#include <algorithm>

#include "model/streams.hpp"

namespace takt_plan::detail
{

Segments::Segments(const Model & model, const std::vector<Index> & order, UnderWay under_way)
: model_(model),
  under_way_(under_way),
  thread_(model.tasks.size(), kNone),
  core_(model.tasks.size(), kNone),
  level_(model.tasks.size()),
  some_local_(model.tasks.size()),
  only_local_(model.tasks.size()),
  next_(model.tasks.size()),
  on_(model.cores.size()),
  threads_on_(model.cores.size()),
  tasks_of_(model.threads.size()),
  spanned_(model.tasks.size())
{
  find_places(order);
  for (const Index task : order) {
    only_local_[task] = !model.tasks[task].release;
    for (Index i = 0; i < model.tasks[task].triggers.size(); ++i) {
      const Link & link = model.tasks[task].triggers[i];
      if (local(link, task)) {
        next_[link.from].push_back({task, link.delay, i});
        any_under_way_ = any_under_way_ || link.delay > 0;
        some_local_[task] = true;
      } else {
        only_local_[task] = false;
      }
    }
  }
  find_spanned();
}

void Segments::find_places(const std::vector<Index> & order)
{
  for (const Index index : order) {
    const Task & task = model_.tasks[index];
    const Thread & first = model_.threads[task.threads.front()];
    level_[index] = first.order == takt_core::Order::priority ? task.priority : 0;
    thread_[index] = task.threads.size() == 1 ? task.threads.front() : kNone;
    if (
      task.threads.size() == 1 && first.cores.size() == 1 && first.kind != ThreadClass::deadline) {
      core_[index] = first.cores.front();
    }
    for (const Index thread : task.threads) {
      tasks_of_[thread].push_back(index);
      for (const Index core : model_.threads[thread].cores) {
        if (on_[core].empty() || on_[core].back() != index) {
          on_[core].push_back(index);
        }
      }
    }
  }
  for (Index thread = 0; thread < model_.threads.size(); ++thread) {
    if (!tasks_of_[thread].empty()) {
      for (const Index core : model_.threads[thread].cores) {
        threads_on_[core].push_back(thread);
      }
    }
  }
}

void Segments::find_spanned()
{
  std::vector<Index> first(model_.groups.size(), kNone);  // the first task of the group
  std::vector<char> spans(model_.groups.size());
  for (Index index = 0; index < model_.tasks.size(); ++index) {
    const Task & task = model_.tasks[index];
    if (task.group != kNone && model_.groups[task.group].exclusive) {
      if (first[task.group] == kNone) {
        first[task.group] = index;
      }
      if (task.threads.size() > 1 || task.threads != model_.tasks[first[task.group]].threads) {
        spans[task.group] = true;
      }
    }
  }
  for (Index index = 0; index < model_.tasks.size(); ++index) {
    const Index group = model_.tasks[index].group;
    spanned_[index] = group != kNone && spans[group];
  }
}

bool Segments::local(const Link & link, Index task) const
{
  return !link.call && (link.delay == 0 || waits_on_core(link, task)) && core_[task] != kNone &&
         core_[link.from] == core_[task] && !joins(model_.tasks[task]) && !parts(link.from, task);
}

// True for a message with a delay that the window of a thread of fixed priority may count
// (priority_bounds.hpp).
bool Segments::waits_on_core(const Link & link, Index task) const
{
  const auto counts = [&](Index one) {
    const takt_core::Order order = model_.threads[model_.tasks[one].threads.front()].order;
    return order == takt_core::Order::priority || order == takt_core::Order::fifo;
  };
  return under_way_ == UnderWay::in_segments && !model_.tasks[link.from].newest &&
         counts(link.from) && counts(task);
}

// True if one segment cannot have both tasks, because a polling point at the segment's own level is
// between them.
bool Segments::parts(Index from, Index task) const
{
  const Thread & sender = model_.threads[model_.tasks[from].threads.front()];
  const Thread & receiver = model_.threads[model_.tasks[task].threads.front()];
  return sender.order == takt_core::Order::window && receiver.order != takt_core::Order::window &&
         sender.priority <= receiver.priority;
}

}  // namespace takt_plan::detail
