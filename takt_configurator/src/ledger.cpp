#include "ledger.hpp"

namespace takt_configurator
{

double bandwidth_of(const takt_rt::ThreadAttributes & attributes)
{
  if (attributes.policy != takt_rt::Policy::deadline || attributes.period.count() <= 0) {
    return 0.0;
  }
  return static_cast<double>(attributes.runtime.count()) /
         static_cast<double>(attributes.period.count());
}

bool counts(const takt_rt::ThreadAttributes & attributes)
{
  return attributes.policy == takt_rt::Policy::deadline ||
         takt_rt::has_rt_priority(attributes.policy) || attributes.nice.value_or(0) < 0;
}

void Ledger::set(const ThreadKey & thread, uid_t user, const takt_rt::ThreadAttributes & attributes)
{
  if (counts(attributes)) {
    entries_[thread] = {user, bandwidth_of(attributes)};
  } else {
    entries_.erase(thread);
  }
}

template <typename Predicate>
Holdings Ledger::sum(const ThreadKey & except, const Predicate & belongs) const
{
  Holdings held;
  for (const auto & [thread, entry] : entries_) {
    if (thread != except && belongs(entry)) {
      ++held.threads;
      held.bandwidth += entry.bandwidth;
    }
  }
  return held;
}

Holdings Ledger::of(uid_t user, const ThreadKey & except) const
{
  return sum(except, [user](const Entry & entry) { return entry.user == user; });
}

Holdings Ledger::of_all(const ThreadKey & except) const
{
  return sum(except, [](const Entry &) { return true; });
}

void Ledger::purge(const ProcessTable & table, const Kernel & kernel, std::optional<uid_t> user)
{
  std::erase_if(entries_, [&](const auto & item) {
    const auto & [thread, entry] = item;
    return (!user || entry.user == *user) &&
           (table.start_time(thread.pid, thread.tid) != thread.start_time ||
            !counts(kernel.read(thread.tid)));
  });
}

void Ledger::adopt(const ProcessTable & table, const Kernel & kernel)
{
  for (const pid_t pid : table.processes()) {
    const auto user = table.user(pid, pid);
    if (!user || *user == 0) {
      continue;
    }
    for (const pid_t tid : table.threads(pid)) {
      if (const auto start = table.start_time(pid, tid)) {
        set({pid, tid, *start}, *user, kernel.read(tid));
      }
    }
  }
}

}  // namespace takt_configurator
