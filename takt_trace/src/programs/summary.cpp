#include "summary.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "flow/clocks.hpp"
#include "flow/message_flow.hpp"
#include "report/account_json.hpp"
#include "saturating.hpp"
#include "stalls/host_stalls.hpp"
#include "states/callback_states.hpp"
#include "takt_rt/json_values.hpp"
#include "takt_rt/readable.hpp"
#include "takt_trace/chain_accounts.hpp"

namespace takt_trace
{
namespace
{

using nlohmann::json;
using takt_rt::or_null;

json hosts_json(const std::vector<detail::HostClock> & hosts)
{
  json all = json::array();
  for (const detail::HostClock & host : hosts) {
    all.push_back(
      {{"name", host.name},
       {"synchronised", or_null<json>(host.synchronised)},
       {"clock_uncertainty_ns", or_null<json>(host.uncertainty)}});
  }
  return all;
}

struct Activations
{
  std::uint64_t count = 0;
  std::uint64_t missed = 0;
  std::int64_t longest = 0;
};

template <typename Visit>
void each_record(const LongTrace & trace, RecordKind kind, const Visit & visit)
{
  for (const auto & thread : trace.threads) {
    for (const Record & record : thread.records) {
      if (record.kind == kind) {
        visit(record);
      }
    }
  }
}

std::uint64_t count(const LongTrace & trace, RecordKind kind)
{
  std::uint64_t sum = 0;
  each_record(trace, kind, [&](const Record &) { ++sum; });
  return sum;
}

std::int64_t overwritten_messages(const LongTrace & trace)
{
  std::int64_t sum = 0;
  for (const detail::PlacedState state : detail::callback_states(trace)) {
    sum = detail::saturating_add(sum, state.newly_overwritten);
  }
  return sum;
}

/// Null: no process watched for stalls.
json stalls_json(const std::vector<LongTrace> & traces)
{
  std::uint64_t stalls = 0, by_kernel = 0;
  std::int64_t longest = 0, longest_by_kernel = 0;
  bool witnessed = false;
  for (const LongTrace & trace : traces) {
    witnessed = witnessed || trace.witnessed;
    each_record(trace, RecordKind::host_stall, [&](const Record & record) {
      const bool throttled = detail::is_throttled(record);
      std::int64_t & most = throttled ? longest_by_kernel : longest;
      ++(throttled ? by_kernel : stalls);
      most = std::max(most, detail::saturating_subtract(record.b, record.a));
      witnessed = true;
    });
  }
  return witnessed
           ? json{{"count", stalls}, {"longest_ns", longest}, {"by_kernel", by_kernel}, {"longest_by_kernel_ns", longest_by_kernel}}
           : json(nullptr);
}

json processes_json(const std::vector<LongTrace> & traces)
{
  json all = json::array();
  for (const LongTrace & trace : traces) {
    std::uint64_t dropped = 0, witnesses = 0;
    for (const auto & thread : trace.threads) {
      dropped += thread.dropped;
      witnesses += detail::is_witness(thread) ? 1 : 0;
    }
    all.push_back(
      {{"pid", trace.pid},
       {"program", trace.program},
       {"threads", trace.threads.size() - witnesses},
       {"runs", count(trace, RecordKind::run_end)},
       {"overwritten", overwritten_messages(trace)},
       {"dropped", dropped}});
  }
  return all;
}

json chains_json(const std::vector<LongTrace> & traces)
{
  json all = json::array();
  const std::vector<ChainAccount> accounts = chain_accounts(traces);
  const auto account_of = [&](const TracedChain & chain) -> const ChainAccount * {
    const auto found = std::find_if(accounts.begin(), accounts.end(), [&](const auto & one) {
      return one.chain.name == chain.name && one.chain.path == chain.path;
    });
    return found == accounts.end() ? nullptr : &*found;
  };
  for (const LongTrace & trace : traces) {
    std::map<std::uint32_t, Activations> ended;
    for (std::uint32_t chain = 0; chain < trace.chains.size(); ++chain) {
      const auto & path = trace.chains[chain].path;
      const auto is_last = [&](const auto & one) { return !path.empty() && one.id == path.back(); };
      if (std::any_of(trace.callbacks.begin(), trace.callbacks.end(), is_last)) {
        ended[chain];  // makes an entry also for a chain that never ended
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
      const ChainAccount * const known = account_of(trace.chains[id]);
      const bool has_account = known != nullptr && known->account;
      all.push_back(
        {{"name", trace.chains[id].name},
         {"process", trace.pid},
         {"activations", chain.count},
         {"missed", has_account ? known->account->missed : chain.missed},
         {"max_response_ns", chain.longest},
         {"account",
          has_account ? json(detail::account_counts_json(*known->account)) : json(nullptr)},
         {"account_why", has_account || known == nullptr ? json(nullptr) : json(known->why)}});
    }
  }
  return all;
}

}  // namespace

json summary(const std::vector<LongTrace> & traces)
{
  const auto flows = message_flows(traces);
  const Joinable whole = joinable(traces, flows);
  const auto hosts = detail::host_clocks(traces);
  std::int64_t began = 0;
  std::int64_t ended = 0;
  for (const LongTrace & trace : traces) {
    began = began == 0 ? trace.began : std::min(began, trace.began);
    ended = std::max(ended, trace.ended);
    for (const LongThread & thread : trace.threads) {  // a snapshot during a recording has no end
      for (const Record & record : thread.records) {
        ended = std::max(ended, record.time);
      }
    }
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
    {"host_stalls", stalls_json(traces)},
    {"hosts", hosts_json(hosts)},
    {"join_uncertainty_ns", or_null<json>(detail::join_uncertainty(hosts))},
    {"began_ns", began},
    {"ended_ns", ended}};
}

std::string stall_sentence(const json & summary)
{
  const json & stalls = summary["host_stalls"];
  if (stalls.is_null()) {
    return {};
  }
  const auto told = [&](const char * count, const char * longest) {
    const auto times = stalls[count].get<std::uint64_t>();
    return times == 0 ? "none"
                      : std::to_string(times) + ", longest " +
                          takt_rt::human(takt_rt::Duration{stalls[longest].get<std::int64_t>()});
  };
  return "host stalls: " + told("count", "longest_ns") +
         "; held back by the kernel: " + told("by_kernel", "longest_by_kernel_ns") + '\n';
}

std::string clock_sentence(const json & summary)
{
  if (summary["hosts"].size() < 2) {
    return {};
  }
  const json & uncertainty = summary["join_uncertainty_ns"];
  if (uncertainty.is_number()) {
    return "times between hosts are uncertain by at most " +
           takt_rt::exactly(
             takt_rt::Duration{(uncertainty.get<std::int64_t>() + 999) / 1000 * 1000}) +
           "\n";
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
