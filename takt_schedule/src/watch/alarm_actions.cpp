#include "watch/alarm_actions.hpp"

#include <algorithm>

namespace takt_schedule
{

const ChainWatchRule * find_chain_watch(const Schedule & schedule, std::string_view chain)
{
  const auto found = std::find_if(
    schedule.chains.begin(), schedule.chains.end(),
    [&](const ChainSchedule & one) { return one.options.name == chain; });
  return found == schedule.chains.end() ? nullptr : &found->watch;
}

const std::vector<AlarmAction> & alarm_actions(
  const WatchSettings & settings, const WatchRule * rule, const ChainWatchRule * chain)
{
  if (rule != nullptr && !rule->on_alarm.empty()) {
    return rule->on_alarm;
  }
  if (chain != nullptr && !chain->on_alarm.empty()) {
    return chain->on_alarm;
  }
  return settings.on_alarm;
}

const std::vector<AlarmAction> & miss_actions(
  const WatchSettings & settings, const ChainWatchRule & chain)
{
  return chain.fail_safe.empty() ? alarm_actions(settings, nullptr, &chain) : chain.fail_safe;
}

}  // namespace takt_schedule
