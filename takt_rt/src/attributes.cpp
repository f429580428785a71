#include "takt_rt/attributes.hpp"

#include <algorithm>
#include <array>

#include "takt_rt/duration_text.hpp"

namespace takt_rt
{

namespace
{

constexpr std::array<std::pair<Policy, std::string_view>, 7> kPolicies{{
  {Policy::inherit, "inherit"},
  {Policy::other, "other"},
  {Policy::batch, "batch"},
  {Policy::idle, "idle"},
  {Policy::fifo, "fifo"},
  {Policy::rr, "rr"},
  {Policy::deadline, "deadline"},
}};

}  // namespace

const std::array<std::pair<Policy, std::string_view>, 7> & policy_names() noexcept
{
  return kPolicies;
}

std::string_view to_string(Policy policy) noexcept
{
  const auto * const found = std::find_if(
    kPolicies.begin(), kPolicies.end(), [&](const auto & one) { return one.first == policy; });
  return found == kPolicies.end() ? "unknown" : found->second;
}

std::string format_cores(const std::vector<int> & cores)
{
  std::vector<int> sorted = cores;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::string text;
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t last = first;
    while (last + 1 < sorted.size() && sorted[last + 1] == sorted[last] + 1) {
      ++last;
    }
    text += (text.empty() ? "" : ",") + std::to_string(sorted[first]);
    if (last != first) {
      text += "-" + std::to_string(sorted[last]);
    }
    first = last + 1;
  }
  return text.empty() ? "(none)" : text;
}

std::string cores_words(const std::vector<int> & cores)
{
  return (cores.size() == 1 ? "core " : "cores ") + format_cores(cores);
}

std::string format_policy(const ThreadAttributes & attributes)
{
  const std::string nice =
    attributes.nice ? " nice " + std::to_string(*attributes.nice) : std::string();
  switch (attributes.policy) {
    case Policy::fifo:
      return "SCHED_FIFO priority " + std::to_string(attributes.priority);
    case Policy::rr:
      return "SCHED_RR priority " + std::to_string(attributes.priority);
    case Policy::deadline:
      return "SCHED_DEADLINE runtime " + print_duration(attributes.runtime) + " deadline " +
             print_duration(attributes.deadline) + " period " + print_duration(attributes.period);
    case Policy::idle:
      return "SCHED_IDLE";
    case Policy::inherit:
      return attributes.nice ? nice.substr(1) : "the inherited policy";
    case Policy::batch:
      return "SCHED_BATCH" + nice;
    case Policy::other:
      break;
  }
  return "SCHED_OTHER" + nice;
}

ThreadAttributes filled_in(ThreadAttributes attributes, const ThreadAttributes & starter)
{
  if (attributes.policy == Policy::inherit && starter.policy != Policy::deadline) {
    const std::optional<int> nice = attributes.nice;
    attributes.policy = starter.policy;
    attributes.priority = starter.priority;
    if (has_nice(attributes.policy)) {
      attributes.nice = nice ? nice : starter.nice;
    } else if (nice) {  // a nice level alone means fair scheduling
      attributes.policy = Policy::other;
      attributes.priority = 0;
    }
  } else if (has_nice(attributes.policy) && !attributes.nice) {
    attributes.nice = starter.nice;
  }
  if (attributes.cores.empty() && attributes.policy != Policy::deadline) {
    attributes.cores = starter.cores;
  }
  return attributes;
}

}  // namespace takt_rt
