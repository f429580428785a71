#include "watch/watch_to_yaml.hpp"

#include <algorithm>
#include <string>

#include "takt_schedule/duration.hpp"
#include "takt_schedule/number.hpp"
#include "watch/action_words.hpp"

namespace takt_schedule::detail
{
namespace
{

using Kind = AlarmAction::Kind;

std::string text_of(const AlarmAction & action)
{
  // they share a word
  const Kind kind = action.kind == Kind::thread_nice ? Kind::thread_priority : action.kind;
  const auto * const found = std::find_if(
    kActionWords.begin(), kActionWords.end(),
    [&](const ActionWord & one) { return one.kind == kind; });
  const std::string word = found == kActionWords.end() ? "unknown" : std::string(found->word);
  switch (action.kind) {
    case Kind::log:
    case Kind::publish:
    case Kind::snapshot:
    case Kind::ask:
      return word;
    case Kind::run:
    case Kind::threads:
      return flow({{word, action.words.empty() ? "[]" : scalar_or_list(action.words)}});
    case Kind::set_parameter:
      return flow(
        {{word, flow(
                  {{"node", scalar(action.name)},
                   {"name", scalar(action.words.empty() ? std::string() : action.words.front())},
                   {"value", action.value}})}});
    case Kind::priority:
      return flow({{word, std::to_string(action.number)}});
    case Kind::thread_priority:
    case Kind::thread_nice:
      break;
  }
  return flow(
    {{word, flow(
              {{"name", scalar(action.name)},
               {action.kind == Kind::thread_nice ? "nice" : "priority",
                std::to_string(action.number)}})}});
}

std::string text_of(const std::vector<AlarmAction> & actions)
{
  std::string text;
  for (const AlarmAction & action : actions) {
    text += (text.empty() ? "[" : ", ") + text_of(action);
  }
  return text.empty() ? "[]" : text + "]";
}

std::string text_of(const BacklogRule & backlog)
{
  const BacklogRule defaults;
  Pairs pairs;
  if (backlog.messages) {
    pairs.emplace_back("messages", std::to_string(*backlog.messages));
  }
  if (backlog.depth) {
    pairs.emplace_back("depth", print_number(*backlog.depth));
  }
  if (backlog.age) {
    pairs.emplace_back("age", print_duration(*backlog.age));
  }
  if (backlog.rate) {
    pairs.emplace_back("rate", print_number(*backlog.rate));
  }
  if (backlog.release != defaults.release) {
    pairs.emplace_back("release", print_number(backlog.release));
  }
  if (backlog.hold != defaults.hold) {
    pairs.emplace_back("hold", print_duration(backlog.hold));
  }
  return backlog.messages && pairs.size() == 1 ? pairs.front().second : flow(pairs);
}

std::string text_of(const takt_core::Boost & boost)
{
  const takt_core::Boost defaults;
  Pairs pairs;
  pairs.emplace_back(
    "per", boost.depth != 0.0 ? print_number(boost.depth) : print_duration(boost.age));
  if (boost.levels != defaults.levels) {
    pairs.emplace_back("levels", std::to_string(boost.levels));
  }
  if (boost.max != defaults.max) {
    pairs.emplace_back("max", std::to_string(boost.max));
  }
  return flow(pairs);
}

void add(const std::optional<MissRule> & misses, Pairs & pairs)
{
  if (misses) {
    pairs.emplace_back(
      "misses", flow({{"most", std::to_string(misses->most)}, {"of", std::to_string(misses->of)}}));
  }
}

void add(const char * key, const std::vector<AlarmAction> & actions, Pairs & pairs)
{
  if (!actions.empty()) {
    pairs.emplace_back(key, text_of(actions));
  }
}

}  // namespace

Pairs pairs_of_watch(const CallbackRule & rule)
{
  const WatchRule & watch = rule.watch;
  Pairs pairs;
  if (watch.backlog) {
    pairs.emplace_back("backlog", text_of(*watch.backlog));
  }
  if (rule.boost) {
    pairs.emplace_back("boost", text_of(*rule.boost));
  }
  if (watch.budget) {
    pairs.emplace_back("budget", print_duration(*watch.budget));
  }
  if (watch.stall) {
    pairs.emplace_back("stall", print_duration(*watch.stall));
  }
  add(watch.misses, pairs);
  add("on_alarm", watch.on_alarm, pairs);
  return pairs;
}

Pairs pairs_of(const ChainWatchRule & watch)
{
  Pairs pairs;
  add(watch.misses, pairs);
  add("on_alarm", watch.on_alarm, pairs);
  add("fail_safe", watch.fail_safe, pairs);
  return pairs;
}

Pairs pairs_of(const WatchSettings & watch)
{
  const WatchSettings defaults;
  Pairs pairs;
  if (watch.period != defaults.period) {
    pairs.emplace_back("period", print_duration(watch.period));
  }
  if (watch.on_alarm != defaults.on_alarm) {
    pairs.emplace_back("on_alarm", text_of(watch.on_alarm));
  }
  return pairs;
}

}  // namespace takt_schedule::detail
