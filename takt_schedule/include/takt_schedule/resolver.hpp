// Finds the rule of a schedule that decides for a callback, and reports which rules matched.
//
//     auto resolver = takt_schedule::Resolver::create(schedule, "main");
//     auto resolved = resolver->resolve("/lidar:timer(100ms)", takt_core::Kind::timer);
//     executor.add(callback, resolved->binding);
//     ... once start-up is complete:
//     auto report = resolver->report();
//
// One rule decides: the one with the most specific match (pattern.hpp); rules are not merged.
// Set-up only: allocates, does not block. Not thread-safe.
#ifndef TAKT_SCHEDULE__RESOLVER_HPP_
#define TAKT_SCHEDULE__RESOLVER_HPP_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "takt_core/callback.hpp"
#include "takt_core/scheduler.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule
{

/// The schedule's decision for one callback.
struct ResolvedCallback
{
  takt_core::Binding binding;  ///< for Executor::add; absent fields are inherited from chains
  std::optional<takt_rt::Duration> offset;                 ///< timers: for TimerOptions
  std::optional<takt_core::MissedPeriods> missed_periods;  ///< timers: for TimerOptions
  WatchRule watch;                                         ///< see watch_rules.hpp
  bool names_threads = false;  ///< true: the rule names the threads; false: the default threads
  int line = 0;                ///< of the rule; 0: no rule matched
};

/// The schedule's decision for one callback group.
struct ResolvedGroup
{
  bool across_priorities = false;  ///< it may span OS priorities (Group::allow_across_priorities)
  std::optional<takt_core::Condition> condition;
  std::optional<takt_core::LateOutputs> logical_time;
  std::optional<takt_core::Isolation> isolation;  ///< the node's name is the threads' name
};

/// A subscription of a group with logical execution time does not trigger: the group's timer takes
/// its messages.
void apply_logical_time(
  const ResolvedGroup & group, takt_core::Kind kind, ResolvedCallback & resolved);

/// The fault of a rule that names threads for a callback of an isolated group.
takt_rt::Fault bound_and_isolated(
  const ResolvedCallback & resolved, std::string_view id, std::string_view group_id);

/// The findings after every callback has been resolved.
struct ResolverReport
{
  takt_rt::Faults faults;    ///< under `strict: true`: rules and ids of chains without a match
  takt_rt::Faults warnings;  ///< otherwise; also rules that never win against more specific ones
  std::vector<std::string> defaulted_callbacks;  ///< ids without a rule, in the order of asking
  std::size_t awaited = 0;  ///< rules and ids of chains that wait for later callbacks
};

/// Whether callbacks of an id or pattern may come later.
using Awaited = std::function<bool(std::string_view pattern)>;

/// Decides for the callbacks of one executor of a schedule.
class Resolver
{
public:
  /// Copies its inputs; shares the common parts with `sibling`, a resolver of the same schedule.
  /// Fault: unknown executor.
  static takt_rt::Result<Resolver> create(
    const Schedule & schedule, std::string_view executor_name, const Resolver * sibling = nullptr);
  Resolver(Resolver &&) noexcept;
  Resolver & operator=(Resolver &&) noexcept;
  ~Resolver();

  /// Faults: two rules that tie (the fault names both lines), a priority that a following pool of
  /// its threads cannot take. May be called again for the same id. `isolated`: its group has
  /// threads of its own, so the default threads do not apply.
  takt_rt::Result<ResolvedCallback> resolve(
    std::string_view id, takt_core::Kind kind, bool isolated = false);

  /// Fault: two rules tie.
  takt_rt::Result<ResolvedGroup> resolve_group(std::string_view group_id);

  /// One sentence with position for each pattern without a match so far.
  takt_rt::Faults unmatched_rules(
    const Awaited & awaited = {}, std::size_t * left_out = nullptr) const;
  /// One sentence for each chain id that was not resolved although this executor must have it: the
  /// schedule has no other executor, callbacks of its node are here, or only this executor has a
  /// rule with its node's full name. Other ids may belong to other executors.
  takt_rt::Faults unmatched_chain_ids(
    const Awaited & awaited = {}, std::size_t * left_out = nullptr) const;
  /// Ids without a rule so far: they have the default threads.
  const std::vector<std::string> & defaulted_callbacks() const;

  /// `with_chains`: false if the caller judges the ids of chains itself. Neither faults nor warns
  /// of patterns for which `awaited` returns true.
  ResolverReport report(bool with_chains = true, const Awaited & awaited = {}) const;

  /// The executor's entry in the schedule.
  const ExecutorSchedule & executor() const;

private:
  struct Impl;
  explicit Resolver(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__RESOLVER_HPP_
