// The rules by which `Executor` judges bindings: whether a callback may run on the threads it is
// bound to, and at which priority messages are taken and published. Planner and checker apply the
// same rules before there is an executor.
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

/// The priority that `callback` has without one of its own: that of its most important chain, 0
/// without a chain.
int inherited_priority(std::span<const ChainOptions> chains, std::string_view callback);

/// The same for all callbacks of chains at once: quicker for a caller that asks about many callbacks.
std::unordered_map<std::string, int> inherited_priorities(std::span<const ChainOptions> chains);

/// The OS urgencies (see `urgency(ThreadAttributes)`) with which a callback of `priority` may run on
/// `bound` (0: all threads), ascending, each once. In a mutually exclusive group all callbacks must
/// have the same ones, or the less urgent would block the others.
std::vector<int> urgencies(
  std::span<const ExecutorThreadOptions> threads, ThreadMask bound, int priority);

/// Whether all threads have one OS urgency and none follows: then groups need no check, and no
/// thread can be preempted in the middleware by another one of the executor. `isolated`: of isolated groups, besides.
bool uniform(
  std::span<const ExecutorThreadOptions> threads, std::span<const ThreadAttributes> isolated = {});

/// The middleware ceiling that an executor with these threads asks for, 1 to 99; 0: none.
/// `automatic`: one above the most urgent real-time thread unless the threads are uniform. Nice levels
/// alone set no ceiling: where they are used, real-time rights are what is missing.
int ceiling_to_ask(
  const MiddlewareCeiling & ceiling, std::span<const ExecutorThreadOptions> threads,
  std::span<const ThreadAttributes> isolated = {});

/// Whether a following thread with these attributes can take a callback's `priority` as its own.
bool can_follow(const ThreadAttributes & thread, int priority) noexcept;

}  // namespace takt_core

#endif  // TAKT_CORE__BINDING_RULES_HPP_
