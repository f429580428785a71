#include "still_there.hpp"

#include <algorithm>

namespace takt_control
{

using takt_core::Reconfiguration;

Reconfiguration still_there(Reconfiguration before, const takt_core::Executor & executor)
{
  const Reconfiguration now = executor.configuration();
  std::erase_if(before.callbacks, [&](const auto & old) {
    return std::none_of(now.callbacks.begin(), now.callbacks.end(), [&](const auto & one) {
      return one.callback == old.callback;
    });
  });
  std::erase_if(before.threads, [&](const auto & old) {
    return std::none_of(now.threads.begin(), now.threads.end(), [&](const auto & one) {
      return one.number == old.number && one.group == old.group;
    });
  });
  return before;
}

}  // namespace takt_control
