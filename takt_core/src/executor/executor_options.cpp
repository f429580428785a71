// Checks an executor's options and fills in defaults.
#include "executor/executor_impl.hpp"
#include "takt_rt/application/thread_name.hpp"

namespace takt_core
{

using takt_rt::Fault;
using takt_rt::Policy;
using takt_rt::read_attributes;
using takt_rt::with_kept_name;

Faults validate(const ExecutorOptions & options)
{
  Faults faults;
  if (options.threads.size() > Scheduler::kMaxThreads) {
    faults.push_back(
      options.name + ": " + std::to_string(options.threads.size()) +
      " threads are more than the 63 an executor can have");
  }
  const auto name = [&](const ExecutorThreadOptions & thread) {
    const std::string & own = thread.attributes.name;
    return own.empty() ? std::to_string(&thread - options.threads.data()) : own;
  };
  for (const ExecutorThreadOptions & thread : options.threads) {
    for (const Fault & fault : validate(with_kept_name(thread.attributes))) {
      faults.push_back(within(options.name + ": thread " + name(thread), fault));
    }
    if (thread.follow && thread.attributes.policy != Policy::fifo) {
      faults.push_back(
        options.name + ": thread " + name(thread) +
        " follows its callbacks' priorities, which needs policy fifo");
    }
  }
  const MiddlewareCeiling & ceiling = options.middleware_ceiling;
  if (
    ceiling.mode == MiddlewareCeiling::Mode::fixed &&
    (ceiling.priority < 1 || ceiling.priority > 99)) {
    faults.push_back(
      options.name + ": middleware ceiling " + std::to_string(ceiling.priority) +
      " is out of range; use 1 to 99");
  }
  if (options.begins_with_first) {
    if (options.lock_memory) {
      faults.push_back(
        options.name +
        ": memory is to be locked before the first callback runs, so all threads begin together; "
        "leave out either `lock_memory` or `begins_with_first`");
    }
    for (const ExecutorThreadOptions & thread : options.threads) {
      const ThreadAttributes & asked = thread.attributes;
      if (asked.policy != Policy::inherit || asked.nice || !asked.cores.empty()) {
        faults.push_back(
          options.name + ": thread " + name(thread) +
          " asks for attributes, which it is to have before the first callback runs; leave out "
          "either them or "
          "`begins_with_first`");
      }
    }
  }
  return faults;
}

ExecutorOptions with_defaults(ExecutorOptions options)
{
  if (options.threads.empty()) {
    options.threads.push_back({read_attributes(), false});
    options.threads.front().attributes.cores.clear();
    options.threads.front().attributes.name = options.name;
  }
  for (std::size_t t = 0; t < options.threads.size(); ++t) {
    std::string & name = options.threads[t].attributes.name;
    if (name.empty()) {
      name = options.name + "." + std::to_string(t);
    }
  }
  return options;
}

}  // namespace takt_core
