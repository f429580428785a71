// Thread attributes without requests to the kernel: names, ranges, order.
#include "takt_rt/thread_attributes.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <optional>
#include <utility>

#include "takt_rt/application/thread_name.hpp"
#include "takt_rt/duration_text.hpp"

#include "affinity.hpp"

namespace takt_rt
{

namespace
{

std::optional<Duration> read_sysctl_us(const char * path)
{
  std::ifstream file(path);
  std::int64_t us = 0;
  if (!(file >> us)) {
    return std::nullopt;
  }
  return Duration{us * 1000};
}

void validate_priorities(const ThreadAttributes & attributes, Faults & faults)
{
  const std::string policy{to_string(attributes.policy)};
  if (has_rt_priority(attributes.policy)) {
    if (attributes.priority < 1 || attributes.priority > 99) {
      faults.push_back(
        "priority " + std::to_string(attributes.priority) + " is outside 1 to 99 of policy '" +
        policy + "'");
    }
  } else if (attributes.priority != 0) {
    faults.push_back(
      "priority " + std::to_string(attributes.priority) + " does not belong to policy '" + policy +
      "'; use policy fifo or rr, or omit it");
  }
  if (!attributes.nice) {
    return;
  }
  if (has_nice(attributes.policy)) {
    if (*attributes.nice < -20 || *attributes.nice > 19) {
      faults.push_back("nice " + std::to_string(*attributes.nice) + " is outside -20 to 19");
    }
  } else {
    faults.push_back(
      "nice " + std::to_string(*attributes.nice) + " does not belong to policy '" + policy +
      "'; use policy other or batch, or omit it");
  }
}

void validate_deadline(const ThreadAttributes & attributes, Faults & faults)
{
  const auto [runtime, deadline, period] =
    std::array{attributes.runtime, attributes.deadline, attributes.period};
  if (attributes.policy != Policy::deadline) {
    if (runtime != Duration{} || deadline != Duration{} || period != Duration{}) {
      faults.push_back(
        "runtime, deadline and period belong to policy 'deadline', not to '" +
        std::string(to_string(attributes.policy)) + "'");
    }
    return;
  }
  // The kernel's clock arithmetic drops ten bits, so it refuses a smaller budget.
  constexpr Duration kSmallestRuntime{1024};
  if (runtime < kSmallestRuntime) {
    faults.push_back("runtime " + print_duration(runtime) + " is below the kernel's 1024ns");
  }
  if (deadline < runtime || period < deadline) {
    faults.push_back(
      "policy 'deadline' needs runtime <= deadline <= period, not " + print_duration(runtime) +
      ", " + print_duration(deadline) + ", " + print_duration(period));
  }
  const auto shortest = read_sysctl_us("/proc/sys/kernel/sched_deadline_period_min_us");
  const auto longest = read_sysctl_us("/proc/sys/kernel/sched_deadline_period_max_us");
  if ((shortest && period < *shortest) || (longest && period > *longest)) {
    const auto shown = [](const auto & limit) {
      return limit ? print_duration(*limit) : std::string("unknown");
    };
    faults.push_back(
      "period " + print_duration(period) + " is outside " + shown(shortest) + " to " +
      shown(longest) +
      ", the kernel's limits (sysctl kernel.sched_deadline_period_min_us and "
      "sched_deadline_period_max_us)");
  }
  if (!attributes.cores.empty()) {
    faults.push_back(
      "policy 'deadline' cannot be combined with cores; put the process into an exclusive cpuset "
      "instead");
  }
}

/// `origin`: "this process was started with" or another source of the usable cores.
void validate_cores(
  const ThreadAttributes & attributes, const std::vector<int> & usable, const std::string & origin,
  Faults & faults)
{
  if (attributes.cores.empty()) {
    return;
  }
  const auto on_machine = static_cast<int>(::sysconf(_SC_NPROCESSORS_CONF));
  for (const int core : attributes.cores) {
    if (core < 0 || core >= on_machine) {
      faults.push_back(
        "core " + std::to_string(core) + " does not exist; this machine has cores 0 to " +
        std::to_string(on_machine - 1));
    } else if (!std::binary_search(usable.begin(), usable.end(), core)) {
      faults.push_back(
        "core " + std::to_string(core) + " is not among the cores " + origin + " (" +
        format_cores(usable) + "); see taskset(1) and the container's cpuset");
    }
  }
}

/// The mask with which the process was started. Read when the library is loaded, before a thread
/// can have been pinned: an executor that pins the main thread must not take cores from later ones.
/// Never destroyed: threads may start while the program ends.
std::atomic<const std::vector<int> *> g_cores_at_start{
  new std::vector<int>(detail::read_affinity(0))};

Faults all_faults(
  const ThreadAttributes & attributes, const std::vector<int> & usable, const std::string & origin)
{
  Faults faults;
  validate_priorities(attributes, faults);
  validate_deadline(attributes, faults);
  validate_cores(attributes, usable, origin, faults);
  if (const std::string & name = attributes.name; name.size() > kLongestThreadName) {
    faults.push_back(
      "name '" + name + "' has " + std::to_string(name.size()) +
      " bytes, and Linux keeps 15 of a thread's name; write '" + with_kept_name(attributes).name +
      "' or another shorter one");
  }
  if (
    attributes.stack_size != 0 &&
    attributes.stack_size < static_cast<std::size_t>(::sysconf(_SC_THREAD_STACK_MIN))) {
    faults.push_back(
      "stack_size " + std::to_string(attributes.stack_size) + " is below the system's smallest, " +
      std::to_string(::sysconf(_SC_THREAD_STACK_MIN)) + " bytes");
  }
  return faults;
}

}  // namespace

Faults validate(const ThreadAttributes & attributes)
{
  return all_faults(attributes, usable_cores(), "this process was started with");
}

Faults validate(const ThreadAttributes & attributes, const std::vector<int> & usable)
{
  return all_faults(attributes, usable, "of the thread's process");
}

int urgency(const ThreadAttributes & attributes) noexcept
{
  switch (attributes.policy) {
    case Policy::deadline:
      return 200;
    case Policy::fifo:
    case Policy::rr:
      return 100 + attributes.priority;
    case Policy::inherit:
    case Policy::other:
    case Policy::batch:
      return 20 - attributes.nice.value_or(0);
    case Policy::idle:
      break;
  }
  return 0;
}

std::vector<int> usable_cores()
{
  // Null only for a caller that runs before this file's own initialisation.
  const std::vector<int> * const known = g_cores_at_start.load(std::memory_order_acquire);
  return known == nullptr || known->empty() ? detail::read_affinity(0) : *known;
}

ThreadAttributes background_attributes(std::string name)
{
  ThreadAttributes attributes;
  attributes.name = std::move(name);
  attributes.policy = Policy::other;
  attributes.cores = usable_cores();
  return attributes;
}

void set_usable_cores(const std::vector<int> & cores)
{
  g_cores_at_start.store(new std::vector<int>(cores), std::memory_order_release);
}

}  // namespace takt_rt
