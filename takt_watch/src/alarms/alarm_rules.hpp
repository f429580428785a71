// Decides by the rules of a schedule which alarms a look raises and clears.
//
//     AlarmRules rules;
//     // Each period, and at `rules.next()`:
//     for (const Alarm & alarm : rules.look(sample)) { … }
//
// An alarm of one kind about one callback, chain or run is raised once and cleared once:
//
// - backlog: raised when the number of waiting messages has reached the limit, for `hold`; cleared
//   when fewer than `release` times the limit wait.
// - age: raised when the oldest message has reached the rule's age, for `hold`; cleared when it is
//   younger than `release` times that.
// - rate: raised when arrivals per service reach the limit while messages wait, for `hold`; cleared
//   when they are below `release` times the limit, or below 1, or no message waits.
// - lost: raised when messages of a callback with a backlog rule were lost; cleared after ten looks
//   without a loss.
// - deadline: raised when more than `most` of the last `of` responses missed, or are overdue;
//   cleared when at most half of `most` missed, and none of the last ten (or `of`).
// - overrun: raised when a run took longer than its budget; cleared after ten looks without one.
// - skipped: raised when a timer with a rule dropped periods; cleared after ten looks without.
// - guard: raised when the guard noted events of a callback with a rule; cleared after ten looks
//   without one. If another process judges the events, a look counts as one without events only if
//   that process has looked since the last look. If that process stops looking, all events since
//   its last look count (judge_watch.hpp).
// - stall: raised when a run lasts longer than the limit; cleared when that run is over.
//
// A callback needs a rule for each of these kinds; for deadlines the rule must name `misses`. A
// chain with a deadline needs no rule: more than 0 misses of 1 response is the default. An alarm is
// cleared if its callback, chain or thread vanishes, or if its rule is gone. If the counts of a
// callback or chain begin anew, the rules treat it as a new one. Not thread-safe; allocates.
#ifndef TAKT_WATCH__SRC__ALARM_RULES_HPP_
#define TAKT_WATCH__SRC__ALARM_RULES_HPP_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "alarms/alarm.hpp"
#include "alarms/judge_watch.hpp"
#include "alarms/own_runs.hpp"
#include "alarms/rates.hpp"
#include "kernel/core_users.hpp"
#include "sample.hpp"

namespace takt_watch
{

class AlarmRules
{
public:
  /// `cores` returns the threads that used the cores, to name them in causes. Empty: causes name no
  /// such threads.
  explicit AlarmRules(AskCores cores = {}) : cores_(std::move(cores)) {}

  /// Returns the alarms that this look raises or clears. Call it with looks in the order of their
  /// times.
  std::vector<Alarm> look(const Sample & now);

  /// The time at which an age or a stall reaches its limit if nothing changes; absent: never. Call
  /// it after `look`.
  std::optional<takt_rt::Time> next() const noexcept { return next_; }

  /// The alarms that are raised now.
  std::vector<Alarm> active() const;

  /// A line about the guard's ignore list that the last look makes necessary; empty: none.
  std::string line() const { return judge_.line(); }

private:
  /// The state of one kind of alarm about one callback or chain.
  struct Level
  {
    std::optional<takt_rt::Time> crossing_since{};
    std::optional<Alarm> active{};
    /// Looks since the last crossing, for alarms that ten quiet looks clear.
    int quiet = 0;
    std::uint64_t bad_at = 0;   ///< the count of responses at the last miss
    std::uint64_t counted = 0;  ///< the count of misses at the last miss
  };
  struct CallbackState
  {
    CallbackSample before{};
    Rates rates{};
    std::map<AlarmKind, Level> levels{};
    bool seen = false;  ///< true if this look has the callback
    bool old = false;   ///< true if an earlier look had the callback
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

  struct Look;  // the data of the look in progress, for all rules

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
  JudgeWatch judge_;
  Sample before_;
  bool looked_ = false;
  std::optional<takt_rt::Time> next_;
};

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__ALARM_RULES_HPP_
