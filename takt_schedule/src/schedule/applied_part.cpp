#include "takt_schedule/applied_part.hpp"

#include "takt_schedule/reader/text.hpp"

namespace takt_schedule
{
namespace
{

using Outcome = AppliedPart::Outcome;
using takt_core::ThreadAttributes;

/// A thread keeps its name and its stack.
bool same(ThreadAttributes a, const ThreadAttributes & b)
{
  a.name = b.name;
  a.stack_size = b.stack_size;
  return a == b;
}

/// "SCHED_FIFO priority 40 on cores 0"; "as started" of what is left open.
std::string format(const ThreadAttributes & attributes)
{
  std::string text = attributes.policy == takt_core::Policy::inherit && !attributes.nice
                       ? "as started"
                       : format_policy(attributes);
  if (!attributes.cores.empty()) {
    text += " on cores " + takt_core::format_cores(attributes.cores);
  }
  return text;
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

std::optional<ThreadAttributes> taken_from(
  const takt_core::AttributeReport & report, pid_t tid, bool follows)
{
  if (tid == 0) {
    return std::nullopt;
  }
  ThreadAttributes now = takt_core::read_attributes(tid);
  if (now.policy == takt_core::Policy::inherit) {
    return std::nullopt;  // it has ended
  }
  const ThreadAttributes & granted = report.granted;
  const bool less = !follows && takt_core::urgency(now) < takt_core::urgency(granted);
  return less || now.cores != granted.cores ? std::optional(std::move(now)) : std::nullopt;
}

AppliedPart thread_part(
  const takt_core::AttributeReport & report, const std::optional<ThreadAttributes> & taken,
  const ThreadAttributes & wanted)
{
  AppliedPart part{"thread " + report.asked.name, Outcome::unchanged};
  if (taken || !same(wanted, report.asked)) {
    part.outcome = Outcome::applied;
    part.why = format(taken ? *taken : report.asked) + " -> " + format(wanted) +
               (taken ? " (changed by somebody else)" : "");
  }
  return part;
}

void add_refusals(AppliedPart & part, const takt_core::Faults & faults)
{
  for (const takt_core::Fault & fault : faults) {
    part.why = (part.outcome == Outcome::failed ? part.why + "; " : "") + to_string(fault);
    part.outcome = Outcome::failed;
  }
}

}  // namespace takt_schedule
