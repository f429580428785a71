#include "takt_schedule/applied_part.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "takt_schedule/reader/text.hpp"

namespace takt_schedule
{
namespace
{

using Outcome = AppliedPart::Outcome;
using takt_rt::ThreadAttributes;

/// Compares without name and stack, which a thread keeps.
bool same(ThreadAttributes a, const ThreadAttributes & b)
{
  a.name = b.name;
  a.stack_size = b.stack_size;
  return a == b;
}

/// Each requested attribute is wanted again, and the thread has the other wanted ones already, as
/// in a program started under nice(1).
bool has_already(const ToldThread & thread, const ThreadAttributes & wanted)
{
  const ThreadAttributes now =
    thread.tid == 0 ? ThreadAttributes{} : takt_rt::read_attributes(thread.tid);
  if (now.policy == takt_rt::Policy::inherit) {
    return false;  // the thread has ended
  }
  ThreadAttributes filled = thread.report.asked;
  if (filled.policy == takt_rt::Policy::inherit && wanted.policy == now.policy) {
    filled.policy = now.policy;
    filled.priority = now.priority;
    filled.runtime = now.runtime;
    filled.deadline = now.deadline;
    filled.period = now.period;
  }
  if (!filled.nice && wanted.nice) {
    filled.nice = now.nice;
  }
  if (filled.cores.empty() && !wanted.cores.empty()) {
    filled.cores = now.cores;
  }
  return same(wanted, filled);
}

/// "SCHED_FIFO priority 40 on core 0"; "as started" for absent attributes.
std::string format(const ThreadAttributes & attributes)
{
  std::string text = attributes.policy == takt_rt::Policy::inherit && !attributes.nice
                       ? "as started"
                       : format_policy(attributes);
  if (!attributes.cores.empty()) {
    text += " on " + takt_rt::cores_words(attributes.cores);
  }
  return text;
}

bool is_raised(const ToldThread & thread, const ThreadAttributes & now)
{
  return now.policy == takt_rt::Policy::fifo && now.priority == thread.ceiling;
}

// Whether policy and priority, or the nice level, are not the granted ones any more.
bool lost_policy(const ToldThread & thread, const ThreadAttributes & now)
{
  const ThreadAttributes & asked = thread.report.asked;
  const ThreadAttributes & granted = thread.report.granted;
  const bool policy_asked = asked.policy != takt_rt::Policy::inherit;
  if (thread.follows || (!policy_asked && !asked.nice) || is_raised(thread, now)) {
    return false;
  }
  const bool differs = now.policy != granted.policy || now.priority != granted.priority ||
                       now.runtime != granted.runtime || now.deadline != granted.deadline ||
                       now.period != granted.period;
  return (policy_asked && differs) || (asked.nice && now.nice != granted.nice);
}

/// The thread's present attributes, if another program changed granted ones; else empty.
std::optional<ThreadAttributes> taken_from(const ToldThread & thread)
{
  if (thread.tid == 0) {
    return std::nullopt;
  }
  ThreadAttributes now = takt_rt::read_attributes(thread.tid);
  if (now.policy == takt_rt::Policy::inherit) {
    return std::nullopt;  // the thread has ended
  }
  const takt_rt::AttributeReport & report = thread.report;
  const bool moved = !report.asked.cores.empty() && now.cores != report.granted.cores;
  return moved || lost_policy(thread, now) ? std::optional(std::move(now)) : std::nullopt;
}

bool was_refused(const takt_rt::AttributeReport & report)
{
  return std::any_of(report.faults.begin(), report.faults.end(), [](const auto & fault) {
    return fault.refusal.has_value();
  });
}

}  // namespace

std::string_view to_string(Outcome outcome) noexcept
{
  switch (outcome) {
    case Outcome::applied:
      return "applied";
    case Outcome::unchanged:
      return "unchanged";
    case Outcome::failed:
      return "failed";
    case Outcome::skipped:
      break;
  }
  return "skipped";
}

AppliedPart thread_part(const ToldThread & thread, const ThreadAttributes & wanted)
{
  const takt_rt::AttributeReport & report = thread.report;
  AppliedPart part{"thread " + report.asked.name, Outcome::applied};
  if (const auto now = taken_from(thread)) {
    part.why = format(*now) + " -> " + format(wanted) + " (changed by somebody else)";
  } else if (!same(wanted, report.asked) && !has_already(thread, wanted)) {
    part.why = format(report.asked) + " -> " + format(wanted);
  } else if (was_refused(report)) {
    part.why = format(report.granted) + " -> " + format(wanted) + " (refused before)";
  } else {
    part.outcome = Outcome::unchanged;
  }
  return part;
}

void add_refusals(AppliedPart & part, const takt_rt::Faults & faults)
{
  for (const takt_rt::Fault & fault : faults) {
    part.why = (part.outcome == Outcome::failed ? part.why + "; " : "") + to_string(fault);
    part.outcome = Outcome::failed;
  }
}

}  // namespace takt_schedule
