#include "takt_schedule/check.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "rule_table.hpp"
#include "takt_core/placement_rules.hpp"
#include "takt_schedule/executor_options.hpp"
#include "takt_schedule/make_executor.hpp"
#include "takt_schedule/resolver.hpp"
#include "takt_schedule/thread_names.hpp"
#include "text.hpp"

namespace takt_schedule
{
namespace
{

using takt_core::Faults;

template <typename T>
void append(std::vector<T> & to, const std::vector<T> & from)
{
  to.insert(to.end(), from.begin(), from.end());
}

/// One executor and the callbacks that belong to it.
class ExecutorCheck
{
public:
  ExecutorCheck(const Schedule & schedule, const ExecutorSchedule & executor, CheckReport & report)
  : schedule_(schedule),
    executor_(executor),
    report_(report),
    names_(executor),
    options_(executor_options(executor)),
    chains_(chain_options(schedule)),
    resolver_(std::move(Resolver::create(schedule, executor.name).value()))
  {
  }

  void add(const ListedCallback & callback)
  {
    const auto resolved = resolver_.resolve(callback.id, callback.kind);
    if (!resolved) {
      append(report_.faults, resolved.faults());
      return;
    }
    const takt_core::Binding & binding = resolved.value().binding;
    report_.placements.push_back(
      {callback.id, executor_.name, names_.words(binding.threads), resolved.value().line});
    if (callback.group.empty()) {
      return;
    }
    const auto across = resolver_.resolve_group(callback.group);
    if (!across) {
      append(report_.faults, across.faults());
    } else if (!callback.reentrant && !across.value()) {
      check_group(callback, binding, resolved.value().line);
    }
  }

  /// `with_chains`: the callbacks are not all there are, so that `check_chains` cannot judge.
  void finish(bool with_chains)
  {
    const ResolverReport report = resolver_.report(with_chains);
    append(report_.faults, report.faults);
    append(report_.warnings, report.warnings);
    append(report_.defaulted_callbacks, report.defaulted_callbacks);
  }

private:
  void check_group(const ListedCallback & callback, const takt_core::Binding & binding, int line)
  {
    const std::vector<int> own = takt_core::urgencies(
      options_.threads, binding.threads,
      binding.priority.value_or(takt_core::inherited_priority(chains_, callback.id)));
    const auto [first, fresh] = groups_.emplace(callback.group, Member{callback.id, own});
    if (fresh || first->second.urgencies == own) {
      return;
    }
    Source source = executor_.source;
    for (const CallbackRule & rule : executor_.callbacks) {
      if (rule.source.line == line) {
        source = rule.source;
      }
    }
    report_.faults.push_back(located(
      schedule_.file, source,
      "group " + quoted(callback.group) + " holds " + quoted(callback.id) + " and " +
        quoted(first->second.id) +
        ", which are bound to threads of different OS priority; bind them alike, put them into "
        "different groups, or add to groups: {match: \"" +
        callback.group + "\", across_priorities: allow}"));
  }

  struct Member
  {
    std::string id;
    std::vector<int> urgencies;
  };

  const Schedule & schedule_;
  const ExecutorSchedule & executor_;
  CheckReport & report_;
  ThreadNames names_;
  takt_core::ExecutorOptions options_;
  std::vector<takt_core::ChainOptions> chains_;
  Resolver resolver_;
  std::map<std::string, Member> groups_;
};

/// Line and column of a finding; without a position it comes first.
std::pair<int, int> position(const std::string & file, const std::string & finding)
{
  std::pair<int, int> result{0, 0};
  if (!finding.starts_with(file + ":")) {
    return result;
  }
  const char * const end = finding.data() + finding.size();
  const auto line = std::from_chars(finding.data() + file.size() + 1, end, result.first);
  if (line.ec == std::errc{} && line.ptr != end) {
    std::from_chars(line.ptr + 1, end, result.second);
  }
  return result;
}

void check_chains(
  const Schedule & schedule, const std::vector<ListedCallback> & callbacks, CheckReport & report)
{
  std::vector<std::string> ids;
  for (const ListedCallback & callback : callbacks) {
    ids.push_back(callback.id);
  }
  for (const ChainSchedule & chain : schedule.chains) {
    for (std::size_t i = 0; i < chain.options.path.size(); ++i) {
      const std::string & id = chain.options.path[i];
      if (std::find(ids.begin(), ids.end(), id) != ids.end()) {
        continue;
      }
      const Source & at = i < chain.path_sources.size() ? chain.path_sources[i] : chain.source;
      const std::string best = detail::closest(id, ids);
      report.faults.push_back(located(
        schedule.file, at,
        "chain " + quoted(chain.options.name) + " names the unknown callback " + quoted(id) +
          (best.empty() ? std::string() : "; did you mean " + quoted(best) + "?")));
    }
  }
}

}  // namespace

CheckReport check(
  const Schedule & schedule, const std::vector<ListedCallback> & callbacks,
  std::string_view only_executor)
{
  CheckReport report;
  if (!only_executor.empty()) {
    if (const auto found = find_executor(schedule, only_executor); !found) {
      report.faults = found.faults();
      return report;
    }
  }
  std::set<std::string> seen;
  for (const ListedCallback & callback : callbacks) {
    if (!seen.insert(callback.id).second) {
      report.faults.push_back(
        schedule.file + ": the list of callbacks holds " + quoted(callback.id) + " twice");
    }
  }

  // The list of one executor cannot tell what exists in the others.
  const bool complete = only_executor.empty();
  std::set<std::string> placed;
  const bool single = schedule.executors.size() == 1 || !only_executor.empty();
  for (const ExecutorSchedule & executor : schedule.executors) {
    if (!only_executor.empty() && executor.name != only_executor) {
      continue;
    }
    ExecutorCheck check(schedule, executor, report);
    const detail::RuleTable rules(executor.callbacks);
    for (const ListedCallback & callback : callbacks) {
      const bool here = callback.executor.empty() ? single || rules.find(callback.id).row
                                                  : callback.executor == executor.name;
      if (here) {
        check.add(callback);
        placed.insert(callback.id);
      }
    }
    check.finish(!complete);
  }
  for (const ListedCallback & callback : callbacks) {
    if (placed.count(callback.id) != 0 || single) {
      continue;
    }
    if (!callback.executor.empty()) {
      const auto found = find_executor(schedule, callback.executor);
      append(report.faults, found.faults());
    } else {
      report.defaulted_callbacks.push_back(callback.id);
    }
  }
  if (complete) {
    check_chains(schedule, callbacks, report);
  }

  const auto tidy = [&](std::vector<std::string> & findings) {
    std::stable_sort(
      findings.begin(), findings.end(), [&](const std::string & a, const std::string & b) {
        return position(schedule.file, a) < position(schedule.file, b);
      });
    findings.erase(std::unique(findings.begin(), findings.end()), findings.end());
  };
  tidy(report.faults);
  tidy(report.warnings);
  return report;
}

}  // namespace takt_schedule
