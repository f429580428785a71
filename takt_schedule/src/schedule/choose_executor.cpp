#include "takt_schedule/choose_executor.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <unordered_set>

#include "ids/callback_id.hpp"
#include "schedule/rule_table.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_schedule
{
namespace
{

/// Number of callbacks that an executor's rules name, and number of nodes of these callbacks.
struct Fit
{
  std::size_t exactly = 0;
  std::size_t by_patterns = 0;
  std::size_t nodes = 0;
  friend auto operator<=>(const Fit &, const Fit &) = default;
};

Fit fit(
  const ExecutorSchedule & executor, const std::vector<std::string> & ids,
  const std::vector<std::string> & nodes)
{
  const detail::RuleTable rules(executor.callbacks);
  Fit fit;
  for (const std::string & id : ids) {
    if (const auto best = rules.find(id); best.row) {
      ++(rules.rows()[*best.row].pattern.exact() ? fit.exactly : fit.by_patterns);
    }
  }
  const auto named = [&](const std::string & node) {
    return std::any_of(rules.rows().begin(), rules.rows().end(), [&](const auto & row) {
      return may_match_callback_of(row.pattern.text(), node);
    });
  };
  fit.nodes = static_cast<std::size_t>(std::count_if(nodes.begin(), nodes.end(), named));
  return fit;
}

bool in_chains(
  const Schedule & schedule, const std::vector<std::string> & ids,
  const std::vector<std::string> & nodes)
{
  const std::unordered_set<std::string_view> known(ids.begin(), ids.end());
  return std::any_of(schedule.chains.begin(), schedule.chains.end(), [&](const auto & chain) {
    const auto & path = chain.options.path;
    return std::any_of(path.begin(), path.end(), [&](const std::string & id) {
      return known.contains(id) ||
             std::find(nodes.begin(), nodes.end(), detail::node_of(id)) != nodes.end();
    });
  });
}

std::string names_of(const std::vector<const ExecutorSchedule *> & executors)
{
  std::string names;
  for (std::size_t i = 0; i < executors.size(); ++i) {
    names += (i == 0                      ? ""
              : i + 1 == executors.size() ? " and "
                                          : ", ") +
             quoted(executors[i]->name);
  }
  return names;
}

}  // namespace

ExecutorChoice choose_executor(
  const Schedule & schedule, const std::vector<std::string> & ids, std::string_view name,
  const std::vector<std::string> & nodes)
{
  std::vector<const ExecutorSchedule *> best;
  Fit most;
  for (const ExecutorSchedule & executor : schedule.executors) {
    const Fit one = fit(executor, ids, nodes);
    if (one > most) {
      best.clear();
      most = one;
    }
    if (one == most) {
      best.push_back(&executor);
    }
  }
  const auto named = std::find_if(
    best.begin(), best.end(), [&](const auto * executor) { return executor->name == name; });
  ExecutorChoice choice;
  if (named != best.end()) {
    choice.name = (*named)->name;
  } else if (most != Fit{} || in_chains(schedule, ids, nodes)) {
    choice.name = best.front()->name;
    if (best.size() > 1) {
      choice.warnings.emplace_back(
        "executors " + names_of(best) + " of " + schedule.file +
        " fit equally well, and takt takes " + quoted(choice.name) +
        "; choose with --executor, or give one of them a rule with an exact id");
    }
  } else {
    return choice;
  }
  const auto others = rules_of_others(schedule, choice.name, ids);
  choice.warnings.insert(choice.warnings.end(), others.begin(), others.end());
  return choice;
}

takt_rt::Faults rules_of_others(
  const Schedule & schedule, std::string_view chosen, const std::vector<std::string> & ids)
{
  takt_rt::Faults warnings;
  for (const ExecutorSchedule & executor : schedule.executors) {
    if (executor.name == chosen) {
      continue;
    }
    const detail::RuleTable rules(executor.callbacks);
    const std::string * first = nullptr;
    Source where;
    std::unordered_set<std::string_view> named;
    for (const std::string & id : ids) {
      const auto best = rules.find(id);
      if (best.row && rules.rows()[*best.row].pattern.exact() && named.insert(id).second) {
        where = first == nullptr ? rules.rows()[*best.row].source : where;
        first = first == nullptr ? &id : first;
      }
    }
    if (first == nullptr) {
      continue;
    }
    const std::size_t further = named.size() - 1;
    warnings.push_back(located(
      schedule.file, where,
      "a rule of executor " + quoted(executor.name) + " names " + quoted(*first) +
        ", but this callback runs as part of executor " + quoted(chosen) +
        ", where the rule has no effect" +
        (further == 0 ? ""
                      : "; the same holds for " + std::to_string(further) +
                          (further == 1 ? " further callback" : " further callbacks"))));
  }
  return warnings;
}

}  // namespace takt_schedule
