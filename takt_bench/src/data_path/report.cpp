#include "data_path/report.hpp"

#include <string>

#include "takt_trace/stall_index.hpp"

namespace takt_bench::data_path
{

using nlohmann::ordered_json;

namespace
{

constexpr int kVersion = 1;

std::string role_of(const Finding & finding, const takt_rt::ThreadAccount & thread)
{
  const Ledger & ledger = finding.ledger;
  if (thread.tid == ledger.publishing_thread() && thread.tid == ledger.receiving_thread()) {
    return "both";
  }
  if (thread.tid == ledger.publishing_thread()) {
    return "publisher";
  }
  return thread.tid == ledger.receiving_thread() ? "receiver" : "other";
}

ordered_json threads_json(const Finding & finding)
{
  ordered_json threads = ordered_json::array();
  for (std::size_t i = 0; i < finding.before.size(); ++i) {
    const ProcessCounts & after = finding.after[i];
    for (const takt_rt::AccountChange & change :
         takt_rt::changes_between(finding.before[i].threads, after.threads)) {
      const takt_rt::ThreadAccount & thread = change.account;
      threads.push_back(
        {{"process", after.side == Side::publisher ? "publisher" : "receiver"},
         {"role", role_of(finding, thread)},
         {"name", thread.name},
         {"policy", to_string(thread.policy)},
         {"priority", thread.rt_priority},
         {"voluntary", thread.counters.voluntary_switches},
         {"involuntary", thread.counters.involuntary_switches},
         {"cpu_ns", thread.counters.cpu_time.count()}});
    }
  }
  return threads;
}

}  // namespace

ordered_json report(const Finding & finding)
{
  const Setting & setting = finding.setting;
  const takt_trace::StallIndex stalls(finding.stalls);
  const std::uint64_t messages = finding.ledger.published();
  ordered_json clean = ordered_json::array();
  ordered_json stalled = ordered_json::array();
  for (std::uint64_t i = 0; i < messages; ++i) {
    const Ledger::Sample & sample = finding.ledger.sample(i);
    if (sample.latency_ns < 0) {
      continue;
    }
    const takt_rt::Time begin = takt_rt::from_ns(sample.published_ns);
    const bool touched = stalls.overlaps(begin, begin + takt_rt::Duration(sample.latency_ns));
    (touched ? stalled : clean).push_back(sample.latency_ns);
  }
  const std::size_t arrived = clean.size() + stalled.size();
  return {
    {"version", kVersion},
    {"variant", to_string(setting.variant)},
    {"place", to_string(setting.place)},
    {"size", setting.size},
    {"messages", messages},
    {"interval_ns", setting.interval.count()},
    {"lost", messages - arrived},
    {"damaged", finding.ledger.damaged()},
    {"stalls_seen", !finding.blind},
    {"latencies_ns", std::move(clean)},
    {"stalled_ns", std::move(stalled)},
    {"threads", threads_json(finding)}};
}

}  // namespace takt_bench::data_path
