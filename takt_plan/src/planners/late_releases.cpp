#include "planners/late_releases.hpp"

#include <algorithm>

namespace takt_plan::detail
{

takt_schedule::System with_late_releases(takt_schedule::System system)
{
  for (takt_schedule::CallbackModel & callback : system.callbacks) {
    if (callback.is_timer() && callback.period) {
      const Ns late = std::min(callback.period->count() / kLateShare, kMostLate);
      callback.jitter = std::max(callback.jitter, takt_rt::Duration(late));
    }
  }
  return system;
}

}  // namespace takt_plan::detail
