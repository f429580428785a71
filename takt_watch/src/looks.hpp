// Looks at a list of executors, and returns the alarms that their rules raise.
//
// One thread at a time; may block as set-up of the executors does; allocates.
#ifndef TAKT_WATCH__SRC__LOOKS_HPP_
#define TAKT_WATCH__SRC__LOOKS_HPP_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "alarms/alarm.hpp"
#include "alarms/alarm_rules.hpp"
#include "executor_watch.hpp"
#include "kernel/core_users.hpp"
#include "sample.hpp"

namespace takt_watch
{

class Looks
{
public:
  /// Looks at the executors, and returns the alarms. `window`: true if a period is over and a new
  /// window begins.
  std::vector<Alarm> look(
    const std::vector<std::shared_ptr<ExecutorWatch>> & executors, takt_rt::Time now, bool window);

  /// The time of the next look that the rules need; kNever: the rules need no look at a certain
  /// time.
  takt_rt::Time next() const noexcept { return rules_.next().value_or(takt_rt::kNever); }

private:
  bool somebody_waits(const Sample & sample);

  CoreUsers users_;
  AlarmRules rules_{[this](takt_rt::Time now, takt_rt::Duration window) -> const CoreUse & {
    return users_.in_window(now, window);
  }};
  // Run-queue delays at the last look, by thread id.
  std::map<std::int32_t, takt_rt::Duration> delays_;
  takt_rt::Time looked_{};
  // Executors' names in the schedule, by their unique names.
  std::map<std::string, std::string> names_;
};

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__LOOKS_HPP_
