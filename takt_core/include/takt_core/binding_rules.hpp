// The rules by which `Executor` judges bindings: whether a callback may run on its threads, and at
// which priority threads take and publish messages. Planner and checker apply the same rules
// offline.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_CORE__BINDING_RULES_HPP_
#define TAKT_CORE__BINDING_RULES_HPP_

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "takt_core/executor.hpp"
#include "takt_core/thread_mask.hpp"

namespace takt_core
{

/// The priority of `callback` if it has none of its own: the priority of its most important chain,
/// or 0 without a chain.
int inherited_priority(std::span<const ChainOptions> chains, std::string_view callback);

/// The inherited priorities of all callbacks of `chains`. Faster than one call for each of many
/// callbacks.
std::unordered_map<std::string, int> inherited_priorities(std::span<const ChainOptions> chains);

/// The OS urgencies (see `urgency(ThreadAttributes)`) at which a callback of `priority` may run on
/// `bound` (0: all threads), ascending, each once. All callbacks of a mutually exclusive group must
/// have the same urgencies: otherwise a less urgent callback would block the others.
std::vector<int> urgencies(
  std::span<const ExecutorThreadOptions> threads, ThreadMask bound, int priority);

/// True if all threads have one OS urgency and no thread has `follow`. Then no group can span OS
/// priorities, and the executor's threads do not preempt each other in the middleware. `isolated`:
/// the attributes of threads of isolated groups; these threads count too.
bool uniform(
  std::span<const ExecutorThreadOptions> threads, std::span<const ThreadAttributes> isolated = {});

/// The middleware ceiling that an executor with these threads requests, 1 to 99; 0: none.
/// `automatic`: one above the most urgent real-time thread unless the threads are uniform. Nice
/// levels alone set no ceiling: programs use them where real-time rights are missing.
int ceiling_to_ask(
  const MiddlewareCeiling & ceiling, std::span<const ExecutorThreadOptions> threads,
  std::span<const ThreadAttributes> isolated = {});

/// Whether a following thread with these attributes can take a callback's `priority` as its OS
/// priority.
bool can_follow(const ThreadAttributes & thread, int priority) noexcept;

}  // namespace takt_core

#endif  // TAKT_CORE__BINDING_RULES_HPP_
