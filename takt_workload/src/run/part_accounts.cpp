#include "run/part_accounts.hpp"

#include <fmt/format.h>

#include <map>
#include <thread>

#include "records/thread_text.hpp"

namespace takt_workload
{

namespace
{

using takt_rt::Fault;
using takt_rt::Policy;

// The refusal that led to a fallback. Tries the attributes again, to get the kernel's own answer.
Fault refusal_of(takt_rt::ThreadAttributes wished)
{
  wished.name.clear();
  wished.cores.clear();
  takt_rt::Faults faults;
  std::thread([&] { faults = takt_rt::apply(wished).faults; }).join();
  return faults.empty() ? Fault(describe(wished) + " was refused when the run began")
                        : faults.front();
}

bool fell_back(const OwnThread & thread)
{
  return thread.report.asked.policy != thread.wished.policy;
}

bool is_of_fallback(const Fault & fault)
{
  return fault.refusal && fault.refusal->attribute == takt_rt::RefusedAttribute::policy &&
         fault.refusal->asked.policy == Policy::other;
}

// The fault of a fallback: the refused attributes, and the kernel's answer to the fallback, which
// it may refuse, too. `refusals`: earlier answers, by the wished attributes.
Fault fallback_fault(const OwnThread & thread, std::map<std::string, Fault> & refusals)
{
  const std::string wished = describe_without_cores(thread.wished);
  auto known = refusals.find(wished);
  if (known == refusals.end()) {
    known = refusals.emplace(wished, refusal_of(thread.wished)).first;
  }
  const takt_rt::ThreadAttributes & asked = thread.report.asked;
  const takt_rt::ThreadAttributes & granted = thread.report.granted;
  const bool in_force =
    granted.policy == asked.policy && granted.nice.value_or(0) == asked.nice.value_or(0);
  Fault fault = known->second;
  if (fault.refusal) {
    fault.refusal->thread = thread.wished.name;
  }
  fault.text += fmt::format(
    "{}the schedule's fallback{}: {}", fault.text.empty() ? "" : "; ",
    in_force ? " is in force" : fmt::format(", nice {}, was refused too", asked.nice.value_or(0)),
    describe_without_cores(granted));
  return fault;
}

}  // namespace

std::vector<ThreadRecord> thread_records(
  const std::vector<takt_rt::ThreadAccount> & before,
  const std::vector<takt_rt::ThreadAccount> & after, const std::vector<OwnThread> & own,
  std::uint32_t process)
{
  std::map<std::string, Fault> refusals;
  std::vector<ThreadRecord> records;
  for (const takt_rt::AccountChange & change : takt_rt::changes_between(before, after)) {
    if (change.presence == takt_rt::Presence::went) {
      continue;
    }
    const takt_rt::ThreadAccount & account = change.account;
    ThreadRecord record;
    record.process = process;
    record.name = account.name;
    record.tid = account.tid;
    takt_rt::ThreadAttributes now;
    now.policy = account.policy;
    now.priority = account.rt_priority;
    now.nice = account.nice;
    record.granted = now;
    for (std::uint32_t i = 0; i < own.size(); ++i) {
      if (own[i].tid == account.tid) {
        record.executor = true;
        record.number = i;
        record.asked = own[i].wished;
        record.granted = own[i].report.granted;
        record.faults = own[i].report.faults;
        if (fell_back(own[i])) {
          // One fault reports the refused policy and, if the kernel refused it, the fallback.
          std::erase_if(record.faults, is_of_fallback);
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
