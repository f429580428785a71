#include "schedule/check_schedule.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "schedule/read_executor.hpp"
#include "schedule/rule_table.hpp"
#include "takt_schedule/reader/text.hpp"
#include "watch/check_watch.hpp"

namespace takt_schedule::detail
{
namespace
{

struct Claim
{
  const ExecutorSchedule * executor;
  int line;
};

/// A callback and its group are in one process, so one of two claims is a mistake.
template <typename Rule>
void check_claims(
  const Schedule & schedule, const std::vector<Rule> ExecutorSchedule::*rules, Findings & findings)
{
  std::map<std::string, Claim> claims;
  for (const ExecutorSchedule & executor : schedule.executors) {
    for (const Rule & rule : executor.*rules) {
      for (const std::string & id : rule.match) {
        if (id.find('*') != std::string::npos) {
          continue;
        }
        const auto [first, fresh] = claims.emplace(id, Claim{&executor, rule.source.line});
        if (!fresh && first->second.executor != &executor) {
          findings.fault(
            rule.source, quoted(id) + " belongs to executor " +
                           quoted(first->second.executor->name) + " already, on line " +
                           std::to_string(first->second.line) + "; it can run in one only");
        }
      }
    }
  }
}

void warn_ignored_priorities(const Schedule & schedule, Findings & findings)
{
  std::vector<RuleTable> rules;
  for (const ExecutorSchedule & executor : schedule.executors) {
    rules.emplace_back(executor.callbacks);
  }
  // An id without a rule may be in any executor.
  const auto may_heed = [&](const std::string & id) {
    bool named = false;
    bool heeded = false;
    bool somewhere = false;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const bool uses = uses_priorities(schedule.executors[i]);
      const bool here = rules[i].find(id).row.has_value();
      named = named || here;
      heeded = heeded || (here && uses);
      somewhere = somewhere || uses;
    }
    return named ? heeded : somewhere;
  };
  for (const ChainSchedule & chain : schedule.chains) {
    const std::vector<std::string> & path = chain.options.path;
    if (!gives_priority(chain) || std::any_of(path.begin(), path.end(), may_heed)) {
      continue;
    }
    std::vector<std::string> orders;
    for (const ExecutorSchedule & executor : schedule.executors) {
      if (std::string order = quoted(to_string(executor.order));
          !uses_priorities(executor) &&
          std::find(orders.begin(), orders.end(), order) == orders.end()) {
        orders.push_back(std::move(order));
      }
    }
    findings.warn(
      chain.source, "the priority of chain " + quoted(chain.options.name) +
                      " has no effect under order " + listed(orders, "or") +
                      "; did you mean order: priority?");
  }
}

}  // namespace

void check_schedule(const Schedule & schedule, Findings & findings)
{
  check_claims(schedule, &ExecutorSchedule::callbacks, findings);
  check_claims(schedule, &ExecutorSchedule::groups, findings);
  if (findings.ok()) {
    warn_ignored_priorities(schedule, findings);
    warn_misses(schedule, findings);
  }
}

}  // namespace takt_schedule::detail
