#include "adopt/exclusive_schedule.hpp"

#include <algorithm>
#include <string>

namespace takt_rclcpp
{

void keep_exclusive(takt_schedule::ExecutorSchedule & executor, takt_core::Faults & notes)
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
  // "rest" or "rest.1": the entry of that name.
  const std::string & first = executor.default_threads.front();
  const std::string name = first.substr(0, first.find('.'));
  auto kept = std::find_if(
    executor.threads.begin(), executor.threads.end(),
    [&](const auto & threads) { return threads.name == name; });
  if (kept == executor.threads.end()) {
    kept = executor.threads.begin();  // all
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

}  // namespace takt_rclcpp
