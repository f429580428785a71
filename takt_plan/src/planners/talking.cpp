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

Band band_of(
  const takt_schedule::System & system, const takt_schedule::HostModel & host,
  const std::set<std::string> & talkers, int quiet_threads)
{
  const bool talks = std::any_of(
    system.callbacks.begin(), system.callbacks.end(),
    [&](const takt_schedule::CallbackModel & callback) {
      return callback.host == host.name && talkers.contains(callback.executor);
    });
  Band band{host.least_priority, host.most_priority, 0, host.most_priority};
  if (talks) {
    band.above = std::min(quiet_threads, (host.most_priority - host.least_priority) / 2);
    band.most = std::max(host.most_priority - band.above - 1, host.least_priority);
  }
  return band;
}

}  // namespace takt_plan::detail
