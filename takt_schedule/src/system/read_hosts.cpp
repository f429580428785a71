#include <algorithm>
#include <numeric>
#include <set>

#include "schedule/read_executor.hpp"
#include "system/read_system.hpp"
#include "takt_schedule/core_list.hpp"
#include "takt_schedule/number.hpp"
#include "takt_schedule/reader/text.hpp"

namespace takt_schedule::detail
{
namespace
{

// Of all hosts: plans and simulations store data for each core.
constexpr std::size_t kMostCoresTogether = 100'000;
// Of all hosts: a simulation checks each at every instant.
constexpr std::size_t kMostOthersTogether = 10'000;

/// `cores: 4` means 0 to 3; `cores: [0, 2]` means these two.
void read_cores(MapReader & map, Findings & findings, HostModel & host)
{
  const YamlNode * const node = map.find("cores");
  if (node == nullptr) {
    findings.fault(
      map.at(), "host " + quoted(host.name) + " has no cores; add cores: 4, or a list of them");
    return;
  }
  if (!node->is_list()) {
    int count = 0;
    map.integer("cores", 1, kLargestCore + 1, count);
    host.cores.resize(static_cast<std::size_t>(count));
    std::iota(host.cores.begin(), host.cores.end(), 0);
    return;
  }
  std::set<int> cores;
  for (const auto & [core, at] : map.cores("cores")) {
    if (!cores.insert(core).second) {
      findings.fault(at, "core " + std::to_string(core) + " is named twice");
    }
  }
  host.cores.assign(cores.begin(), cores.end());
}

std::vector<int> read_some_cores(
  MapReader & map, Findings & findings, std::string_view key, const HostModel & host)
{
  std::set<int> cores;
  for (const auto & [core, at] : map.cores(key)) {
    if (has_core(host, core, at, findings)) {
      cores.insert(core);
    }
  }
  return {cores.begin(), cores.end()};
}

void read_cap(MapReader & map, Findings & findings, HostModel & host)
{
  const auto word = map.scalar("utilization_cap", "a number such as 0.9");
  if (!word) {
    return;
  }
  const auto cap = parse_number(word->text, 0.0, 1.0);
  if (!cap || *cap == 0.0) {
    findings.fault(
      word->at, "utilization_cap must be above 0 and at most 1, not " + quoted(word->text));
  } else {
    host.utilization_cap = *cap;
  }
}

void read_priorities(MapReader & map, Findings & findings, HostModel & host)
{
  const YamlNode * const node = map.find("priorities");
  if (node == nullptr) {
    return;
  }
  MapReader band(findings, *node, "priorities", {"least", "most"});
  band.integer("least", 1, 99, host.least_priority);
  band.integer("most", 1, 99, host.most_priority);
  if (host.least_priority > host.most_priority) {
    findings.fault(
      map.at("priorities"), "the least priority, " + std::to_string(host.least_priority) +
                              ", is above the most urgent one, " +
                              std::to_string(host.most_priority));
  }
}

OtherThread read_other_thread(
  const YamlNode::Entry & entry, Findings & findings, const HostModel & host)
{
  OtherThread thread;
  thread.name = entry.key;
  thread.source = entry.at;
  MapReader map(
    findings, *entry.value, "thread " + quoted(entry.key), {"priority", "cores", "time", "period"});
  map.integer("priority", 0, 99, thread.priority);
  thread.cores = read_some_cores(map, findings, "cores", host);
  for (const char * key : {"time", "period"}) {
    if (!map.has(key)) {
      findings.fault(
        entry.at, "thread " + quoted(entry.key) + " has no " + key + "; add " + key + ": 1ms");
    }
  }
  map.duration("time", false, thread.time);
  map.duration("period", true, thread.period);
  if (thread.period != takt_rt::Duration{} && thread.time > thread.period) {
    findings.fault(map.at("time"), "time is longer than the period");
  }
  return thread;
}

/// `defaults`: empty if the file has none.
HostModel read_host(
  const YamlNode::Entry & entry, Findings & findings, const std::optional<Overheads> & defaults)
{
  HostModel host;
  host.name = entry.key;
  host.source = entry.at;
  check_name(entry.key, "a host", ".", entry.at, findings);
  MapReader map(
    findings, *entry.value, "host " + quoted(entry.key),
    {"cores", "reserved", "utilization_cap", "priorities", "overheads", "other_threads"});
  read_cores(map, findings, host);
  host.reserved = read_some_cores(map, findings, "reserved", host);
  if (!host.cores.empty() && host.reserved == host.cores) {
    findings.fault(
      map.at("reserved"),
      "every core of host " + quoted(host.name) + " is reserved; leave one for the callbacks");
  }
  read_cap(map, findings, host);
  read_priorities(map, findings, host);
  const YamlNode * const overheads = map.find("overheads");
  host.has_overheads = overheads != nullptr || defaults;
  host.overheads = defaults.value_or(Overheads{});
  if (overheads != nullptr) {
    host.overheads = read_overheads(findings, *overheads, host.overheads);
  }
  if (!host.has_overheads) {
    findings.warn(
      entry.at,
      "host " + quoted(host.name) +
        " has no overheads: dispatch, middleware and context switches are taken to cost "
        "nothing; `takt calibrate` measures them (overheads: {} if the times include them)");
  }
  if (const YamlNode * const threads = map.find("other_threads");
      threads != nullptr && expect_map(findings, *threads, "other_threads")) {
    for (const YamlNode::Entry & thread : threads->entries) {
      host.other_threads.push_back(read_other_thread(thread, findings, host));
    }
  }
  return host;
}

}  // namespace

Overheads read_overheads(Findings & findings, const YamlNode & node, Overheads overheads)
{
  MapReader map(findings, node, "overheads", {"dispatch", "middleware", "context_switch"});
  map.duration("dispatch", false, overheads.dispatch);
  map.duration("middleware", false, overheads.middleware);
  map.duration("context_switch", false, overheads.context_switch);
  return overheads;
}

bool has_core(const HostModel & host, int core, const Source & at, Findings & findings)
{
  const bool has = std::binary_search(host.cores.begin(), host.cores.end(), core);
  if (!has) {
    findings.fault(
      at, "host " + quoted(host.name) + " has no core " + std::to_string(core) +
            "; its cores are " + print_cores(host.cores));
  }
  return has;
}

void read_hosts(MapReader & map, Findings & findings, System & system)
{
  std::optional<Overheads> defaults;
  if (const YamlNode * const overheads = map.find("overheads")) {
    defaults = read_overheads(findings, *overheads, {});
  }
  if (const YamlNode * const node = map.find("communication")) {
    MapReader own(findings, *node, "communication", {"processes", "hosts"});
    own.duration("processes", false, system.communication.processes);
    own.duration("hosts", false, system.communication.hosts);
  }
  const YamlNode * const node = map.find("hosts");
  if (node == nullptr) {
    findings.fault(map.at(), "no hosts; add 'hosts: {main: {cores: 4}}'");
    return;
  }
  if (!expect_map(findings, *node, "hosts")) {
    return;
  }
  if (node->entries.empty()) {
    findings.fault(map.at("hosts"), "hosts is empty; add for example 'main: {cores: 4}'");
  }
  std::size_t cores = 0, others = 0;
  for (const YamlNode::Entry & entry : node->entries) {
    system.hosts.push_back(read_host(entry, findings, defaults));
    cores += system.hosts.back().cores.size();
    others += system.hosts.back().other_threads.size();
    if (others > kMostOthersTogether) {
      findings.fault(
        entry.at, "with " + quoted(entry.key) + " the hosts have " + std::to_string(others) +
                    " other threads together, and at most " + std::to_string(kMostOthersTogether) +
                    "; put some of them together into one");
      return;
    }
    if (cores > kMostCoresTogether) {
      findings.fault(
        entry.at, "with " + quoted(entry.key) + " the hosts have more than " +
                    std::to_string(kMostCoresTogether) +
                    " cores together; describe fewer hosts, or fewer cores of them");
      return;
    }
  }
}

}  // namespace takt_schedule::detail
