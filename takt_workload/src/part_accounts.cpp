#include "part_accounts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

std::vector<ThreadRecord> thread_records(
  const std::vector<takt_core::ThreadAccount> & before,
  const std::vector<takt_core::ThreadAccount> & after, const Recorder & recorder,
  std::uint32_t process)
{
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
    for (std::uint32_t i = 0; i < recorder.threads().size(); ++i) {
      const Recorder::Thread & own = recorder.threads()[i];
      if (own.tid == account.tid) {
        record.executor = true;
        record.number = i;
        record.asked = describe(own.attributes.asked);
        record.granted = describe(own.attributes.granted);
        record.faults = own.attributes.faults;
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
