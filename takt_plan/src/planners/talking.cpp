#include "planners/talking.hpp"

#include <algorithm>

namespace takt_plan::detail
{

std::set<std::string> talking(const takt_schedule::System & system)
{
  std::set<std::string> found;
  for (const takt_schedule::CallbackModel & callback : system.callbacks) {
    if (!callback.publishes.empty() || !callback.triggers.empty() || !callback.reads.empty()) {
      found.insert(callback.executor);
    }
  }
  return found;
}

int most_of_plan(
  const takt_schedule::System & system, const takt_schedule::HostModel & host,
  const std::set<std::string> & talkers)
{
  const bool talks = std::any_of(
    system.callbacks.begin(), system.callbacks.end(),
    [&](const takt_schedule::CallbackModel & callback) {
      return callback.host == host.name && talkers.contains(callback.executor);
    });
  return talks ? std::max(host.most_priority - 1, host.least_priority) : host.most_priority;
}

}  // namespace takt_plan::detail
