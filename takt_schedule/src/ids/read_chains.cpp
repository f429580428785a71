#include "ids/read_chains.hpp"

#include <string>
#include <unordered_map>
#include <utility>

#include "ids/callback_id.hpp"
#include "schedule/read_executor.hpp"
#include "schedule/rule_table.hpp"
#include "takt_schedule/duration.hpp"
#include "takt_schedule/reader/text.hpp"
#include "watch/read_watch.hpp"

namespace takt_schedule::detail
{
namespace
{

void read_path(MapReader & map, Findings & findings, ChainSchedule & chain)
{
  auto & path = chain.options.path;
  std::unordered_map<std::string, int> lines;
  for (const Word & word : map.words("path", "a list of callback ids, root first")) {
    const auto exact = exact_id(word.text, "chains");
    if (!exact) {
      findings.fault(word.at, exact.faults().front());
      continue;
    }
    const std::string & id = exact.value();
    if (const auto [first, fresh] = lines.emplace(id, word.at.line); !fresh) {
      findings.fault(
        word.at, "duplicate id " + quoted(id) + " in chain " + quoted(chain.options.name) +
                   "; it is on line " + std::to_string(first->second) + " already");
      continue;
    }
    path.push_back(id);
    chain.path_sources.push_back(word.at);
  }
}

void warn_period(const MapReader & map, const ChainSchedule & chain, Findings & findings)
{
  const auto & [name, path, priority, deadline, period] = chain.options;
  if (path.empty() || period == takt_rt::Duration{} || kind_word(path.front()) != "timer") {
    return;
  }
  const auto timer = parse_duration(bracketed(path.front()));
  if (timer && timer.value() != period) {
    findings.warn(
      map.at("period"), "chain " + quoted(name) + " has period " + print_duration(period) +
                          " but its root is " + quoted(path.front()));
  }
}

ChainSchedule read_chain(
  const YamlNode::Entry & entry, Findings & findings, const KnownThreads * threads)
{
  ChainSchedule chain;
  chain.options.name = entry.key;
  chain.source = entry.at;
  check_name(entry.key, "a chain", "./", entry.at, findings);
  std::vector<std::string> keys{"path", "priority", "deadline", "period"};
  if (threads != nullptr) {
    const std::vector<std::string> watched = chain_watch_keys();
    keys.insert(keys.end(), watched.begin(), watched.end());
  }
  MapReader map(findings, *entry.value, "chain " + quoted(entry.key), std::move(keys));
  if (!map.has("path")) {
    findings.fault(
      entry.at, "chain " + quoted(entry.key) + " has no 'path'; list its callback ids, root first");
  }
  read_path(map, findings, chain);
  map.integer("priority", 0, 255, chain.options.priority);
  map.duration("deadline", true, chain.options.deadline);
  map.duration("period", true, chain.options.period);
  warn_period(map, chain, findings);
  if (threads != nullptr) {
    read_chain_watch(map, findings, *threads, chain);
  }
  return chain;
}

}  // namespace

void read_chains(
  MapReader & map, Findings & findings, const KnownThreads * threads,
  std::vector<ChainSchedule> & chains)
{
  const YamlNode * const node = map.find("chains");
  if (node == nullptr || !expect_map(findings, *node, "chains")) {
    return;
  }
  for (const YamlNode::Entry & entry : node->entries) {
    chains.push_back(read_chain(entry, findings, threads));
  }
}

// With one executor all ids of chains belong to it.
void check_ties(const Schedule & schedule, Findings & findings)
{
  if (schedule.executors.size() != 1) {
    return;
  }
  const RuleTable rules(schedule.executors.front().callbacks);
  for (const ChainSchedule & chain : schedule.chains) {
    for (std::size_t i = 0; i < chain.options.path.size(); ++i) {
      const std::string & id = chain.options.path[i];
      if (const auto best = rules.find(id); best.tie) {
        findings.fault(chain.path_sources[i], rules.describe_tie(id, best));
      }
    }
  }
}

}  // namespace takt_schedule::detail
