#include "takt_core/adapter/placer.hpp"

namespace takt_core::adapter
{

Status settle(Executor & executor, Group & group, const CallbackSettings & settings)
{
  if (settings.across_priorities) {
    group.allow_across_priorities();
  }
  if (settings.condition) {
    // Refused if the group has callbacks: its first one has set the condition.
    static_cast<void>(group.set_condition(*settings.condition));
  }
  if (settings.logical_time) {
    static_cast<void>(group.set_logical_time(*settings.logical_time));
  }
  if (!settings.isolation) {
    return {};
  }
  Isolation isolation = *settings.isolation;
  if (group.exclusive()) {
    isolation.threads = 1;
  }
  return executor.isolate(group, isolation);
}

}  // namespace takt_core::adapter
