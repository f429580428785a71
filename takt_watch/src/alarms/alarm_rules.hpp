// Which alarms a look at a process raises and clears, by the rules of its schedule.
//
//     AlarmRules rules;
//     for (const Alarm & alarm : rules.look(sample)) { … }      // each period, and at `rules.next()`
//
// An alarm of one kind about one callback, chain or run is raised once and cleared once:
//
// | kind     | raised                                                  | cleared                                      |
// |----------|---------------------------------------------------------|----------------------------------------------|
// | backlog  | as many messages wait as the rule says, for `hold`      | fewer than `release` times as many wait      |
// | age      | the oldest message is as old, for `hold`                | it is younger than `release` times that      |
// | rate     | so many arrivals per service, while messages wait, for `hold` | below `release` times the limit, or at 1, or nothing waits |
// | lost     | messages of a callback with a backlog rule were lost    | ten looks without a loss                     |
// | deadline | more than `most` of the last `of` responses missed, or are overdue | at most half of `most` did, and none of the last ten (or `of`) |
// | overrun  | a run took longer than its budget                       | ten looks without one                        |
// | skipped  | a timer with a rule dropped periods                     | ten looks without one                        |
// | stall    | a run goes on for longer than the limit                 | that run is over                             |
//
// Callbacks need a rule for any of these; deadlines of callbacks need one that names `misses`. Chains with a deadline need
// none: more than 0 of 1 is their default. What vanishes clears its alarms, and so does a rule that is there no longer.
// What begins to count anew is new.
// Not thread-safe; allocates.
#ifndef TAKT_WATCH__SRC__ALARM_RULES_HPP_
#define TAKT_WATCH__SRC__ALARM_RULES_HPP_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "alarms/alarm.hpp"
#include "alarms/own_runs.hpp"
#include "alarms/rates.hpp"
#include "kernel/core_users.hpp"
#include "sample.hpp"

namespace takt_watch
{

class AlarmRules
{
public:
  /// `cores`: for causes; empty: who else had a core is not known.
  explicit AlarmRules(AskCores cores = {}) : cores_(std::move(cores)) {}

  /// Alarms that this look raises or clears. Looks come in the order of their times.
  std::vector<Alarm> look(const Sample & now);

  /// When an age or a stall will be too long if nothing changes; absent: never. After `look`.
  std::optional<takt_rt::Time> next() const noexcept { return next_; }

  /// Raised and not cleared.
  std::vector<Alarm> active() const;

private:
  /// One alarm that may be raised.
  struct Level
  {
    std::optional<takt_rt::Time> crossing_since{};
    std::optional<Alarm> active{};
    int quiet = 0;              ///< looks since it last was true, of those that only time clears
    std::uint64_t bad_at = 0;   ///< responses at the last miss
    std::uint64_t counted = 0;  ///< misses then
  };
  struct CallbackState
  {
    CallbackSample before{};
    Rates rates{};
    std::map<AlarmKind, Level> levels{};
    bool seen = false;  ///< at this look
    bool old = false;   ///< at one before
  };
  struct ChainState
  {
    ChainSample before{};
    Level level{};
    bool seen = false;
    bool old = false;
  };
  struct Stall
  {
    takt_rt::Time since{};
    Alarm alarm{};
    bool seen = false;
  };
  using Key = std::pair<std::string, std::string>;  // executor, id or name

  struct Look;  // what all rules need of the look in progress

  void look_at(Look & look, const CallbackSample & sample);
  void look_at_backlog(Look & look, const Suspect & suspect, CallbackState & state);
  void look_at_misses(Look & look, const Suspect & suspect, CallbackState & state);
  std::vector<Suspect> callbacks_of(const Look & look, const ChainSample & chain) const;
  void look_at(Look & look, const ChainSample & sample);
  void look_at(Look & look, const ThreadSample & sample);
  void clear_what_vanished(std::vector<Alarm> & alarms, takt_rt::Time time);
  void wake_at(takt_rt::Time time);

  const AskCores cores_;
  std::map<Key, CallbackState> callbacks_;
  std::map<Key, ChainState> chains_;
  std::map<std::pair<std::string, std::uint32_t>, Stall> stalls_;
  RunsUnderWay under_way_;
  Sample before_;
  bool looked_ = false;
  std::optional<takt_rt::Time> next_;
};

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__ALARM_RULES_HPP_
