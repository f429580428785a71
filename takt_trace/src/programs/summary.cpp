#include "summary.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "flow/clocks.hpp"
#include "takt_trace/message_flow.hpp"

namespace takt_trace
{
namespace
{

using nlohmann::json;

template <typename Value>
json or_null(const std::optional<Value> & value)
{
  return value ? json(*value) : json(nullptr);
}

json hosts_json(const std::vector<detail::HostClock> & hosts)
{
  json all = json::array();
  for (const detail::HostClock & host : hosts) {
    all.push_back(
      {{"name", host.name},
       {"synchronised", or_null(host.synchronised)},
       {"clock_uncertainty_ns", or_null(host.uncertainty)}});
  }
  return all;
}

struct Activations
{
  std::uint64_t count = 0;
  std::uint64_t missed = 0;
  std::int64_t longest = 0;
};

std::uint64_t count(const ProcessTrace & trace, RecordKind kind)
{
  std::uint64_t sum = 0;
  for (const auto & thread : trace.threads) {
    for (const Record & record : thread.records) {
      sum += record.kind == kind ? 1 : 0;
    }
  }
  return sum;
}

json processes_json(const std::vector<ProcessTrace> & traces)
{
  json all = json::array();
  for (const ProcessTrace & trace : traces) {
    std::uint64_t dropped = 0;
    for (const auto & thread : trace.threads) {
      dropped += thread.dropped;
    }
    all.push_back(
      {{"pid", trace.pid},
       {"program", trace.program},
       {"threads", trace.threads.size()},
       {"runs", count(trace, RecordKind::run_end)},
       {"dropped", dropped}});
  }
  return all;
}

json chains_json(const std::vector<ProcessTrace> & traces)
{
  json all = json::array();
  for (const ProcessTrace & trace : traces) {
    std::map<std::uint32_t, Activations> ended;
    for (std::uint32_t chain = 0; chain < trace.chains.size(); ++chain) {
      const auto & path = trace.chains[chain].path;
      const auto is_last = [&](const auto & one) { return !path.empty() && one.id == path.back(); };
      if (std::any_of(trace.callbacks.begin(), trace.callbacks.end(), is_last)) {
        ended[chain];  // also one that never ended
      }
    }
    for (const auto & thread : trace.threads) {
      for (const Record & record : thread.records) {
        if (record.kind != RecordKind::chain_end || record.id >= trace.chains.size()) {
          continue;
        }
        Activations & chain = ended[record.id];
        const std::int64_t response = record.time - record.a;
        const std::int64_t deadline = trace.chains[record.id].deadline;
        ++chain.count;
        chain.missed += deadline > 0 && response > deadline ? 1 : 0;
        chain.longest = std::max(chain.longest, response);
      }
    }
    for (const auto & [id, chain] : ended) {
      all.push_back(
        {{"name", trace.chains[id].name},
         {"process", trace.pid},
         {"activations", chain.count},
         {"missed", chain.missed},
         {"max_response_ns", chain.longest}});
    }
  }
  return all;
}

}  // namespace

json summary(const std::vector<ProcessTrace> & traces)
{
  const auto flows = message_flows(traces);
  const Joinable whole = joinable(traces, flows);
  const auto hosts = detail::host_clocks(traces);
  std::int64_t began = 0;
  std::int64_t ended = 0;
  for (const ProcessTrace & trace : traces) {
    began = began == 0 ? trace.began : std::min(began, trace.began);
    ended = std::max(ended, trace.ended);
  }
  return {
    {"schema", 1},
    {"processes", processes_json(traces)},
    {"messages",
     {{"published", flows.publishes},
      {"taken", flows.takes},
      {"joined", flows.joined.size()},
      {"joinable", whole.takes},
      {"joinable_joined", whole.joined}}},
    {"chains", chains_json(traces)},
    {"hosts", hosts_json(hosts)},
    {"join_uncertainty_ns", or_null(detail::join_uncertainty(hosts))},
    {"began_ns", began},
    {"ended_ns", ended}};
}

std::string clock_sentence(const json & summary)
{
  if (summary["hosts"].size() < 2) {
    return {};
  }
  const json & uncertainty = summary["join_uncertainty_ns"];
  if (uncertainty.is_number()) {
    return "times between hosts are uncertain by at most " +
           std::to_string((uncertainty.get<std::int64_t>() + 999) / 1000) + " us\n";
  }
  std::string names;
  for (const json & host : summary["hosts"]) {
    if (host["clock_uncertainty_ns"].is_null()) {
      names += (names.empty() ? "" : ", ") + host["name"].get<std::string>();
    }
  }
  return "times between hosts are uncertain: nothing is known to synchronise the clock of " +
         names + '\n';
}

}  // namespace takt_trace
