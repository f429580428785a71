#include "takt_core/binding_rules.hpp"

#include <algorithm>

namespace takt_core
{

int inherited_priority(std::span<const ChainOptions> chains, std::string_view callback)
{
  int inherited = 0;
  for (const ChainOptions & chain : chains) {
    if (std::find(chain.path.begin(), chain.path.end(), callback) != chain.path.end()) {
      inherited = std::max(inherited, chain.priority);
    }
  }
  return inherited;
}

std::unordered_map<std::string, int> inherited_priorities(std::span<const ChainOptions> chains)
{
  std::unordered_map<std::string, int> result;
  for (const ChainOptions & chain : chains) {
    for (const std::string & callback : chain.path) {
      int & inherited = result[callback];
      inherited = std::max(inherited, chain.priority);
    }
  }
  return result;
}

std::vector<int> urgencies(
  std::span<const ExecutorThreadOptions> threads, ThreadMask bound, int priority)
{
  std::vector<int> found;
  for (std::size_t t = 0; t < threads.size(); ++t) {
    if (bound == 0 || (bound >> t & 1) != 0) {
      ThreadAttributes attributes = threads[t].attributes;
      if (threads[t].follow) {
        attributes.priority = priority;
      }
      found.push_back(urgency(attributes));
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

bool uniform(
  std::span<const ExecutorThreadOptions> threads, std::span<const ThreadAttributes> isolated)
{
  const auto same = [&](const ThreadAttributes & attributes) {
    return urgency(attributes) == urgency(threads.front().attributes);
  };
  return std::all_of(
           threads.begin(), threads.end(),
           [&](const ExecutorThreadOptions & thread) {
             return !thread.follow && same(thread.attributes);
           }) &&
         std::all_of(isolated.begin(), isolated.end(), same);
}

int ceiling_to_ask(
  const MiddlewareCeiling & ceiling, std::span<const ExecutorThreadOptions> threads,
  std::span<const ThreadAttributes> isolated)
{
  if (ceiling.mode == MiddlewareCeiling::Mode::fixed) {
    return ceiling.priority;
  }
  int highest = 0;
  if (ceiling.mode == MiddlewareCeiling::Mode::automatic && !uniform(threads, isolated)) {
    const auto count = [&](const ThreadAttributes & attributes) {
      if (has_rt_priority(attributes.policy)) {
        highest = std::max(highest, attributes.priority);
      }
    };
    for (const ExecutorThreadOptions & thread : threads) {
      count(thread.attributes);
    }
    std::for_each(isolated.begin(), isolated.end(), count);
  }
  return highest > 0 ? std::min(highest + 1, 99) : 0;
}

bool can_follow(const ThreadAttributes & thread, int priority) noexcept
{
  return priority >= 1 && priority <= thread.priority;
}

}  // namespace takt_core
