#include "support/example.hpp"

#include <utility>

namespace takt_plan::test
{

Example::Example(int cores)
{
  model.hosts = {"car"};
  model.executors = {"main"};
  for (int i = 0; i < cores; ++i) {
    model.cores.push_back({0, i});
  }
}

Index Example::thread(Index core, int priority)
{
  Thread thread;
  thread.name = "t" + std::to_string(model.threads.size());
  thread.kind = ThreadClass::fixed_priority;
  thread.priority = priority;
  thread.cores = {core};
  thread.order = takt_core::Order::priority;
  model.threads.push_back(std::move(thread));
  return model.threads.size() - 1;
}

Index Example::timer(Index thread, int priority, Ns period, Ns time, Ns jitter)
{
  const Index task = sub(thread, priority, {}, time);
  model.tasks[task].release = Release{period, jitter, {}};
  model.tasks[task].timer = true;
  return task;
}

Index Example::sub(Index thread, int priority, std::initializer_list<Index> from, Ns time, Ns delay)
{
  Task task;
  task.id = "/c" + std::to_string(model.tasks.size());
  task.threads = {thread};
  task.priority = priority;
  task.time = time;
  for (const Index sender : from) {
    task.triggers.push_back({sender, delay, task.triggers.size()});
  }
  model.tasks.push_back(std::move(task));
  return model.tasks.size() - 1;
}

Index Example::chain(std::vector<Index> path, Ns deadline)
{
  Chain chain;
  chain.name = "chain" + std::to_string(model.chains.size());
  chain.path = std::move(path);
  chain.deadline = deadline;
  model.chains.push_back(std::move(chain));
  return model.chains.size() - 1;
}

}  // namespace takt_plan::test
