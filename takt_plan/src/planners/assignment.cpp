#include "takt_plan/assignment.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "planners/talking.hpp"
#include "takt_core/binding_rules.hpp"
#include "takt_rt/environment.hpp"
#include "takt_schedule/core_options.hpp"
#include "takt_schedule/middlewares.hpp"

namespace takt_plan
{
namespace
{

using takt_schedule::ExecutorSchedule;
using takt_schedule::Schedule;

constexpr int kMostUrgent = 255;  // callback priorities are 0 to 255

/// The callback priority of the task at `position` of `count` tasks. If there are more tasks than
/// priorities, the first tasks share the highest priority.
int level_at(Index position, Index count)
{
  return static_cast<int>(std::min<Index>(count - 1 - position, kMostUrgent));
}

takt_rt::Policy policy_of(int priority)
{
  return priority > 0 ? takt_rt::Policy::fifo : takt_rt::Policy::other;
}

takt_rt::ThreadAttributes attributes_of(const AssignedThread & thread, const Model & model)
{
  takt_rt::ThreadAttributes attributes;
  attributes.policy = policy_of(thread.priority);
  attributes.priority = thread.priority;
  attributes.cores = {model.cores[thread.core].number};
  return attributes;
}

/// For each task the most important chain through it; kNone: no chain.
std::vector<Index> leading_chains(const Model & model)
{
  std::vector<Index> lead(model.tasks.size(), kNone);
  for (Index chain = 0; chain < model.chains.size(); ++chain) {
    for (const Index task : model.chains[chain].path) {
      if (lead[task] == kNone || model.chains[chain].priority > model.chains[lead[task]].priority) {
        lead[task] = chain;
      }
    }
  }
  return lead;
}

/// Patterns of the thread names of the middleware that RMW_IMPLEMENTATION names. If the variable is
/// unset or names a middleware that takt does not know: patterns of the usual middleware.
std::vector<std::string> middleware_patterns()
{
  const std::string used = takt_rt::variable("RMW_IMPLEMENTATION");
  const takt_schedule::Middleware * found = takt_schedule::find_middleware(used);
  if (found == nullptr || found->threads.empty()) {
    const auto all = takt_schedule::middlewares();
    found = &*std::find_if(all.begin(), all.end(), [](const auto & one) { return one.usual; });
  }
  return {found->threads.begin(), found->threads.end()};
}

// Puts the middleware's threads above the plan's threads, as far as the host's priorities allow it.
// `priority`: the highest of those threads that are not to be above them (talking.hpp). The
// middleware's threads carry messages between processes; below them they would starve, and messages
// would come later than the model says. They also hold locks of the middleware when they announce
// the process, every three seconds. A callback that publishes meanwhile waits until they get a
// core.
takt_schedule::ProcessThreadRule above(int priority, const takt_schedule::HostModel & host)
{
  takt_schedule::ProcessThreadRule rule;
  rule.match = middleware_patterns();
  rule.attributes.policy = takt_rt::Policy::fifo;
  rule.attributes.priority = std::min(priority + 1, std::max(priority, host.most_priority));
  return rule;
}

// The kernel keeps at most this many characters of a thread's name.
constexpr std::size_t kLongestName = 15;
// The most characters that stay of a name to which a number is added, as in `_2`.
constexpr std::size_t kLongestStem = 12;

/// The first words of a long name with underscores, as many as fit. If these are too short, the
/// first characters.
std::string shortened(const std::string & name)
{
  if (name.size() <= kLongestName) {
    return name;
  }
  const std::size_t end = name.rfind('_', kLongestStem);
  return name.substr(0, end == std::string::npos || end < kLongestStem / 2 ? kLongestStem : end);
}

class Names
{
public:
  /// Returns a new name for threads of `executor`.
  std::string take(Index executor, const std::string & wish)
  {
    std::string stem;
    for (const char c : shortened(wish)) {
      stem += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    }
    if (stem.empty() || stem == "all" || std::isalpha(static_cast<unsigned char>(stem[0])) == 0) {
      stem = ("t" + stem).substr(0, kLongestName);
    }
    int & count = counts_[{executor, stem}];
    std::string name;
    do {
      ++count;
      const std::string number = "_" + std::to_string(count);
      name = count == 1
               ? stem
               : stem.substr(0, std::min(kLongestStem, kLongestName - number.size())) + number;
    } while (!taken_.insert({executor, name}).second);
    return name;
  }

private:
  std::map<std::pair<Index, std::string>, int> counts_;
  std::set<std::pair<Index, std::string>> taken_;
};

/// The wanted name of the thread: that of its most important chain or, without a chain, of the node
/// of its first task.
std::string wish_of(
  const AssignedThread & thread, const Model & model, const std::vector<Index> & lead)
{
  Index best = kNone;
  for (const Index task : thread.tasks) {
    const Index chain = lead[task];
    if (
      chain != kNone &&
      (best == kNone || model.chains[chain].priority > model.chains[best].priority)) {
      best = chain;
    }
  }
  if (best != kNone) {
    return model.chains[best].name;
  }
  const std::string & id = model.tasks[thread.tasks.front()].id;
  const std::string node = id.substr(0, id.find(':'));
  return node.substr(node.rfind('/') + 1);
}

}  // namespace

std::vector<int> ceilings_of(const Assignment & assignment, Index executors)
{
  // Check only the least and the most urgent thread of each executor: these two decide.
  std::vector<std::vector<takt_core::ExecutorThreadOptions>> extremes(executors);
  for (const AssignedThread & thread : assignment.threads) {
    auto & both = extremes[thread.executor];
    if (both.empty()) {
      both.resize(2);
      for (auto & options : both) {
        options.attributes.priority = thread.priority;
      }
    }
    int & least = both[0].attributes.priority;
    int & most = both[1].attributes.priority;
    least = std::min(least, thread.priority);
    most = std::max(most, thread.priority);
  }
  std::vector<int> ceilings;
  for (auto & threads : extremes) {
    for (auto & options : threads) {
      options.attributes.policy = policy_of(options.attributes.priority);
    }
    ceilings.push_back(takt_core::ceiling_to_ask(ExecutorSchedule{}.middleware_ceiling, threads));
  }
  return ceilings;
}

void assign(const Assignment & assignment, const std::vector<int> & ceilings, Model & model)
{
  model.threads.clear();
  for (const AssignedThread & given : assignment.threads) {
    const Index index = model.threads.size();
    Thread thread;
    thread.name = "t" + std::to_string(index);
    thread.host = model.cores[given.core].host;
    thread.executor = given.executor;
    thread.kind = given.priority > 0 ? ThreadClass::fixed_priority : ThreadClass::fair;
    thread.priority = given.priority;
    thread.cores = {given.core};
    thread.order = takt_core::Order::priority;
    thread.ceiling = ceilings[given.executor];
    model.threads.push_back(std::move(thread));
    for (Index i = 0; i < given.tasks.size(); ++i) {
      Task & task = model.tasks[given.tasks[i]];
      task.threads = {index};
      task.priority = level_at(i, given.tasks.size());
    }
  }
  for (const AssignedOffset & given : assignment.offsets) {
    model.tasks[given.task].release->offset = given.offset;
  }
}

Schedule schedule_of(
  const Assignment & assignment, const Model & model, const takt_schedule::System & system)
{
  Schedule schedule;
  schedule.chains = system.chains;
  const std::vector<Index> lead = leading_chains(model);
  const std::set<std::string> talkers = detail::talking(system);
  std::map<Index, takt_rt::Duration> offsets;
  for (const AssignedOffset & given : assignment.offsets) {
    offsets[given.task] = takt_rt::Duration(given.offset);
  }
  std::map<Index, int> most_urgent;  // of the threads below the middleware's, by host
  std::map<Index, Index> host_of;    // by executor
  for (const AssignedThread & thread : assignment.threads) {
    const Index host = model.cores[thread.core].host;
    host_of[thread.executor] = host;
    if (!thread.above_middleware) {
      most_urgent[host] = std::max(most_urgent[host], thread.priority);
    }
  }
  Names names;
  for (Index executor = 0; executor < model.executors.size(); ++executor) {
    ExecutorSchedule one;
    one.name = model.executors[executor];
    one.order = takt_core::Order::priority;
    if (executor < model.epochs.size()) {
      one.epoch.from = model.epochs[executor];
    }
    const AssignedThread * least = nullptr;
    for (const AssignedThread & thread : assignment.threads) {
      if (thread.executor != executor) {
        continue;
      }
      takt_schedule::Threads threads;
      threads.name = names.take(executor, wish_of(thread, model, lead));
      threads.attributes = attributes_of(thread, model);
      for (Index i = 0; i < thread.tasks.size(); ++i) {
        const takt_schedule::CallbackModel & callback = system.callbacks[thread.tasks[i]];
        takt_schedule::CallbackRule rule;
        rule.match = callback.all_ids();
        rule.threads = {threads.name};
        rule.priority = level_at(i, thread.tasks.size());
        // The bounds depend on these offsets.
        const auto given = offsets.find(thread.tasks[i]);
        if (callback.is_timer()) {
          rule.offset = given == offsets.end() ? callback.offset : given->second;
        }
        one.callbacks.push_back(std::move(rule));
      }
      if (least == nullptr || thread.priority < least->priority) {
        least = &thread;
        one.default_threads = {threads.name};
      }
      one.threads.push_back(std::move(threads));
    }
    const Index host = host_of[executor];
    const int most = most_urgent[host];
    if (most > 0 && talkers.contains(one.name)) {
      one.process_threads.push_back(above(most, system.hosts[host]));
    }
    schedule.executors.push_back(std::move(one));
  }
  return schedule;
}

}  // namespace takt_plan
