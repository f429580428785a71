#include "takt_schedule/check.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "schedule/rule_table.hpp"
#include "takt_core/binding_rules.hpp"
#include "takt_schedule/core_options.hpp"
#include "takt_schedule/make_executor.hpp"
#include "takt_schedule/reader/text.hpp"
#include "takt_schedule/resolver.hpp"
#include "threads/thread_names.hpp"

namespace takt_schedule
{
namespace
{

using takt_rt::Faults;

template <typename T>
void append(std::vector<T> & to, const std::vector<T> & from)
{
  to.insert(to.end(), from.begin(), from.end());
}

/// The callbacks' priorities from chains.
using Priorities = std::unordered_map<std::string, int>;

/// One executor and its callbacks.
class ExecutorCheck
{
public:
  ExecutorCheck(
    const Schedule & schedule, const ExecutorSchedule & executor, const Priorities & inherited,
    const ExecutorCheck * sibling, CheckReport & report)
  : schedule_(schedule),
    executor_(executor),
    report_(report),
    names_(executor),
    options_(core_options(executor)),
    inherited_(inherited),
    resolver_(std::move(
      Resolver::create(schedule, executor.name, sibling == nullptr ? nullptr : &sibling->resolver_)
        .value()))
  {
  }

  void add(const ListedCallback & callback)
  {
    const auto group = callback.group.empty() ? takt_rt::Result<ResolvedGroup>(ResolvedGroup())
                                              : resolver_.resolve_group(callback.group);
    if (!group) {
      append(report_.faults, group.faults());
      return;
    }
    const auto resolved =
      resolver_.resolve(callback.id, callback.kind, group->isolation.has_value());
    if (!resolved) {
      append(report_.faults, resolved.faults());
      return;
    }
    const takt_core::Binding & binding = resolved.value().binding;
    const int line = resolved.value().line;
    const bool isolated = group->isolation.has_value();
    report_.callbacks.push_back(
      {callback.id, executor_.name,
       isolated ? std::vector<std::string>{"own"} : names_.words(binding.threads), line});
    if (isolated && resolved.value().names_threads) {
      report_.faults.push_back(located(
        schedule_.file, source_of(line),
        quoted(callback.id) + " is bound to threads, and its group " + quoted(callback.group) +
          " is isolated, so it has threads of its own; omit one of the two"));
    }
    const bool in_sets = group->condition && group->condition->spread &&
                         callback.kind == takt_core::Kind::subscription;
    if (isolated || (in_sets && !check_spread(callback, binding, line))) {
      return;
    }
    if (
      !binding.non_triggering && !callback.group.empty() && !callback.reentrant &&
      !group->across_priorities) {
      check_group(callback, binding, line);
    }
  }

  /// `with_chains`: the list of callbacks is incomplete, so that `check_chains` cannot judge.
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
    const auto inherited = inherited_.find(callback.id);
    const std::vector<int> own = takt_core::urgencies(
      options_.threads, binding.threads,
      binding.priority.value_or(inherited == inherited_.end() ? 0 : inherited->second));
    const auto [first, fresh] = groups_.emplace(callback.group, Member{callback.id, own});
    if (!fresh && first->second.urgencies != own) {
      report_.faults.push_back(located(
        schedule_.file, source_of(line),
        "group " + quoted(callback.group) + " holds " + quoted(callback.id) + " and " +
          quoted(first->second.id) +
          ", which are bound to threads of different OS priority; bind them alike, put them into "
          "different groups, or add to groups: {match: \"" +
          callback.group + "\", across_priorities: allow}"));
      return;
    }
    if (line != 0) {  // in rclcpp programs a callback without a rule follows its group
      check_threads(callback, binding.threads, line);
    }
  }

  /// The thread that completes a set of messages runs the callbacks of the whole set. Returns false
  /// if it adds a fault.
  bool check_spread(const ListedCallback & callback, const takt_core::Binding & binding, int line)
  {
    const auto [first, fresh] = sets_.emplace(callback.group, Bound{callback.id, binding.threads});
    if (fresh || first->second.threads == binding.threads) {
      return true;
    }
    report_.faults.push_back(located(
      schedule_.file, source_of(line),
      "group " + quoted(callback.group) + " holds " + quoted(callback.id) + " and " +
        quoted(first->second.id) +
        ", which are bound to different threads, and the thread that completes a set of messages "
        "(spread) runs the callbacks of the whole set; bind them to the same threads, or omit "
        "spread"));
    return false;
  }

  /// Rules that spread an exclusive group over threads expect concurrent callbacks, in vain. Most
  /// such groups are default groups of nodes, which the node's code does not mention.
  void check_threads(const ListedCallback & callback, takt_core::ThreadMask threads, int line)
  {
    const auto [first, fresh] = bound_.emplace(callback.group, Bound{callback.id, threads});
    if (fresh || first->second.told || (first->second.threads & threads) != 0) {
      return;
    }
    first->second.told = true;
    report_.warnings.push_back(located(
      schedule_.file, source_of(line),
      "group " + quoted(callback.group) + " holds " + quoted(callback.id) + " and " +
        quoted(first->second.id) +
        ", which are bound to different threads, and runs one of its callbacks at a time; bind "
        "them to one thread, or give one of them a callback group of its own in the code"));
  }

  /// The place of the rule on that line, else of the executor.
  Source source_of(int line) const
  {
    for (const CallbackRule & rule : executor_.callbacks) {
      if (rule.source.line == line) {
        return rule.source;
      }
    }
    return executor_.source;
  }

  struct Member
  {
    std::string id;
    std::vector<int> urgencies;
  };

  /// The first callback of a group with a rule for its threads, or of one with spread.
  struct Bound
  {
    std::string id;
    takt_core::ThreadMask threads;
    bool told = false;
  };

  const Schedule & schedule_;
  const ExecutorSchedule & executor_;
  CheckReport & report_;
  ThreadNames names_;
  takt_core::ExecutorOptions options_;
  const Priorities & inherited_;
  Resolver resolver_;
  std::map<std::string, Member> groups_;
  std::map<std::string, Bound> bound_;
  std::map<std::string, Bound> sets_;  ///< the first subscription of a group with spread
};

/// Line and column in the schedule; findings without a place come first.
std::pair<int, int> position(const takt_rt::Fault & finding)
{
  return {finding.line, finding.column};
}

void check_chains(
  const Schedule & schedule, const std::vector<ListedCallback> & callbacks, CheckReport & report)
{
  std::vector<std::string> ids;
  for (const ListedCallback & callback : callbacks) {
    ids.push_back(callback.id);
  }
  const std::unordered_set<std::string_view> known(ids.begin(), ids.end());
  Guesses guesses;
  for (const ChainSchedule & chain : schedule.chains) {
    for (std::size_t i = 0; i < chain.options.path.size(); ++i) {
      const std::string & id = chain.options.path[i];
      if (known.contains(id)) {
        continue;
      }
      const Source & at = i < chain.path_sources.size() ? chain.path_sources[i] : chain.source;
      const std::string best = guesses.closest(id, ids);
      report.faults.push_back(located(
        schedule.file, at,
        {takt_rt::FaultKind::unmatched,
         "chain " + quoted(chain.options.name) + " names the unknown callback " + quoted(id) +
           (best.empty() ? std::string() : "; did you mean " + quoted(best) + "?")}));
    }
  }
}

constexpr std::size_t kMostComparisons = 50'000'000;

template <typename Rule>
std::size_t count_patterns(const std::vector<Rule> & rules)
{
  std::size_t count = 0;
  for (const Rule & rule : rules) {
    count += static_cast<std::size_t>(std::count_if(
      rule.match.begin(), rule.match.end(),
      [](const std::string & text) { return text.find('*') != std::string::npos; }));
  }
  return count;
}

/// The patterns of the rules. Patterns with the same literal characters tie with each other; only
/// the first is kept, because reading has reported the ties.
template <typename Rule>
std::vector<Rule> patterns_of(const std::vector<Rule> & rules)
{
  std::vector<Rule> result;
  std::unordered_set<std::string> known;
  for (const Rule & rule : rules) {
    Rule & one = result.emplace_back();
    one.source = rule.source;
    for (const std::string & text : rule.match) {
      std::string literals = text;
      std::erase(literals, '*');
      if (known.insert(std::move(literals)).second) {
        one.match.push_back(text);
      }
    }
  }
  return result;
}

/// The schedule with all callbacks on one thread, so that threads, orders and priorities cause no
/// findings.
Schedule names_of(const Schedule & schedule)
{
  Schedule result;
  result.file = schedule.file;
  result.strict = schedule.strict;
  for (const ExecutorSchedule & executor : schedule.executors) {
    if (executor.name.empty()) {
      continue;  // an executor without a name cannot be looked up
    }
    ExecutorSchedule & one = result.executors.emplace_back();
    one.name = executor.name;
    one.source = executor.source;
    one.threads.emplace_back().name = "main";
    one.default_threads = {"main"};
    one.callbacks = patterns_of(executor.callbacks);
    one.groups = patterns_of(executor.groups);
  }
  for (const ChainSchedule & chain : schedule.chains) {
    ChainSchedule & one = result.chains.emplace_back();
    one.options.name = chain.options.name;
    one.options.path = chain.options.path;
    one.source = chain.source;
    one.path_sources = chain.path_sources;
  }
  return result;
}

}  // namespace

Faults too_many_patterns(const Schedule & schedule, const std::vector<ListedCallback> & callbacks)
{
  std::unordered_map<std::string_view, std::size_t> count;
  for (const ListedCallback & callback : callbacks) {
    ++count[callback.executor];
  }
  std::size_t comparisons = 0;
  for (const ExecutorSchedule & executor : schedule.executors) {
    const std::size_t patterns =
      count_patterns(executor.callbacks) + count_patterns(executor.groups);
    comparisons += patterns * (count[executor.name] + count[""]);
    if (comparisons > kMostComparisons) {
      return {located(
        schedule.file, executor.source,
        "executor " + quoted(executor.name) + " has " + std::to_string(patterns) +
          " patterns with stars, too many to compare each with so many callbacks; name callbacks "
          "in "
          "full, or use fewer patterns")};
    }
  }
  return {};
}

CheckReport check(
  const Schedule & schedule, const std::vector<ListedCallback> & callbacks,
  std::string_view only_executor)
{
  CheckReport report;
  report.faults = too_many_patterns(schedule, callbacks);
  if (!report.faults.empty()) {
    return report;
  }
  if (!only_executor.empty()) {
    if (const auto found = find_executor(schedule, only_executor); !found) {
      report.faults = found.faults();
      return report;
    }
  }
  std::unordered_set<std::string> seen;
  std::unordered_map<std::string_view, std::vector<std::size_t>> of_executor;
  for (std::size_t i = 0; i < callbacks.size(); ++i) {
    const ListedCallback & callback = callbacks[i];
    of_executor[callback.executor].push_back(i);
    if (!seen.insert(callback.id).second) {
      report.faults.push_back(
        schedule.file + ": the list of callbacks holds " + quoted(callback.id) + " twice");
    }
  }

  // The list of one executor does not show the callbacks of the others.
  const bool complete = only_executor.empty();
  const Priorities inherited = takt_core::inherited_priorities(chain_options(schedule));
  std::vector<bool> placed(callbacks.size());
  std::optional<ExecutorCheck> first;
  const bool single = schedule.executors.size() == 1 || !only_executor.empty();
  for (const ExecutorSchedule & executor : schedule.executors) {
    if (!only_executor.empty() && executor.name != only_executor) {
      continue;
    }
    ExecutorCheck own(schedule, executor, inherited, first ? &*first : nullptr, report);
    ExecutorCheck & check = first ? own : first.emplace(std::move(own));
    const detail::RuleTable rules(executor.callbacks);
    std::vector<std::size_t> here = of_executor[executor.name];
    for (const std::size_t anywhere : of_executor[""]) {
      if (single || rules.find(callbacks[anywhere].id).row) {
        here.push_back(anywhere);
      }
    }
    std::sort(here.begin(), here.end());
    for (const std::size_t i : here) {
      check.add(callbacks[i]);
      placed[i] = true;
    }
    check.finish(!complete);
  }
  for (std::size_t i = 0; i < callbacks.size(); ++i) {
    const ListedCallback & callback = callbacks[i];
    if (placed[i] || single) {
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

  const auto tidy = [&](Faults & findings) {
    std::stable_sort(
      findings.begin(), findings.end(), [&](const takt_rt::Fault & a, const takt_rt::Fault & b) {
        return position(a) < position(b);
      });
    findings.erase(std::unique(findings.begin(), findings.end()), findings.end());
  };
  tidy(report.faults);
  tidy(report.warnings);
  return report;
}

CheckReport check_names(
  const Schedule & readable, const std::vector<ListedCallback> & callbacks,
  std::string_view only_executor)
{
  CheckReport report = check(names_of(readable), callbacks, only_executor);
  report.defaulted_callbacks.clear();
  report.callbacks.clear();
  return report;
}

}  // namespace takt_schedule
