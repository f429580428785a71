#include "adopt/spin/exclusive_schedule.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "takt_schedule/pattern.hpp"

namespace takt_rclcpp
{

namespace
{

bool is_about(const takt_schedule::CallbackRule & rule, const HostContent & content)
{
  return std::any_of(rule.match.begin(), rule.match.end(), [&](const std::string & text) {
    const auto pattern = takt_schedule::Pattern::compile(text);
    const auto matches = [&](const std::string & id) { return pattern && pattern->match(id); };
    const auto may_come = [&](const std::string & node) {
      return takt_schedule::may_match_callback_of(text, node);
    };
    return std::any_of(content.callbacks.begin(), content.callbacks.end(), matches) ||
           std::any_of(content.nodes.begin(), content.nodes.end(), may_come);
  });
}

// The name of the thread entry that has the thread `word`: "rest" for "rest" and for "rest.1".
std::string entry_of(const std::string & word)
{
  return word.substr(0, word.find('.'));
}

// The thread entries that the rules for this content name.
std::set<std::string> threads_of_rules(
  const takt_schedule::ExecutorSchedule & executor, const HostContent & content)
{
  std::set<std::string> named;
  for (const auto & rule : executor.callbacks) {
    if (is_about(rule, content)) {
      std::transform(
        rule.threads.begin(), rule.threads.end(), std::inserter(named, named.end()), entry_of);
    }
  }
  return named;
}

std::string kept_thread(
  const takt_schedule::ExecutorSchedule & executor, const HostContent & content)
{
  const auto named = threads_of_rules(executor, content);
  return named.size() == 1 ? *named.begin() : entry_of(executor.default_threads.front());
}

void keep_one_thread(
  takt_schedule::ExecutorSchedule & executor, const HostContent & content, takt_rt::Faults & notes)
{
  int count = 0;
  for (const auto & threads : executor.threads) {
    count += threads.count;
  }
  const bool isolates = std::any_of(
    executor.groups.begin(), executor.groups.end(),
    [](const auto & rule) { return rule.isolate.has_value(); });
  if (count <= 1 && !isolates) {
    return;
  }
  const std::string name = kept_thread(executor, content);
  auto kept = std::find_if(
    executor.threads.begin(), executor.threads.end(),
    [&](const auto & threads) { return threads.name == name; });
  if (kept == executor.threads.end()) {
    kept = executor.threads.begin();  // the name is "all": take the first entry
  }
  takt_schedule::Threads only = *kept;
  only.count = 1;
  only.spread = false;
  only.follow = false;
  notes.push_back(
    "executor '" + executor.name + "' has " +
    (isolates ? std::string("isolated groups") : std::to_string(count) + " threads") +
    ", but the program's executor runs one callback at a time: all callbacks run on the "
    "thread that spins, as thread '" +
    only.name + "'; write `parallel: true` if the program's callbacks may run side by side");
  executor.threads = {only};
  executor.default_threads = {only.name};
  executor.middleware_ceiling = {takt_core::MiddlewareCeiling::Mode::off, 0};
  for (auto & rule : executor.callbacks) {
    rule.threads.clear();
  }
  for (auto & rule : executor.groups) {
    rule.isolate.reset();
  }
}

}  // namespace

takt_rt::Faults must_keep_rules(
  const takt_schedule::ExecutorSchedule & executor, const HostContent & content)
{
  std::string names;
  const auto named = threads_of_rules(executor, content);
  for (const std::string & one : named) {
    names += (names.empty() ? "" : ", ") + one;
  }
  if (named.size() <= 1) {
    return {};
  }
  return {
    "the rules of executor '" + executor.name +
    "' put callbacks of this program on several threads (" + names +
    "), but the program's executor runs one callback at a time, on one thread; write `parallel: "
    "true` if "
    "its callbacks may run side by side, or name one thread"};
}

void keep_exclusive(
  takt_schedule::ExecutorSchedule & executor, const HostContent & content, bool timers_apart,
  takt_rt::Faults & notes)
{
  keep_one_thread(executor, content, notes);
  if (timers_apart && executor.threads.size() == 1) {
    takt_schedule::Threads timers = executor.threads.front();
    timers.name = timers.name == "timers" ? "timers_apart" : "timers";
    executor.threads.push_back(timers);
  }
}

}  // namespace takt_rclcpp
