#include "alarms/alarm_rules.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "alarms/alarm_text.hpp"
#include "alarms/cause.hpp"

namespace takt_watch
{
namespace
{

using takt_rt::Duration;
using takt_rt::Time;
using takt_schedule::AlarmAction;
using takt_schedule::BacklogRule;

constexpr int kQuietLooks = 10;
constexpr std::uint64_t kGoodResponses = 10;

// The number of waiting messages at which an alarm is raised. Absent: the rule has no such limit. A
// history of one message ignores `depth`, because it is full with every message.
std::optional<double> backlog_limit(const BacklogRule & rule, std::uint32_t history)
{
  std::optional<double> limit;
  if (rule.depth && history > 1) {
    limit = std::max(std::ceil(*rule.depth * static_cast<double>(history) - 1e-9), 1.0);
  }
  if (rule.messages) {
    limit = std::min(limit.value_or(1e18), static_cast<double>(*rule.messages));
  }
  return limit;
}

// How often the process that judges the guard's events has looked; absent: no process does.
std::optional<std::uint32_t> looks_of_the_judge(const Sample & sample)
{
  for (const ExecutorSample & executor : sample.executors) {
    for (const CallbackSample & callback : executor.callbacks) {
      if (callback.guard_looks) {
        return callback.guard_looks;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

struct AlarmRules::Look
{
  const Sample & sample;
  const ExecutorSample & executor;
  const ExecutorSample & before;  // empty at the first look
  Duration window{};
  std::vector<Alarm> & alarms;

  const Sample & sample_before;
  const AskCores & cores;

  TwoLooks two() const
  {
    return {before, executor, sample_before, sample, window, sample.time, &cores};
  }

  Alarm alarm(AlarmKind kind, double value, double limit, std::string_view unit) const
  {
    Alarm result;
    result.kind = kind;
    result.time = sample.time;
    result.executor = executor.name;
    result.value = value;
    result.limit = limit;
    result.unit = unit;
    return result;
  }

  void raise(Level & level, Alarm alarm) const
  {
    alarm.text = alarm_text(alarm);
    level.active = alarm;
    alarms.push_back(std::move(alarm));
  }

  void clear(Level & level, double value) const
  {
    Alarm alarm = std::move(*level.active);
    level.active.reset();
    level.crossing_since.reset();
    alarm.raised = false;
    alarm.time = sample.time;
    alarm.value = value;
    alarm.cause.reset();
    alarm.silent.reset();
    alarm.stack.clear();
    alarm.text = cleared_text(alarm);
    alarms.push_back(std::move(alarm));
  }

  /// Clears the alarm because its rule is gone.
  void drop(Level & level) const
  {
    level.crossing_since.reset();
    if (level.active) {
      clear(level, 0);
      alarms.back().text = unwatched_text(alarms.back());
    }
  }

  std::vector<AlarmAction> actions_of(const takt_schedule::WatchRule & rule) const
  {
    return rule.on_alarm.empty() ? executor.on_alarm : rule.on_alarm;
  }

  /// True if the value has crossed the limit for `hold` or longer.
  bool crossed(Level & level, bool crosses, Duration hold) const
  {
    if (!crosses) {
      level.crossing_since.reset();
      return false;
    }
    if (!level.crossing_since) {
      level.crossing_since = sample.time;
    }
    return sample.time - *level.crossing_since >= hold;
  }
};

void AlarmRules::wake_at(Time time)
{
  next_ = next_ ? std::min(*next_, time) : time;
}

std::vector<Alarm> AlarmRules::look(const Sample & now)
{
  std::vector<Alarm> alarms;
  next_.reset();
  judge_.look(looks_of_the_judge(now), now.time);
  for (auto & [key, state] : callbacks_) {
    state.seen = false;
  }
  for (auto & [key, state] : chains_) {
    state.seen = false;
  }
  for (auto & [key, stall] : stalls_) {
    stall.seen = false;
  }
  const ExecutorSample none;
  for (const ExecutorSample & executor : now.executors) {
    const ExecutorSample * const before = find_executor(before_, executor.name);
    Look look{
      now,
      executor,
      before == nullptr ? none : *before,
      looked_ ? now.time - before_.time : Duration::zero(),
      alarms,
      before_,
      cores_};
    under_way_.note(look.before, executor, now.time);
    for (const CallbackSample & callback : executor.callbacks) {
      look_at(look, callback);
    }
    for (const ChainSample & chain : executor.chains) {
      look_at(look, chain);
    }
    for (const ThreadSample & thread : executor.threads) {
      look_at(look, thread);
    }
  }
  under_way_.forget_others();
  clear_what_vanished(alarms, now.time);
  before_ = now;
  looked_ = true;
  return alarms;
}

void AlarmRules::look_at(Look & look, const CallbackSample & sample)
{
  CallbackState & state = callbacks_[{look.executor.name, sample.id}];
  const bool anew = state.old && sample.starts < state.before.starts;
  if (anew) {
    for (auto & [kind, level] : state.levels) {
      if (level.active) {
        look.clear(level, 0);
      }
    }
    state = CallbackState();
  }
  state.seen = true;
  const bool settled = std::none_of(state.levels.begin(), state.levels.end(), [](const auto & one) {
    return one.second.active.has_value() || one.second.crossing_since.has_value();
  });
  const Suspect suspect{sample, state.rates, under_way_.of(look.executor.name, sample.id)};
  state.rates.note(
    look.sample.time, sample, core_time(sample, look.before, look.executor),
    suspect.under_way.size(), settled);
  look_at_backlog(look, suspect, state);
  look_at_misses(look, suspect, state);
  state.before = sample;
  state.old = true;
}

void AlarmRules::look_at_backlog(Look & look, const Suspect & suspect, CallbackState & state)
{
  const CallbackSample & sample = suspect.callback;
  const BacklogRule rule = sample.rule.backlog.value_or(BacklogRule());
  const auto limit = backlog_limit(rule, sample.depth);
  const std::initializer_list<std::pair<AlarmKind, bool>> watched = {
    {AlarmKind::backlog, limit.has_value()},
    {AlarmKind::age, rule.age.has_value()},
    {AlarmKind::rate, rule.rate.has_value()},
    {AlarmKind::lost, sample.rule.backlog.has_value()}};
  for (const auto & [kind, has_rule] : watched) {
    if (!has_rule) {
      look.drop(state.levels[kind]);
    }
  }
  if (!sample.rule.backlog) {
    return;
  }
  const auto judge = [&](
                       AlarmKind kind, double value, double limit, std::string_view unit,
                       bool crosses, bool released, Duration hold) {
    Level & level = state.levels[kind];
    if (level.active) {
      if (released) {
        look.clear(level, value);
      }
      return;
    }
    if (!look.crossed(level, crosses, hold)) {
      return;
    }
    Alarm alarm = look.alarm(kind, value, limit, unit);
    alarm.callback = sample.id;
    alarm.error = kind == AlarmKind::lost;
    alarm.cause = find_cause(suspect, look.two());
    alarm.actions = look.actions_of(sample.rule);
    look.raise(level, std::move(alarm));
  };

  if (limit) {
    const double waiting = sample.waiting;
    judge(
      AlarmKind::backlog, waiting, *limit, "messages", waiting >= *limit,
      sample.waiting == 0 || waiting < rule.release * *limit, rule.hold);
  }
  // While a run takes the oldest message, the age is unknown; the next look gets the age of the new
  // oldest message.
  if (rule.age && (sample.oldest_age || sample.waiting == 0)) {
    const Duration age = sample.oldest_age.value_or(Duration::zero());
    const bool waits = sample.oldest_age.has_value();
    const auto limit = static_cast<double>(rule.age->count());
    const auto value = static_cast<double>(age.count());
    judge(
      AlarmKind::age, value, limit, "ns", waits && age >= *rule.age,
      !waits || value < rule.release * limit, rule.hold);
    const Level & level = state.levels[AlarmKind::age];
    if (!level.active && waits) {
      wake_at(
        level.crossing_since ? *level.crossing_since + rule.hold
                             : look.sample.time + (*rule.age - age));
    }
  }
  if (rule.rate && state.old) {
    const double services = state.rates.service_rate();
    const double ratio = services > 0 ? state.rates.arrival_rate() / services
                                      : static_cast<double>(state.rates.arrivals());
    // A ratio from fewer than ten messages would jump with each message.
    const bool known = state.rates.arrivals() >= 10;
    judge(
      AlarmKind::rate, ratio, *rule.rate, "ratio",
      known && sample.waiting > 0 && ratio >= *rule.rate,
      sample.waiting == 0 || ratio < std::max(rule.release * *rule.rate, std::min(1.0, *rule.rate)),
      rule.hold);
  }
  const std::uint64_t lost = sample.overwritten + sample.lost.value_or(0);
  const std::uint64_t lost_before =
    state.before.overwritten + state.before.lost.value_or(sample.lost.value_or(0));
  const std::uint64_t more = state.old && lost > lost_before ? lost - lost_before : 0;
  Level & level = state.levels[AlarmKind::lost];
  level.quiet = more > 0 ? 0 : level.quiet + 1;
  judge(
    AlarmKind::lost, static_cast<double>(more), 0, "messages", more > 0, level.quiet >= kQuietLooks,
    Duration::zero());
}

void AlarmRules::look_at_misses(Look & look, const Suspect & suspect, CallbackState & state)
{
  const CallbackSample & sample = suspect.callback;
  const takt_schedule::WatchRule & rule = sample.rule;
  const auto raise = [&](Level & level, Alarm alarm, bool error) {
    alarm.callback = sample.id;
    alarm.error = error;
    alarm.actions = look.actions_of(rule);
    look.raise(level, std::move(alarm));
  };
  if (!rule.misses) {
    look.drop(state.levels[AlarmKind::deadline]);
  } else if (sample.responses > 0) {
    Level & level = state.levels[AlarmKind::deadline];
    if (sample.misses != level.counted) {
      level.counted = sample.misses;
      level.bad_at = sample.responses;
    }
    const bool good_again =
      sample.window.missed <= rule.misses->most / 2 &&
      sample.responses - level.bad_at >= std::max<std::uint64_t>(rule.misses->of, kGoodResponses);
    // A window of one response shows only the last response; so compare the counts of misses.
    const bool any = rule.misses->of == 1 && state.old && sample.misses > state.before.misses;
    if (level.active && good_again) {
      look.clear(level, sample.window.missed);
    } else if (!level.active && (any || sample.window.missed > rule.misses->most)) {
      const double missed = any ? static_cast<double>(sample.misses - state.before.misses)
                                : static_cast<double>(sample.window.missed);
      Alarm alarm = look.alarm(AlarmKind::deadline, missed, rule.misses->most, "misses");
      alarm.cause = cause_of_misses(suspect, look.two(), false);
      raise(level, std::move(alarm), true);
    }
  }
  const auto counted = [&](
                         AlarmKind kind, std::uint64_t now, std::uint64_t before, double value,
                         double limit, std::string_view unit, bool known = true) {
    Level & level = state.levels[kind];
    const bool more = state.old && now > before;
    level.quiet = more ? 0 : level.quiet + (known ? 1 : 0);
    if (level.active && level.quiet >= kQuietLooks) {
      look.clear(level, 0);
    } else if (!level.active && more) {
      raise(level, look.alarm(kind, value, limit, unit), false);
    }
  };
  if (rule.budget) {
    counted(
      AlarmKind::overrun, sample.overruns, state.before.overruns,
      static_cast<double>(sample.longest_overrun.count()),
      static_cast<double>(rule.budget->count()), "ns");
  } else {
    look.drop(state.levels[AlarmKind::overrun]);
  }
  if (sample.kind == takt_core::Kind::timer && !rule.empty()) {
    const std::uint64_t more = sample.skipped - std::min(sample.skipped, state.before.skipped);
    counted(
      AlarmKind::skipped, sample.skipped, state.before.skipped, static_cast<double>(more), 0,
      "periods");
  } else {
    look.drop(state.levels[AlarmKind::skipped]);
  }
  if (!rule.empty()) {
    const bool all = !sample.guard_looks || judge_.is_late();
    const std::uint64_t CallbackSample::*const events =
      sample.guard_looks && all ? &CallbackSample::guard_events : &CallbackSample::guarded;
    // No process has judged the events since the judge's last look.
    const std::uint64_t before =
      judge_.has_become_late() ? sample.guard_seen : state.before.*events;
    counted(
      AlarmKind::guard, sample.*events, before,
      static_cast<double>(sample.*events - std::min(sample.*events, before)), 0, "events",
      all || sample.guard_looks != state.before.guard_looks);
  } else {
    look.drop(state.levels[AlarmKind::guard]);
  }
}

// The callbacks of the chain's path that are in this executor, in the order of the path.
std::vector<Suspect> AlarmRules::callbacks_of(const Look & look, const ChainSample & chain) const
{
  std::vector<Suspect> found;
  for (const std::string & id : chain.path) {
    for (const CallbackSample & callback : look.executor.callbacks) {
      const auto known = callbacks_.find({look.executor.name, callback.id});
      if (callback.chain_id == id && known != callbacks_.end()) {
        found.push_back(
          {callback, known->second.rates, under_way_.of(look.executor.name, callback.id)});
      }
    }
  }
  return found;
}

void AlarmRules::look_at(Look & look, const ChainSample & sample)
{
  ChainState & state = chains_[{look.executor.name, sample.name}];
  if (state.old && sample.activations < state.before.activations) {
    if (state.level.active) {
      look.clear(state.level, 0);
    }
    state = ChainState();
  }
  state.seen = true;
  if (sample.deadline) {
    const takt_schedule::MissRule rule = sample.rule.misses.value_or(takt_schedule::MissRule());
    Level & level = state.level;
    if (sample.misses != level.counted) {
      level.counted = sample.misses;
      level.bad_at = sample.activations;
    }
    const bool good_again =
      sample.window.missed <= rule.most / 2 &&
      sample.activations - level.bad_at >= std::max<std::uint64_t>(rule.of, kGoodResponses);
    const bool any = rule.of == 1 && state.old && sample.misses > state.before.misses;
    if (level.active && good_again) {
      look.clear(level, sample.window.missed);
    } else if (!level.active && (any || sample.window.missed > rule.most)) {
      const double missed = any ? static_cast<double>(sample.misses - state.before.misses)
                                : static_cast<double>(sample.window.missed);
      Alarm alarm = look.alarm(AlarmKind::deadline, missed, rule.most, "misses");
      alarm.chain = sample.name;
      alarm.silent = sample.silent;
      alarm.from_arrival = sample.from_arrival;
      alarm.deadline = sample.deadline;
      alarm.cause =
        cause_of_misses(callbacks_of(look, sample), look.two(), sample.silent.has_value());
      alarm.error = true;
      alarm.fail_safe = !sample.rule.fail_safe.empty();
      alarm.actions = alarm.fail_safe                ? sample.rule.fail_safe
                      : sample.rule.on_alarm.empty() ? look.executor.on_alarm
                                                     : sample.rule.on_alarm;
      look.raise(level, std::move(alarm));
    }
  } else if (state.level.active) {
    look.clear(state.level, 0);  // the chain no longer has a deadline
  }
  state.before = sample;
  state.old = true;
}

void AlarmRules::look_at(Look & look, const ThreadSample & sample)
{
  const auto key = std::make_pair(look.executor.name, sample.number);
  const auto known = stalls_.find(key);
  if (known != stalls_.end()) {
    const bool goes_on = sample.running && sample.running->since == known->second.since;
    const bool watched = goes_on && sample.running->stall.has_value();
    if (watched && look.sample.time - sample.running->since >= *sample.running->stall) {
      known->second.seen = true;
      return;
    }
    Level level;
    level.active = std::move(known->second.alarm);
    stalls_.erase(known);
    if (goes_on) {
      look.drop(level);
    } else {
      look.clear(level, 0);
    }
  }
  if (!sample.running || !sample.running->stall) {
    return;
  }
  const Duration running = look.sample.time - sample.running->since;
  const Duration limit = *sample.running->stall;
  if (running < limit) {
    wake_at(sample.running->since + limit);
    return;
  }
  Alarm alarm = look.alarm(
    AlarmKind::stall, static_cast<double>(running.count()), static_cast<double>(limit.count()),
    "ns");
  alarm.callback = sample.running->id;
  alarm.thread = sample.name;
  alarm.error = true;
  alarm.actions = look.executor.on_alarm;
  for (const CallbackSample & callback : look.executor.callbacks) {
    if (callback.id == alarm.callback) {
      alarm.actions = look.actions_of(callback.rule);
    }
  }
  Level level;
  look.raise(level, alarm);
  stalls_[key] = {sample.running->since, std::move(*level.active), true};
}

void AlarmRules::clear_what_vanished(std::vector<Alarm> & alarms, Time time)
{
  const auto gone = [&](Alarm alarm) {
    alarm.raised = false;
    alarm.time = time;
    alarm.value = 0;
    alarm.cause.reset();
    alarm.silent.reset();
    alarm.stack.clear();
    alarm.text = vanished_text(alarm);
    alarms.push_back(std::move(alarm));
  };
  std::erase_if(callbacks_, [&](auto & one) {
    if (one.second.seen) {
      return false;
    }
    for (auto & [kind, level] : one.second.levels) {
      if (level.active) {
        gone(std::move(*level.active));
      }
    }
    return true;
  });
  std::erase_if(chains_, [&](auto & one) {
    if (!one.second.seen && one.second.level.active) {
      gone(std::move(*one.second.level.active));
    }
    return !one.second.seen;
  });
  std::erase_if(stalls_, [&](auto & one) {
    if (!one.second.seen) {
      gone(std::move(one.second.alarm));
    }
    return !one.second.seen;
  });
}

std::vector<Alarm> AlarmRules::active() const
{
  std::vector<Alarm> all;
  for (const auto & [key, state] : callbacks_) {
    for (const auto & [kind, level] : state.levels) {
      if (level.active) {
        all.push_back(*level.active);
      }
    }
  }
  for (const auto & [key, state] : chains_) {
    if (state.level.active) {
      all.push_back(*state.level.active);
    }
  }
  for (const auto & [key, stall] : stalls_) {
    all.push_back(stall.alarm);
  }
  return all;
}

}  // namespace takt_watch
