#include "run/part_accounts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <thread>

#include "run/refusals.hpp"

namespace takt_workload
{

std::string describe(const takt_core::ThreadAttributes & attributes)
{
  std::string text(takt_core::to_string(attributes.policy));
  if (takt_core::has_rt_priority(attributes.policy)) {
    text += fmt::format(" {}", attributes.priority);
  } else if (attributes.nice.value_or(0) != 0) {
    text += fmt::format(" nice {}", *attributes.nice);
  }
  if (!attributes.cores.empty()) {
    text += fmt::format(", cores {}", fmt::join(attributes.cores, ","));
  }
  return text;
}

namespace
{

// Which right is missing for what a fallback replaced: tried again, for the kernel's own answer.
std::string refusal_of(takt_core::ThreadAttributes wished)
{
  wished.name.clear();
  wished.cores.clear();
  takt_core::Faults faults;
  std::thread([&] { faults = takt_core::apply(wished).faults; }).join();
  return faults.empty() ? describe(wished) + " was refused when the run began"
                        : to_string(faults.front());
}

std::string without_cores(takt_core::ThreadAttributes attributes)
{
  attributes.cores.clear();
  return describe(attributes);
}

bool fell_back(const OwnThread & thread)
{
  return thread.report.asked.policy != thread.wished.policy;
}

// What was refused, and what the kernel made of the fallback, which may be refused as well.
// `refusals`: what has been tried already.
std::string fallback_fault(const OwnThread & thread, std::map<std::string, std::string> & refusals)
{
  const auto [known, fresh] = refusals.try_emplace(without_cores(thread.wished));
  if (fresh) {
    known->second = refusal_of(thread.wished);
  }
  const takt_core::ThreadAttributes & asked = thread.report.asked;
  const takt_core::ThreadAttributes & granted = thread.report.granted;
  const bool in_force =
    granted.policy == asked.policy && granted.nice.value_or(0) == asked.nice.value_or(0);
  return fmt::format(
    "{}{}{}: {}", known->second, kFallback,
    in_force ? " is in force" : fmt::format(", nice {}, was refused too", asked.nice.value_or(0)),
    without_cores(granted));
}

}  // namespace

std::vector<ThreadRecord> thread_records(
  const std::vector<takt_core::ThreadAccount> & before,
  const std::vector<takt_core::ThreadAccount> & after, const std::vector<OwnThread> & own,
  std::uint32_t process)
{
  std::map<std::string, std::string> refusals;  // by what was refused
  std::vector<ThreadRecord> records;
  for (const takt_core::AccountChange & change : takt_core::changes_between(before, after)) {
    if (change.presence == takt_core::Presence::went) {
      continue;
    }
    const takt_core::ThreadAccount & account = change.account;
    ThreadRecord record;
    record.process = process;
    record.name = account.name;
    record.tid = account.tid;
    takt_core::ThreadAttributes now;
    now.policy = account.policy;
    now.priority = account.rt_priority;
    now.nice = account.nice;
    record.granted = describe(now);
    for (std::uint32_t i = 0; i < own.size(); ++i) {
      if (own[i].tid == account.tid) {
        record.executor = true;
        record.number = i;
        record.asked = describe(own[i].wished);
        record.granted = describe(own[i].report.granted);
        record.faults = sentences(own[i].report.faults);
        if (fell_back(own[i])) {
          // One sentence tells of the policy, and of the fallback if that was refused too.
          std::erase_if(
            record.faults, [](const std::string & one) { return one.starts_with("SCHED_OTHER"); });
          record.faults.push_back(fallback_fault(own[i], refusals));
        }
      }
    }
    record.cpu = account.counters.cpu_time;
    record.queue_wait = account.counters.queue_wait;
    record.voluntary_switches = account.counters.voluntary_switches;
    record.involuntary_switches = account.counters.involuntary_switches;
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace takt_workload
