#include <algorithm>

#include "schedule/read_executor.hpp"
#include "takt_core/binding_rules.hpp"
#include "takt_schedule/fallback.hpp"
#include "takt_schedule/reader/text.hpp"
#include "threads/thread_names.hpp"
#include "watch/check_watch.hpp"

namespace takt_schedule::detail
{
namespace
{

using takt_core::Order;
using takt_core::ThreadMask;
using takt_rt::Policy;

/// A thread set and the first place that uses it.
struct UsedSet
{
  ThreadMask threads;
  Source at;
};

std::vector<UsedSet> used_sets(const ExecutorSchedule & executor, const ThreadNames & names)
{
  std::vector<UsedSet> result;
  const auto add = [&](ThreadMask threads, const Source & at) {
    if (threads != 0 && std::none_of(result.begin(), result.end(), [&](const UsedSet & used) {
          return used.threads == threads;
        })) {
      result.push_back({threads, at});
    }
  };
  add(names.mask(executor.default_threads), executor.source);
  for (const CallbackRule & rule : executor.callbacks) {
    if (!rule.threads.empty()) {
      add(names.mask(rule.threads), rule.source);
    }
    if (const AlarmAction * const action = find_action(rule.watch, AlarmAction::Kind::threads)) {
      add(names.mask(action->words), rule.source);
    }
  }
  return result;
}

void check_sets(
  const ExecutorSchedule & executor, const ThreadNames & names, const std::vector<UsedSet> & sets,
  Findings & findings)
{
  constexpr std::size_t kMost = takt_core::Scheduler::kMaxThreadSets;
  if (sets.size() > kMost) {
    findings.fault(
      sets[kMost].at, "more than " + std::to_string(kMost) + " different thread sets in executor " +
                        quoted(executor.name) + "; let more rules share their threads");
  }
  if (!takt_core::has_windows(executor.order)) {
    return;
  }
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (const ThreadMask shared = sets[i].threads & sets[j].threads; shared != 0) {
        findings.fault(
          sets[i].at,
          "under order '" + std::string(to_string(executor.order)) +
            "' thread sets must not share threads, and this one shares " +
            listed(names.words(shared)) +
            (j == 0 ? " with the default" : " with line " + std::to_string(sets[j].at.line)));
        break;
      }
    }
  }
}

/// The threads of the callbacks for which the rule decides.
ThreadMask threads_of(
  const CallbackRule & rule, const ExecutorSchedule & executor, const ThreadNames & names)
{
  return names.mask(rule.threads.empty() ? executor.default_threads : rule.threads);
}

void check_following(
  const ExecutorSchedule & executor, const ThreadNames & names, Findings & findings)
{
  for (const Threads & threads : executor.threads) {
    if (!threads.follow) {
      continue;
    }
    const ThreadMask mask = names.mask(std::vector{threads.name});
    const int most = threads.attributes.priority;
    const std::string range = "1 to " + std::to_string(most);
    if ((names.mask(executor.default_threads) & mask) != 0) {
      findings.warn(
        threads.source, "the default threads include the following pool " + quoted(threads.name) +
                          ": a callback there needs a priority from " + range +
                          " by a rule or a chain, or it cannot be added");
    }
    for (const CallbackRule & rule : executor.callbacks) {
      if (
        (threads_of(rule, executor, names) & mask) != 0 && rule.priority &&
        !takt_core::can_follow(threads.attributes, *rule.priority)) {
        findings.fault(
          rule.source, "priority " + std::to_string(*rule.priority) +
                         " cannot be taken by the following pool " + quoted(threads.name) +
                         "; use " + range);
      }
      const AlarmAction * const action = find_action(rule.watch, AlarmAction::Kind::priority);
      if (
        (threads_of(rule, executor, names) & mask) != 0 && action != nullptr &&
        !takt_core::can_follow(threads.attributes, action->number)) {
        findings.fault(
          rule.source, "priority " + std::to_string(action->number) +
                         " of on_alarm cannot be taken by the following pool " +
                         quoted(threads.name) + "; use " + range);
      }
    }
  }
}

void check_bandwidth(
  const ExecutorSchedule & executor, Findings & findings, const Surroundings & surroundings)
{
  const double deadline_cores = surroundings.deadline_cores;
  double sum = 0.0;
  for (const Threads & threads : executor.threads) {
    const takt_rt::ThreadAttributes & attributes = threads.attributes;
    if (attributes.policy != Policy::deadline || attributes.period <= takt_rt::Duration::zero()) {
      continue;
    }
    const double before = sum;
    sum += threads.count * static_cast<double>(attributes.runtime.count()) /
           static_cast<double>(attributes.period.count());
    // The kernel counts in units of 2^-20.
    if (deadline_cores > 0.0 && sum > deadline_cores + 1e-5 && before <= deadline_cores + 1e-5) {
      const auto shown = [](double cores) {
        std::string text = std::to_string(cores);
        return text.substr(0, text.find('.') + 3);
      };
      findings.fault(
        threads.source,
        "with " + quoted(threads.name) + " the deadline threads take " + shown(sum) +
          " cores, and the kernel admits " + shown(deadline_cores) +
          (surroundings.assumed_cores
             ? " (assumed; the fair server's files in /sys/kernel/debug cannot be read)"
             : "") +
          "; lower runtime or raise period");
    }
  }
}

/// Whether a thread will have a real-time policy: requested, and granted or without a fallback.
bool runs_in_real_time(const Threads & threads, const Surroundings & surroundings)
{
  const Policy policy = threads.attributes.policy;
  if (!takt_rt::has_rt_priority(policy) && policy != Policy::deadline) {
    return false;
  }
  return !threads.fallback ||
         (surroundings.realtime ? *surroundings.realtime : may_use(threads.attributes));
}

/// The first threads with a nice level, if threads differ only by nice levels.
const Threads * counts_on_nice(const ExecutorSchedule & executor, const Surroundings & surroundings)
{
  const Threads * first = nullptr;
  for (const Threads & threads : executor.threads) {
    if (runs_in_real_time(threads, surroundings)) {
      return nullptr;
    }
    if (first == nullptr && (threads.attributes.nice.value_or(0) != 0 || threads.fallback)) {
      first = &threads;
    }
  }
  return first;
}

/// nullptr if no threads fit.
template <typename Fits>
const CallbackRule * first_rule(const ExecutorSchedule & executor, const Fits & fits)
{
  const auto found = std::find_if(executor.callbacks.begin(), executor.callbacks.end(), fits);
  return found == executor.callbacks.end() ? nullptr : &*found;
}

void warn(
  const ExecutorSchedule & executor, const std::vector<UsedSet> & sets, Findings & findings,
  const Surroundings & surroundings)
{
  const ThreadNames names(executor);
  ThreadMask used = 0;
  for (const UsedSet & set : sets) {
    used |= set.threads;
  }
  ThreadMask following = 0;
  for (const Threads & threads : executor.threads) {
    const ThreadMask mask = names.mask(std::vector{threads.name});
    following |= threads.follow ? mask : 0;
    if ((used & mask) == 0) {
      findings.warn(
        threads.source, "threads " + quoted(threads.name) +
                          " run nothing: neither the default nor a rule names them");
    }
  }
  const Threads * const nice =
    surroundings.autogroup ? counts_on_nice(executor, surroundings) : nullptr;
  if (nice != nullptr) {
    findings.warn(
      nice->source,
      {takt_rt::FaultKind::session_nice,
       "nice levels only count within a session here; to make them count between processes set "
       "sysctl kernel.sched_autogroup_enabled=0"});
  }
  const CallbackRule * const with_priority = first_rule(executor, [](const CallbackRule & rule) {
    return rule.priority.has_value() ||
           find_action(rule.watch, AlarmAction::Kind::priority) != nullptr;
  });
  if (with_priority != nullptr && !uses_priorities(executor)) {
    findings.warn(
      with_priority->source, "callback priorities have no effect under order '" +
                               std::string(to_string(executor.order)) +
                               "'; did you mean order: priority?");
  }
  const CallbackRule * const boosted =
    first_rule(executor, [](const CallbackRule & rule) { return rule.boost.has_value(); });
  if (boosted != nullptr && executor.order != Order::priority) {
    findings.warn(
      boosted->source, "boost has no effect under order '" +
                         std::string(to_string(executor.order)) +
                         "'; did you mean order: priority?");
  }
  const CallbackRule * const deferring = first_rule(executor, [&](const CallbackRule & rule) {
    return rule.publishes_last && (threads_of(rule, executor, names) & ~following) == 0;
  });
  if (deferring != nullptr) {
    findings.warn(deferring->source, "publishes_last has no effect in following pools");
  }
}

}  // namespace

bool uses_priorities(const ExecutorSchedule & executor)
{
  return executor.order == Order::priority ||
         std::any_of(executor.threads.begin(), executor.threads.end(), [](const Threads & threads) {
           return threads.follow;
         });
}

void check_executor(
  const ExecutorSchedule & executor, Findings & findings, const Surroundings & surroundings)
{
  if (executor.threads.empty()) {
    return;
  }
  const ThreadNames names(executor);
  if (names.names().size() <= takt_core::Scheduler::kMaxThreads) {
    const std::vector<UsedSet> sets = used_sets(executor, names);
    check_sets(executor, names, sets, findings);
    warn(executor, sets, findings, surroundings);
    check_following(executor, names, findings);
    check_sequences(executor, findings);
  }
  check_bandwidth(executor, findings, surroundings);
}

}  // namespace takt_schedule::detail
