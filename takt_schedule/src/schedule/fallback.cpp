#include "takt_schedule/fallback.hpp"

#include "takt_rt/attribute_setter.hpp"
#include "takt_schedule/reader/text.hpp"

namespace takt_schedule
{

using takt_rt::Policy;
using takt_rt::ThreadAttributes;

bool may_use(const ThreadAttributes & attributes)
{
  return takt_rt::own_rights().refusals(attributes).empty();
}

WithFallbacks with_fallbacks(
  const ExecutorSchedule & executor, const std::function<bool(const ThreadAttributes &)> & allowed)
{
  WithFallbacks result{executor, {}};
  if (executor.missing_rights == takt_core::MissingRights::fail) {
    return result;
  }
  std::vector<Threads *> entries;
  for (Threads & threads : result.executor.threads) {
    entries.push_back(&threads);
  }
  for (GroupRule & rule : result.executor.groups) {
    if (rule.isolate) {
      entries.push_back(&*rule.isolate);
    }
  }
  for (Threads * const entry : entries) {
    Threads & threads = *entry;
    ThreadAttributes & attributes = threads.attributes;
    if (!threads.fallback || allowed(attributes)) {
      continue;
    }
    std::string policy{to_string(attributes.policy)};
    if (takt_rt::has_rt_priority(attributes.policy)) {
      policy += " " + std::to_string(attributes.priority);
    }
    // The kernel's answer is known once the threads have started.
    result.used.emplace_back(
      takt_rt::FaultKind::fallback,
      "executor " + quoted(executor.name) + ": this process has no right to policy " + policy +
        ", so " +
        (threads.name.empty() ? "the isolated groups of line " + std::to_string(threads.source.line)
                              : "threads " + quoted(threads.name)) +
        " ask for their fallback, nice " + std::to_string(threads.fallback->nice));
    attributes.policy = Policy::other;
    attributes.priority = 0;
    attributes.nice = threads.fallback->nice;
    attributes.runtime = attributes.deadline = attributes.period = {};
    threads.follow = false;
    threads.fallback.reset();
  }
  return result;
}

}  // namespace takt_schedule
