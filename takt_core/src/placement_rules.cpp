#include "takt_core/placement_rules.hpp"

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

bool can_follow(const ThreadAttributes & thread, int priority) noexcept
{
  return priority >= 1 && priority <= thread.priority;
}

}  // namespace takt_core
