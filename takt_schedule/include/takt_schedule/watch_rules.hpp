// Watch rules of a schedule: thresholds, limits and the actions of alarms.
//
// docs/schedule.md explains every field. Plain data; set-up only.
#ifndef TAKT_SCHEDULE__WATCH_RULES_HPP_
#define TAKT_SCHEDULE__WATCH_RULES_HPP_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "takt_rt/time.hpp"

namespace takt_schedule
{

/// `backlog:` of a callback rule. Raises an alarm if a threshold is crossed for `hold`.
struct BacklogRule
{
  std::optional<std::uint32_t> messages;  ///< number of waiting messages
  std::optional<double> depth;            ///< waiting messages / history: above 0, at most 1
  std::optional<takt_rt::Duration> age;   ///< of the oldest message
  std::optional<double> rate;             ///< arrivals per service, above 0
  double release = 0.5;  ///< the alarm is cleared below this fraction of the threshold
  takt_rt::Duration hold{};
  friend bool operator==(const BacklogRule &, const BacklogRule &) = default;
};

/// `misses:`: more than `most` of the last `of` responses missed the deadline.
struct MissRule
{
  std::uint32_t most = 0;
  std::uint32_t of = 1;
  friend bool operator==(const MissRule &, const MissRule &) = default;
};

/// One entry of `on_alarm:` or `fail_safe:`. The monitor carries it out.
struct AlarmAction
{
  enum class Kind : std::uint8_t
  {
    log,
    publish,
    snapshot,         ///< write the flight recorder
    ask,              ///< ask the user
    run,              ///< `words`: program and arguments
    set_parameter,    ///< `name`: node, `words[0]`: parameter, `value`: YAML of the value
    priority,         ///< `number`: of the alarm's chain or callback, until the alarm clears
    threads,          ///< `words`: threads of the callback, until the alarm is cleared
    thread_priority,  ///< `name`: thread, `number`: its priority, until the alarm is cleared
    thread_nice,
  };
  Kind kind = Kind::log;
  std::string name{};
  std::vector<std::string> words{};
  std::string value{};
  int number = 0;
  friend bool operator==(const AlarmAction &, const AlarmAction &) = default;
};

/// `watch:` of the schedule.
struct WatchSettings
{
  takt_rt::Duration period = std::chrono::milliseconds(100);
  std::vector<AlarmAction> on_alarm{AlarmAction{}};
  friend bool operator==(const WatchSettings &, const WatchSettings &) = default;
};

/// The watch keys of a callback rule.
struct WatchRule
{
  std::optional<BacklogRule> backlog;
  std::optional<takt_rt::Duration> budget;  ///< of execution time
  std::optional<takt_rt::Duration> stall;
  std::optional<MissRule> misses;
  std::vector<AlarmAction> on_alarm;
  /// True if the rule watches nothing.
  bool empty() const noexcept { return *this == WatchRule(); }
  friend bool operator==(const WatchRule &, const WatchRule &) = default;
};

/// The watch keys of a chain.
struct ChainWatchRule
{
  std::optional<MissRule> misses;
  std::vector<AlarmAction> on_alarm;
  std::vector<AlarmAction> fail_safe;
  friend bool operator==(const ChainWatchRule &, const ChainWatchRule &) = default;
};

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__WATCH_RULES_HPP_
