#include "takt_schedule/resolver.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ids/chain_ids.hpp"
#include "schedule/rule_table.hpp"
#include "takt_core/adapter/callback_ids.hpp"
#include "takt_core/binding_rules.hpp"
#include "takt_schedule/make_executor.hpp"
#include "takt_schedule/reader/text.hpp"
#include "threads/thread_names.hpp"

namespace takt_schedule
{
namespace
{

using detail::RuleTable;
using takt_rt::Faults;
using takt_rt::Result;

/// Ids, each once, in the order of adding.
struct Ids
{
  void add(std::string_view id)
  {
    if (known.emplace(id).second) {
      all.emplace_back(id);
    }
  }

  std::vector<std::string> all;
  std::unordered_set<std::string> known;
};

/// The use of each pattern of a table, and the ids that were asked.
struct Usage
{
  explicit Usage(const RuleTable & table)
  : matched(table.rows().size(), false),
    won(table.rows().size(), false)
  {
  }

  void note(const RuleTable::Best & best, std::string_view id)
  {
    for (const std::size_t row : best.matches) {
      matched[row] = true;
    }
    if (best.row) {
      won[*best.row] = true;
    }
    if (best.tie) {
      won[*best.tie] = true;  // not beaten: the tie is reported
    }
    asked.add(id);
  }

  std::vector<bool> matched;
  std::vector<bool> won;
  Ids asked;
};

/// "; did you mean ...": the same pattern with wider stars, or the id that is closest to it.
std::string better_pattern(const Pattern & pattern, const std::vector<std::string> & ids)
{
  std::string wide;
  for (std::size_t i = 0; i < pattern.text().size(); ++i) {
    const char c = pattern.text()[i];
    if (c != '*' || (!wide.empty() && wide.back() != '*')) {
      wide += c == '*' ? "**" : std::string(1, c);
    } else if (wide.empty()) {
      wide = "**";
    }
  }
  const auto widened = Pattern::compile(wide);
  if (widened && std::any_of(ids.begin(), ids.end(), [&](const std::string & id) {
        return widened.value().match(id);
      })) {
    return "; did you mean " + quoted(wide) + "? '*' stays within one segment";
  }
  const std::string best = closest(pattern.text(), ids);
  return best.empty() ? std::string() : "; did you mean " + quoted(best) + "?";
}

/// The rule as the core has it.
takt_core::NonTriggering core_rule(const NonTriggeringRule & rule)
{
  takt_core::NonTriggering result;
  result.with = rule.with;
  result.keep = rule.keep;
  result.max_age = rule.max_age.value_or(result.max_age);
  std::vector<Pattern> takers;
  for (const std::string & text : rule.with) {
    if (auto pattern = Pattern::compile(text)) {
      takers.push_back(std::move(pattern.value()));
    }
  }
  if (!takers.empty()) {
    result.taken_by = [takers = std::move(takers)](std::string_view id) {
      return std::any_of(
        takers.begin(), takers.end(), [&](const Pattern & pattern) { return pattern.match(id); });
    };
  }
  return result;
}

/// "lidar" of "/front/lidar:group(points)".
std::string name_of_node(std::string_view group_id)
{
  const std::string_view node = group_id.substr(0, group_id.find(':'));
  return std::string(node.substr(node.rfind('/') + 1));
}

}  // namespace

struct Resolver::Impl
{
  Impl(
    const Schedule & schedule, const ExecutorSchedule & chosen,
    std::shared_ptr<const detail::ChainIds> ids)
  : file(schedule.file),
    strict(schedule.strict),
    executor(chosen),
    chain_ids(std::move(ids)),
    follows(std::any_of(
      executor.threads.begin(), executor.threads.end(),
      [](const Threads & threads) { return threads.follow; })),
    priorities(
      follows ? takt_core::inherited_priorities(chain_options(schedule)) : decltype(priorities)()),
    names(executor),
    callbacks(executor.callbacks),
    groups(executor.groups),
    callback_usage(callbacks),
    group_usage(groups)
  {
    for (std::size_t i = 0; i < executor.sequences.size(); ++i) {
      const std::vector<std::string> & path = executor.sequences[i].path;
      for (std::size_t k = 0; k < path.size(); ++k) {
        places[path[k]] = {
          static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(k),
          executor.sequences[i].graph};
      }
    }
  }

  Faults check_following(
    std::string_view id, const takt_core::Binding & binding, const Source & source) const
  {
    Faults faults;
    if (!follows) {
      return faults;
    }
    const auto inherited = priorities.find(std::string(id));
    const int priority =
      binding.priority.value_or(inherited == priorities.end() ? 0 : inherited->second);
    for (const Threads & threads : executor.threads) {
      const int most = threads.attributes.priority;
      if (
        threads.follow && (names.find(threads.name).value_or(0) & binding.threads) != 0 &&
        !takt_core::can_follow(threads.attributes, priority)) {
        faults.push_back(located(
          file, source,
          quoted(id) + " has priority " + std::to_string(priority) + ", which the following pool " +
            quoted(threads.name) + " cannot take; give it 1 to " + std::to_string(most) +
            " by a rule or a chain"));
      }
    }
    return faults;
  }

  Faults unmatched(
    const RuleTable & table, const Usage & usage, std::string_view what, const Awaited & awaited,
    std::size_t * left_out) const
  {
    Faults result;
    Guesses guesses;
    for (std::size_t i = 0; i < table.rows().size(); ++i) {
      const RuleTable::Row & row = table.rows()[i];
      if (usage.matched[i]) {
        continue;
      }
      if (awaited && awaited(row.pattern.text())) {
        if (left_out != nullptr) {
          ++*left_out;
        }
      } else {
        result.push_back(located(
          file, row.source,
          {takt_rt::FaultKind::unmatched,
           std::string(row.pattern.exact() ? "" : "pattern ") + quoted(row.pattern.text()) +
             " matches no " + std::string(what) +
             (guesses.take() ? better_pattern(row.pattern, usage.asked.all) : std::string())}));
      }
    }
    return result;
  }

  // The patterns of takers without a callback.
  Faults without_taker(const Awaited & awaited, std::size_t * left_out) const
  {
    Faults result;
    const std::vector<std::string> & ids = callback_usage.asked.all;
    for (std::size_t i = 0; i < callbacks.rows().size(); ++i) {
      const RuleTable::Row & row = callbacks.rows()[i];
      const auto & rule = executor.callbacks[row.rule].non_triggering;
      if (!callback_usage.won[i] || !rule) {
        continue;
      }
      for (const std::string & text : rule->with) {
        const auto pattern = Pattern::compile(text);
        if (!pattern || std::any_of(ids.begin(), ids.end(), [&](const std::string & id) {
              return pattern.value().match(id);
            })) {
          continue;
        }
        if (awaited && awaited(text)) {
          if (left_out != nullptr) {
            ++*left_out;
          }
        } else {
          result.push_back(located(
            file, row.source,
            {takt_rt::FaultKind::unmatched,
             quoted(text) + " of with matches no callback" + better_pattern(pattern.value(), ids) +
               "; nothing takes the messages of " + quoted(row.pattern.text())}));
        }
      }
    }
    return result;
  }

  // The ids of sequences without a callback.
  Faults without_follower(const Awaited & awaited, std::size_t * left_out) const
  {
    Faults result;
    Guesses guesses;
    for (const SequenceRule & sequence : executor.sequences) {
      for (std::size_t i = 0; i < sequence.path.size(); ++i) {
        const std::string & id = sequence.path[i];
        if (callback_usage.asked.known.count(id) != 0) {
          continue;
        }
        if (awaited && awaited(id)) {
          if (left_out != nullptr) {
            ++*left_out;
          }
          continue;
        }
        const std::string meant =
          guesses.take() ? closest(id, callback_usage.asked.all) : std::string();
        result.push_back(located(
          file, i < sequence.path_sources.size() ? sequence.path_sources[i] : sequence.source,
          {takt_rt::FaultKind::unmatched,
           quoted(id) + " of a sequence matches no callback" +
             (meant.empty() ? "" : "; did you mean " + quoted(meant) + "?")}));
      }
    }
    return result;
  }

  Faults beaten() const
  {
    Faults result;
    std::vector<bool> rule_won(executor.callbacks.size());
    for (std::size_t i = 0; i < callbacks.rows().size(); ++i) {
      const std::size_t rule = callbacks.rows()[i].rule;
      rule_won[rule] = rule_won[rule] || callback_usage.won[i];
    }
    for (std::size_t i = 0; i < callbacks.rows().size(); ++i) {
      const RuleTable::Row & row = callbacks.rows()[i];
      if (callback_usage.matched[i] && !rule_won[row.rule]) {
        result.push_back(located(
          file, row.source,
          "pattern " + quoted(row.pattern.text()) +
            " only matches callbacks for which a more specific rule decides"));
      }
    }
    return result;
  }

  std::string file;
  bool strict;
  ExecutorSchedule executor;
  std::shared_ptr<const detail::ChainIds> chain_ids;
  bool follows;                                     // a thread follows
  std::unordered_map<std::string, int> priorities;  // priorities from chains, if a thread follows
  ThreadNames names;
  std::unordered_map<std::string, takt_core::SequencePlace> places;  // of ids in sequences
  RuleTable callbacks;
  RuleTable groups;
  Usage callback_usage;
  Usage group_usage;
  Ids defaulted;
};

Resolver::Resolver(std::unique_ptr<Impl> impl) : impl_(std::move(impl))
{
}
Resolver::Resolver(Resolver &&) noexcept = default;
Resolver & Resolver::operator=(Resolver &&) noexcept = default;
Resolver::~Resolver() = default;

Result<Resolver> Resolver::create(
  const Schedule & schedule, std::string_view executor_name, const Resolver * sibling)
{
  const auto executor = find_executor(schedule, executor_name);
  if (!executor) {
    return executor.faults();
  }
  auto ids = sibling != nullptr ? sibling->impl_->chain_ids
                                : std::make_shared<const detail::ChainIds>(schedule);
  return Resolver(std::make_unique<Impl>(schedule, *executor.value(), std::move(ids)));
}

takt_rt::Fault bound_and_isolated(
  const ResolvedCallback & resolved, std::string_view id, std::string_view group_id)
{
  return "line " + std::to_string(resolved.line) + " of the schedule binds " + std::string(id) +
         " to threads, and its group " + std::string(group_id) +
         " is isolated, so it has threads of its own; omit one of the two";
}

void apply_logical_time(
  const ResolvedGroup & group, takt_core::Kind kind, ResolvedCallback & resolved)
{
  if (!group.logical_time || kind != takt_core::Kind::subscription) {
    return;
  }
  takt_core::Binding & binding = resolved.binding;
  if (!binding.non_triggering) {
    binding.non_triggering.emplace();
  }
  binding.non_triggering->by_release = true;
  binding.sequence.reset();
}

Result<ResolvedCallback> Resolver::resolve(std::string_view id, takt_core::Kind kind, bool isolated)
{
  Impl & impl = *impl_;
  const RuleTable::Best best = impl.callbacks.find(id);
  impl.callback_usage.note(best, id);
  if (best.tie) {
    return Faults{located(
      impl.file, impl.callbacks.rows()[*best.tie].source, impl.callbacks.describe_tie(id, best))};
  }
  ResolvedCallback resolved;
  Source source = impl.executor.source;
  const std::vector<std::string> * threads = &impl.executor.default_threads;
  if (!best.row) {
    if (!isolated) {
      impl.defaulted.add(id);
    }
  } else {
    const CallbackRule & rule = impl.executor.callbacks[impl.callbacks.rows()[*best.row].rule];
    source = rule.source;
    resolved.line = rule.source.line;
    resolved.binding.priority = rule.priority;
    resolved.binding.deadline = rule.deadline;
    resolved.binding.publishes_last = rule.publishes_last;
    resolved.binding.boost = rule.boost;
    resolved.binding.phased =
      rule.never_settles ? takt_core::Phased::for_good : takt_core::Phased::settles;
    if (rule.non_triggering) {
      resolved.binding.non_triggering = core_rule(*rule.non_triggering);
    }
    resolved.watch = rule.watch;
    if (resolved.binding.non_triggering && takt_core::adapter::kind_word(id) != "sub") {
      return Faults{located(
        impl.file, source,
        "trigger: false belongs to subscriptions, and this rule decides for " + quoted(id) +
          ", which is none; write a narrower pattern, such as '/node:sub(*)'")};
    }
    if (kind == takt_core::Kind::timer) {
      resolved.offset = rule.offset;
      resolved.missed_periods = rule.missed_periods;
      resolved.binding.boost.reset();  // a timer has no messages
      if (resolved.watch.backlog) {
        resolved.watch.backlog.reset();
        if (resolved.watch.empty()) {
          // The rule watches the timer all the same, for the alarms that have no limit of their
          // own (`skipped`, `guard`). So the timer gets a limit that no run reaches.
          resolved.watch.stall = takt_rt::kForever;
        }
      }
    }
    if (!rule.threads.empty()) {
      threads = &rule.threads;
      resolved.names_threads = true;
    }
  }
  resolved.binding.threads = impl.names.mask(*threads);
  if (const auto place = impl.places.find(std::string(id)); place != impl.places.end()) {
    const SequenceRule & sequence = impl.executor.sequences[place->second.sequence];
    if (isolated) {
      return Faults{located(
        impl.file, sequence.source,
        quoted(id) +
          " is in a sequence, and its group is isolated, so no other callback of the sequence runs "
          "on its threads; omit one of the two")};
    }
    resolved.binding.sequence = place->second;
  }
  if (isolated) {
    return resolved;
  }
  if (Faults faults = impl.check_following(id, resolved.binding, source); !faults.empty()) {
    return faults;
  }
  return resolved;
}

Result<ResolvedGroup> Resolver::resolve_group(std::string_view group_id)
{
  const RuleTable::Best best = impl_->groups.find(group_id);
  impl_->group_usage.note(best, group_id);
  if (best.tie) {
    return Faults{located(
      impl_->file, impl_->groups.rows()[*best.tie].source,
      impl_->groups.describe_tie(group_id, best))};
  }
  ResolvedGroup resolved;
  if (!best.row) {
    return resolved;
  }
  const GroupRule & rule = impl_->executor.groups[impl_->groups.rows()[*best.row].rule];
  resolved.across_priorities = rule.across_priorities;
  if (rule.when && *rule.when != ConditionRule()) {  // `any` means the same as no condition
    resolved.condition.emplace();
    resolved.condition->count = rule.when->count;
    resolved.condition->fresh = rule.when->fresh;
    resolved.condition->spread = rule.when->spread;
  }
  resolved.logical_time = rule.logical_time;
  if (rule.isolate) {
    resolved.isolation.emplace();
    resolved.isolation->attributes = rule.isolate->attributes;
    resolved.isolation->attributes.name = name_of_node(group_id);
    resolved.isolation->threads = static_cast<std::uint32_t>(rule.isolate->count);
  }
  return resolved;
}

Faults Resolver::unmatched_rules(const Awaited & awaited, std::size_t * left_out) const
{
  auto result =
    impl_->unmatched(impl_->callbacks, impl_->callback_usage, "callback", awaited, left_out);
  const auto groups =
    impl_->unmatched(impl_->groups, impl_->group_usage, "callback group", awaited, left_out);
  result.insert(result.end(), groups.begin(), groups.end());
  const auto takers = impl_->without_taker(awaited, left_out);
  result.insert(result.end(), takers.begin(), takers.end());
  const auto followers = impl_->without_follower(awaited, left_out);
  result.insert(result.end(), followers.begin(), followers.end());
  return result;
}

Faults Resolver::unmatched_chain_ids(const Awaited & awaited, std::size_t * left_out) const
{
  return impl_->chain_ids->unmatched(
    impl_->callback_usage.asked.all, impl_->executor.name, awaited, left_out);
}

const std::vector<std::string> & Resolver::defaulted_callbacks() const
{
  return impl_->defaulted.all;
}

ResolverReport Resolver::report(bool with_chains, const Awaited & awaited) const
{
  ResolverReport report;
  Faults & unmatched = impl_->strict ? report.faults : report.warnings;
  unmatched = unmatched_rules(awaited, &report.awaited);
  if (with_chains) {
    const auto ids = unmatched_chain_ids(awaited, &report.awaited);
    unmatched.insert(unmatched.end(), ids.begin(), ids.end());
  }
  const auto beaten = impl_->beaten();
  report.warnings.insert(report.warnings.end(), beaten.begin(), beaten.end());
  report.defaulted_callbacks = impl_->defaulted.all;
  return report;
}

const ExecutorSchedule & Resolver::executor() const
{
  return impl_->executor;
}

}  // namespace takt_schedule
