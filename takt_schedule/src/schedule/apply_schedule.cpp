#include "takt_schedule/apply_schedule.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "schedule/sequence_paths.hpp"
#include "takt_core/group.hpp"
#include "takt_rt/thread_attributes.hpp"
#include "takt_schedule/core_options.hpp"
#include "takt_schedule/fallback.hpp"
#include "takt_schedule/make_executor.hpp"
#include "takt_schedule/reader/text.hpp"
#include "takt_schedule/resolver.hpp"
#include "takt_schedule/watch_parts.hpp"

namespace takt_schedule
{
namespace
{

using takt_core::Executor;
using takt_core::ExecutorOptions;
using takt_core::Reconfiguration;
using takt_rt::Fault;
using takt_rt::Faults;
using takt_rt::Result;
using takt_rt::ThreadAttributes;
using Parts = std::vector<AppliedPart>;
using Outcome = AppliedPart::Outcome;

std::string names_of(const std::vector<takt_core::ExecutorThreadOptions> & threads)
{
  std::string all;
  for (const auto & thread : threads) {
    all += (all.empty() ? "" : ", ") + thread.attributes.name;
  }
  return all;
}

/// Differences that only a start can apply.
Faults differences(const ExecutorOptions & wanted, const ExecutorOptions & has)
{
  Faults faults;
  const std::string names = names_of(wanted.threads);
  if (names != names_of(has.threads)) {
    faults.push_back(
      "executor " + quoted(wanted.name) + " runs with the threads " + names_of(has.threads) +
      ", and the file has " + names + "; start the program again with this file");
  }
  if (wanted.order != has.order) {
    faults.push_back(
      "executor " + quoted(wanted.name) + " runs with order " + std::string(to_string(has.order)) +
      ", and the file has " + std::string(to_string(wanted.order)) +
      "; start the program again with this file");
  }
  return faults;
}

std::optional<takt_rt::Duration> settles_of(const ExecutorOptions & options)
{
  return options.phases ? options.phases->settles : std::nullopt;
}

void add_skipped(const ExecutorOptions & wanted, const ExecutorOptions & has, Parts & parts)
{
  const auto skip = [&](std::string_view key, bool differs) {
    if (differs) {
      parts.push_back(
        {std::string(key), Outcome::skipped, "it counts when the program starts again"});
    }
  };
  // If several executors of a program share one executor of takt, the adapter handles exceptions.
  skip(
    "on_exception", wanted.on_exception == takt_core::ExceptionPolicy::report &&
                      has.on_exception != takt_core::ExceptionPolicy::report);
  skip("epoch", wanted.epoch != has.epoch);
  skip("settles", settles_of(wanted) != settles_of(has));
  skip("missing_rights", wanted.missing_rights != has.missing_rights);
  skip(
    "middleware_ceiling",
    to_string(wanted.middleware_ceiling) != to_string(has.middleware_ceiling));
  skip("lock_memory", wanted.lock_memory != has.lock_memory);
  const bool follow = !std::equal(
    wanted.threads.begin(), wanted.threads.end(), has.threads.begin(), has.threads.end(),
    [](const auto & a, const auto & b) { return a.follow == b.follow; });
  skip("follow", follow);
  const bool stack = !std::equal(
    wanted.threads.begin(), wanted.threads.end(), has.threads.begin(), has.threads.end(),
    [](const auto & a, const auto & b) {
      return a.attributes.stack_size == b.attributes.stack_size;
    });
  skip("stack", stack);
}

/// `all`: the threads of a binding that names no threads.
bool same(const takt_core::Binding & a, const takt_core::Binding & b, takt_core::ThreadMask all)
{
  return (a.threads == 0 ? all : a.threads) == (b.threads == 0 ? all : b.threads) &&
         a.priority == b.priority && a.deadline == b.deadline && a.boost == b.boost;
}

bool same(
  const std::optional<takt_core::NonTriggering> & a,
  const std::optional<takt_core::NonTriggering> & b)
{
  return a.has_value() == b.has_value() &&
         (!a || (a->with == b->with && a->keep == b->keep && a->max_age == b->max_age));
}

bool same(
  const std::optional<takt_core::Condition> & a, const std::optional<takt_core::Condition> & b)
{
  return a.has_value() == b.has_value() &&
         (!a || (a->count == b->count && a->fresh == b->fresh && a->spread == b->spread));
}

bool same(const takt_core::ChainOptions & a, const takt_core::ChainOptions & b)
{
  return a.name == b.name && a.path == b.path && a.priority == b.priority &&
         a.deadline == b.deadline && a.period == b.period;
}

/// Collects the changes, with one part for each.
class Changes
{
public:
  Changes(
    const Schedule & schedule, Resolver & resolver, Executor & executor, const PlaceUnruled & place)
  : schedule_(schedule),
    resolver_(resolver),
    executor_(executor),
    place_(place),
    isolated_(isolated_groups(executor)),
    says_watching_(says_watching(schedule))
  {
  }

  void add_chains()
  {
    const auto wanted = chain_options(schedule_);
    const auto has = executor_.scheduler().chains();
    for (const auto & chain : wanted) {
      const bool there =
        std::any_of(has.begin(), has.end(), [&](const auto & one) { return same(one, chain); });
      note("chain " + chain.name, !there);
    }
    for (const auto & chain : has) {
      const bool stays = std::any_of(
        wanted.begin(), wanted.end(), [&](const auto & one) { return one.name == chain.name; });
      if (!stays) {
        note("chain " + chain.name, true);
      }
    }
    change.chains = wanted;
  }

  void add_callbacks()
  {
    struct Found
    {
      std::shared_ptr<takt_core::Callback> callback;
      ResolvedCallback resolved;
    };
    std::vector<Found> all;
    std::map<const takt_core::Group *, takt_core::ThreadMask> by_rule;
    for (const auto & callback : executor_.callbacks()) {
      if (callback->id().starts_with("/takt:")) {
        continue;  // a callback of the adapter itself
      }
      takt_core::Group & group = callback->group();
      // By the id under which a start places it.
      auto resolved = resolver_.resolve(callback->chain_id(), callback->kind(), is_isolated(group));
      if (!resolved) {
        faults.insert(faults.end(), resolved.faults().begin(), resolved.faults().end());
        continue;
      }
      if (resolved->names_threads && is_isolated(group)) {
        faults.push_back(bound_and_isolated(*resolved, callback->id(), group.id()));
        continue;
      }
      add_group(group);
      if (const auto of_group = resolver_.resolve_group(group.id())) {
        apply_logical_time(*of_group, callback->kind(), *resolved);
      }
      if (resolved->line != 0 && !resolved->binding.non_triggering) {
        by_rule.emplace(&callback->group(), resolved->binding.threads);
      }
      all.push_back({callback, std::move(resolved.value())});
    }
    detail::SequencePaths run;
    detail::SequencePaths wanted;
    for (const auto & [callback, resolved] : all) {
      if (const auto has = executor_.scheduler_of(*callback).binding(*callback)) {
        run.add(has->sequence, callback->id());
        wanted.add(resolved.binding.sequence, callback->id());
      }
    }
    for (const auto & [callback, resolved] : all) {
      const auto has = executor_.scheduler_of(*callback).binding(*callback);
      if (!has.ok()) {
        continue;  // removed meanwhile
      }
      takt_core::Binding binding = resolved.binding;
      keep_programs_trigger(*has, binding);
      if (!says_watching_) {
        binding.boost = has->boost;
      }
      const auto group = by_rule.find(&callback->group());
      if (resolved.line == 0 && place_) {
        const auto of_group = group == by_rule.end() ? std::nullopt : std::optional(group->second);
        binding = place_({*callback, binding, *has, of_group, is_isolated(callback->group())});
      }
      if (is_isolated(callback->group())) {
        binding.threads = 0;
      }
      if (has->non_triggering.has_value() != binding.non_triggering.has_value()) {
        parts.push_back(
          {"callback " + callback->id(), Outcome::skipped,
           "whether it triggers counts when the program starts again, and so does the rest of its "
           "rule"});
        continue;
      }
      const bool changed = !same(*has, binding, executor_.scheduler_of(*callback).all_threads());
      note("callback " + callback->id(), changed);
      if (has->publishes_last != resolved.binding.publishes_last) {
        parts.push_back(
          {"publishes_last of " + callback->id(), Outcome::skipped,
           "it counts when the program starts again"});
      }
      if (run.of(has->sequence) != wanted.of(resolved.binding.sequence)) {
        parts.push_back(
          {"sequence of " + callback->id(), Outcome::skipped,
           "it counts when the program starts again"});
      }
      if (!same(has->non_triggering, binding.non_triggering)) {
        parts.push_back(
          {"trigger of " + callback->id(), Outcome::skipped,
           "it counts when the program starts again"});
      }
      if (changed) {
        change.callbacks.push_back({callback, binding});
      }
    }
  }

  void add_threads(const ExecutorOptions & wanted)
  {
    for (const takt_core::ThreadState & thread : executor_.threads()) {
      std::optional<ThreadAttributes> attributes;
      if (thread.group.empty()) {
        attributes = wanted.threads[thread.number].attributes;
      } else if (const auto group = resolver_.resolve_group(thread.group);
                 group && group->isolation) {
        attributes = group->isolation->attributes;
      } else {
        parts.push_back(
          {"group " + thread.group, Outcome::skipped,
           "it is isolated as long as the program runs"});
        continue;
      }
      const bool follows =
        thread.group.empty() && executor_.options().threads[thread.number].follow;
      parts.push_back(thread_part(
        {thread.attributes, thread.tid, follows, executor_.middleware_ceiling()}, *attributes));
      if (parts.back().outcome == Outcome::applied) {
        changed_parts_.push_back(parts.size() - 1);
        change.threads.push_back({thread.number, *attributes, thread.group});
      }
    }
  }

  /// The attributes that the threads got, in the order of `change.threads`.
  void add_reports(const std::vector<takt_rt::AttributeReport> & reports)
  {
    for (std::size_t i = 0; i < reports.size(); ++i) {
      add_refusals(parts[changed_parts_[i]], reports[i].faults);
    }
  }

  Reconfiguration change;
  Faults faults;
  Parts parts;

private:
  void note(std::string what, bool changed)
  {
    parts.push_back({std::move(what), changed ? Outcome::applied : Outcome::unchanged});
  }

  // What the program itself says holds where the schedule says nothing, as at the start.
  static void keep_programs_trigger(const takt_core::Binding & has, takt_core::Binding & wanted)
  {
    if (has.non_triggering && has.non_triggering->of_program && !wanted.non_triggering) {
      wanted.non_triggering = has.non_triggering;
      wanted.threads = 0;  // it runs on its taker's thread
      wanted.priority.reset();
      wanted.boost.reset();
    }
  }

  bool is_isolated(const takt_core::Group & group) const { return isolated_.contains(group.id()); }

  // The query tells the resolver that its rule has a match.
  void add_group(takt_core::Group & group)
  {
    if (!groups_.insert(group.id()).second) {
      return;
    }
    const auto resolved = resolver_.resolve_group(group.id());
    if (resolved && resolved->across_priorities) {
      change.across_priorities.push_back(&group);
    }
    const auto condition = group.condition();
    const bool stays = resolved && !resolved->condition && condition && condition->of_program;
    if (resolved && !stays && !same(resolved->condition, condition)) {
      parts.push_back(
        {"when of " + group.id(), Outcome::skipped, "it counts when the program starts again"});
    }
    const auto logical_time = group.logical_time();
    std::optional<takt_core::LateOutputs> has;
    if (logical_time != nullptr) {
      has = logical_time->late();
    }
    if (resolved && resolved->logical_time != has) {
      parts.push_back(
        {"let of " + group.id(), Outcome::skipped, "it counts when the program starts again"});
    }
    if (resolved && resolved->isolation.has_value() && !is_isolated(group)) {
      parts.push_back(
        {"group " + group.id(), Outcome::skipped, "it is isolated when the program starts again"});
    }
  }

  static std::set<std::string> isolated_groups(const Executor & executor)
  {
    std::set<std::string> groups;
    for (const auto & thread : executor.threads()) {
      if (!thread.group.empty()) {
        groups.insert(thread.group);
      }
    }
    return groups;
  }

  const Schedule & schedule_;
  Resolver & resolver_;
  Executor & executor_;
  const PlaceUnruled & place_;
  const std::set<std::string> isolated_;
  const bool says_watching_;
  std::set<std::string> groups_;
  std::vector<std::size_t> changed_parts_;
};

/// The setter's refusals for each thread, as a start would report them.
std::vector<takt_rt::AttributeReport> expected(
  const Reconfiguration & change, const Executor & executor)
{
  takt_rt::AttributeSetter & setter =
    executor.options().setter == nullptr ? takt_rt::own_rights() : *executor.options().setter;
  std::vector<takt_rt::AttributeReport> reports;
  for (const auto & thread : change.threads) {
    takt_rt::AttributeReport report;
    report.faults = setter.refusals(thread.attributes);
    reports.push_back(std::move(report));
  }
  return reports;
}

Result<Parts> apply(
  const Schedule & schedule, std::string_view executor_name, Executor & executor,
  const PlaceUnruled & place, bool check_only)
{
  const auto found = find_executor(schedule, executor_name);
  if (!found) {
    return found.faults();
  }
  const Schedule granted = with_fallbacks(schedule, executor_name, executor.options().setter.get());
  auto resolver = Resolver::create(granted, executor_name);
  if (!resolver) {
    return resolver.faults();
  }
  const ExecutorOptions wanted = core_options(*granted.find(executor_name));
  Faults faults = differences(wanted, executor.options());
  if (!faults.empty()) {
    Faults placed;
    for (const Fault & fault : faults) {
      placed.push_back(located(schedule.file, found.value()->source, fault));
    }
    return placed;
  }
  Changes changes(schedule, *resolver, executor, place);
  add_skipped(wanted, executor.options(), changes.parts);
  changes.add_chains();
  changes.add_callbacks();
  changes.add_threads(wanted);
  if (!changes.faults.empty()) {
    return changes.faults;
  }
  std::vector<takt_rt::AttributeReport> reports;
  if (check_only) {
    faults = executor.check(changes.change);
    reports = expected(changes.change, executor);
    if (executor.options().missing_rights == takt_core::MissingRights::fail) {
      for (const auto & report : reports) {
        faults.insert(faults.end(), report.faults.begin(), report.faults.end());
      }
    }
    if (!faults.empty()) {
      return faults;
    }
  } else {
    auto done = executor.reconfigure(changes.change);
    if (!done.ok()) {
      return done.faults();
    }
    reports = std::move(*done);
  }
  changes.add_reports(reports);
  for (const Fault & unmatched : resolver->unmatched_rules()) {
    changes.parts.push_back({"rule", Outcome::skipped, to_string(unmatched)});
  }
  return changes.parts;
}

}  // namespace

Result<Parts> apply_schedule(
  const Schedule & schedule, std::string_view executor_name, Executor & executor,
  const PlaceUnruled & place)
{
  return apply(schedule, executor_name, executor, place, false);
}

Result<Parts> check_schedule(
  const Schedule & schedule, std::string_view executor_name, Executor & executor,
  const PlaceUnruled & place)
{
  return apply(schedule, executor_name, executor, place, true);
}

}  // namespace takt_schedule
