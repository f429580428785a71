#include "watch/read_watch.hpp"

#include <cctype>
#include <optional>
#include <utility>

#include "ids/callback_id.hpp"
#include "takt_schedule/duration.hpp"
#include "takt_schedule/number.hpp"
#include "takt_schedule/reader/text.hpp"

namespace takt_schedule::detail
{
namespace
{

using takt_rt::Duration;

constexpr int kMostMessages = 1'000'000;
constexpr double kLargestRate = 1000.0;
constexpr Duration kShortestPeriod = std::chrono::milliseconds(1);
constexpr Duration kLongestPeriod = std::chrono::seconds(10);

void set(std::optional<std::uint32_t> & field, const std::optional<int> & value)
{
  if (value) {
    field = static_cast<std::uint32_t>(*value);
  }
}

void read_backlog(MapReader & map, Findings & findings, std::optional<BacklogRule> & field)
{
  const YamlNode * const node = map.find("backlog");
  if (node == nullptr) {
    return;
  }
  BacklogRule backlog;
  std::optional<int> messages;
  if (node->is_scalar()) {
    map.integer("backlog", 1, kMostMessages, messages);
    set(backlog.messages, messages);
    field = backlog;
    return;
  }
  MapReader entry(
    findings, *node, "backlog", {"messages", "depth", "age", "rate", "release", "hold"});
  entry.integer("messages", 1, kMostMessages, messages);
  set(backlog.messages, messages);
  entry.number("depth", 0.0, 1.0, true, backlog.depth);
  entry.duration("age", true, backlog.age);
  entry.number("rate", 0.0, kLargestRate, true, backlog.rate);
  std::optional<double> release;
  entry.number("release", 0.0, 1.0, false, release);
  backlog.release = release.value_or(backlog.release);
  entry.duration("hold", false, backlog.hold);
  const bool has_threshold =
    entry.has("messages") || entry.has("depth") || entry.has("age") || entry.has("rate");
  if (!has_threshold && !node->is_list()) {
    findings.fault(
      map.value_at("backlog"),
      "backlog has no threshold; add messages, depth, age or rate, or write a number of messages");
  }
  field = backlog;
}

/// A fraction of the history, or an age.
void read_step(MapReader & map, Findings & findings, takt_core::Boost & boost)
{
  const auto word =
    map.scalar("per", "a fraction of the history such as 0.25, or an age such as 50ms");
  if (!word) {
    return;
  }
  if (const auto depth = parse_number(word->text, 0.0, 1.0); depth && *depth > 0.0) {
    boost.depth = *depth;
    return;
  }
  const auto is = [](char c, auto kind) { return kind(static_cast<unsigned char>(c)) != 0; };
  const std::string & text = word->text;
  const bool has_unit = !text.empty() && is(text.front(), [](int c) { return std::isdigit(c); }) &&
                        is(text.back(), [](int c) { return std::isalpha(c); });
  if (has_unit) {
    map.duration("per", true, boost.age);
    return;
  }
  findings.fault(
    word->at,
    "per must be a fraction of the history above 0, at most 1, such as 0.25, or an age "
    "such as 50ms, not " +
      quoted(text));
}

void read_boost(MapReader & map, Findings & findings, CallbackRule & rule)
{
  const YamlNode * const node = map.find("boost");
  if (node == nullptr) {
    return;
  }
  MapReader entry(findings, *node, "boost", {"per", "levels", "max"});
  takt_core::Boost boost;
  if (entry.require("per", "0.25")) {
    read_step(entry, findings, boost);
  }
  entry.integer("levels", 1, 255, boost.levels);
  entry.integer("max", 1, 255, boost.max);
  if (rule.priority && boost.max <= *rule.priority) {
    findings.warn(
      entry.has("max") ? entry.at("max") : map.at("boost"),
      "boost has no effect: max " + std::to_string(boost.max) +
        " is not above the rule's priority " + std::to_string(*rule.priority));
  }
  rule.boost = boost;
}

void read_misses(MapReader & map, Findings & findings, std::optional<MissRule> & field)
{
  const YamlNode * const node = map.find("misses");
  if (node == nullptr) {
    return;
  }
  MapReader entry(findings, *node, "misses", {"most", "of"});
  std::optional<int> most;
  std::optional<int> of;
  entry.integer("most", 0, 999, most);
  entry.integer("of", 1, 1000, of);
  if (!entry.has("of")) {
    entry.require("of", "20");
  } else if (of && most.value_or(0) >= *of) {
    findings.fault(
      entry.value_at("most"), "misses: of " + std::to_string(*of) + " responses never more than " +
                                std::to_string(*most) + " miss the deadline; lower most below of");
  }
  field.emplace();
  field->most = static_cast<std::uint32_t>(most.value_or(0));
  field->of = static_cast<std::uint32_t>(of.value_or(1));
}

/// A timer has no messages.
void check_no_timer(const MapReader & map, Findings & findings, const CallbackRule & rule)
{
  for (const char * key : {"backlog", "boost"}) {
    for (const std::string & text : rule.match) {
      if (map.has(key) && kind_word(text) == "timer") {
        findings.fault(
          map.at(key), std::string(key) + " belongs to callbacks with messages, and " +
                         quoted(text) + " is a timer");
      }
    }
  }
}

}  // namespace

std::vector<std::string> rule_watch_keys()
{
  return {"backlog", "boost", "budget", "stall", "misses", "on_alarm"};
}

void read_rule_watch(
  MapReader & map, Findings & findings, const ExecutorSchedule & executor,
  const KnownThreads & threads, CallbackRule & rule)
{
  WatchRule & watch = rule.watch;
  read_backlog(map, findings, watch.backlog);
  read_boost(map, findings, rule);
  map.duration("budget", true, watch.budget);
  map.duration("stall", true, watch.stall);
  read_misses(map, findings, watch.misses);
  watch.on_alarm = read_actions(map, findings, "on_alarm", {threads, &executor, false, false});
  check_no_timer(map, findings, rule);
}

std::vector<std::string> chain_watch_keys()
{
  return {"misses", "on_alarm", "fail_safe"};
}

void read_chain_watch(
  MapReader & map, Findings & findings, const KnownThreads & threads, ChainSchedule & chain)
{
  const AlarmsOf alarms{threads, nullptr, true, false};
  read_misses(map, findings, chain.watch.misses);
  chain.watch.on_alarm = read_actions(map, findings, "on_alarm", alarms);
  chain.watch.fail_safe = read_actions(map, findings, "fail_safe", alarms);
  for (const char * key : {"misses", "fail_safe"}) {
    if (map.has(key) && !map.has("deadline")) {
      findings.warn(
        map.at(key), std::string(key) + " has no effect: chain " + quoted(chain.options.name) +
                       " has no deadline to miss; add for example deadline: 50ms");
    }
  }
}

void read_watch_settings(
  MapReader & map, Findings & findings, const KnownThreads & threads, WatchSettings & watch)
{
  const YamlNode * const node = map.find("watch");
  if (node == nullptr) {
    return;
  }
  MapReader entry(findings, *node, "watch", {"period", "on_alarm"});
  std::optional<Duration> period;
  entry.duration("period", true, period);
  if (period && (*period < kShortestPeriod || *period > kLongestPeriod)) {
    findings.fault(
      entry.value_at("period"), "period must be from " + print_duration(kShortestPeriod) + " to " +
                                  print_duration(kLongestPeriod) + ", not " +
                                  print_duration(*period));
  } else if (period) {
    watch.period = *period;
  }
  if (entry.has("on_alarm")) {
    watch.on_alarm = read_actions(entry, findings, "on_alarm", {threads, nullptr, false, true});
  }
}

}  // namespace takt_schedule::detail
