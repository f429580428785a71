#include "latency/setting.hpp"

#include <string>

#include "takt_rt/duration_text.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_bench::latency
{

namespace
{

constexpr int kPriority = 80;
// A cycle uses its core for some 10 us; more on a slow machine.
constexpr int kRuntimeShare = 10;
// Memory locking locks whole stacks, so the stacks are small.
constexpr std::size_t kStackSize = 256 * 1024;

}  // namespace

Setting completed(Setting setting)
{
  if (setting.cores.empty()) {
    setting.cores = takt_rt::usable_cores();
  }
  if (takt_rt::has_rt_priority(setting.policy)) {
    setting.priority = setting.priority.value_or(kPriority);
  }
  if (setting.policy == takt_rt::Policy::deadline) {
    setting.period = setting.period.value_or(setting.deadline.value_or(setting.interval));
    setting.deadline = setting.deadline.value_or(*setting.period);
    setting.runtime = setting.runtime.value_or(*setting.deadline / kRuntimeShare);
  }
  return setting;
}

takt_rt::ThreadAttributes attributes_of(const Setting & setting, std::size_t number)
{
  takt_rt::ThreadAttributes attributes;
  attributes.policy = setting.policy;
  attributes.priority = setting.priority.value_or(0);
  attributes.runtime = setting.runtime.value_or(takt_rt::Duration{});
  attributes.deadline = setting.deadline.value_or(takt_rt::Duration{});
  attributes.period = setting.period.value_or(takt_rt::Duration{});
  attributes.stack_size = kStackSize;
  if (setting.policy == takt_rt::Policy::deadline) {
    attributes.name = "latency." + std::to_string(number + 1);
  } else {
    attributes.cores = {setting.cores[number]};
    attributes.name = "latency." + std::to_string(setting.cores[number]);
  }
  return attributes;
}

takt_rt::Faults check(const Setting & setting)
{
  takt_rt::Faults faults;
  const auto add = [&faults](const takt_rt::Faults & more) {
    for (const takt_rt::Fault & fault : more) {
      // Most faults are equal for all threads.
      if (faults.empty() || faults.back() != fault) {
        faults.push_back(fault);
      }
    }
  };
  if (setting.interval < kShortestInterval || setting.interval > kLongestInterval) {
    faults.push_back(
      "interval " + takt_rt::print_duration(setting.interval) + " is outside " +
      takt_rt::print_duration(kShortestInterval) + " to " +
      takt_rt::print_duration(kLongestInterval));
  }
  if (setting.duration < setting.interval) {
    faults.push_back(
      "duration " + takt_rt::print_duration(setting.duration) + " is shorter than the interval " +
      takt_rt::print_duration(setting.interval));
  }
  for (std::size_t number = 0; number < setting.cores.size(); ++number) {
    add(takt_rt::validate(attributes_of(setting, number)));
    // The busy threads need cores even if the cyclic threads ask for none.
    add(takt_rt::validate({.cores = {setting.cores[number]}}));
  }
  return faults;
}

}  // namespace takt_bench::latency
