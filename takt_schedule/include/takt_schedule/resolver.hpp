// Which rule of a schedule decides for a callback, and what came of every rule.
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

struct ResolvedCallback
{
  takt_core::Binding binding;  ///< for Executor::add; absent fields are inherited from chains
  std::optional<takt_rt::Duration> offset;                 ///< timers: for TimerOptions
  std::optional<takt_core::MissedPeriods> missed_periods;  ///< timers: for TimerOptions
  WatchRule watch;                                         ///< see watch_rules.hpp
  bool names_threads = false;  ///< the rule does; else they are the default threads
  int line = 0;                ///< of the rule; 0: no rule matched
};

struct ResolvedGroup
{
  bool across_priorities =
    false;  ///< it may span OS priorities (Executor::allow_across_priorities)
  std::optional<takt_core::Isolation>
    isolation;  ///< with the node's name as the name of the threads
};

/// The fault of a callback that a rule binds to threads although its group is isolated.
takt_rt::Fault bound_and_isolated(
  const ResolvedCallback & resolved, std::string_view id, std::string_view group_id);

/// What is left to say once every callback has been resolved.
struct ResolverReport
{
  takt_rt::Faults faults;    ///< under `strict: true`: rules and ids of chains that matched nothing
  takt_rt::Faults warnings;  ///< otherwise; and rules that more specific ones always beat
  std::vector<std::string> defaulted_callbacks;  ///< ids that no rule matched, in order of asking
  std::size_t awaited = 0;  ///< rules and ids of chains that matched nothing, but may yet
};

/// Whether callbacks that an id or a pattern names may come later.
using Awaited = std::function<bool(std::string_view pattern)>;

class Resolver
{
public:
  /// Copies what it needs; `sibling`, a resolver of the same schedule, lends what they have in common.
  /// Fault: no executor of that name.
  static takt_rt::Result<Resolver> create(
    const Schedule & schedule, std::string_view executor_name, const Resolver * sibling = nullptr);
  Resolver(Resolver &&) noexcept;
  Resolver & operator=(Resolver &&) noexcept;
  ~Resolver();

  /// Faults: two rules that tie (both lines are named), a priority that a following pool of its
  /// threads cannot take. May be asked again for the same id. `isolated`: its group has threads of its own, so the default
  /// threads have nothing to do with it.
  takt_rt::Result<ResolvedCallback> resolve(
    std::string_view id, takt_core::Kind kind, bool isolated = false);

  /// Fault: two rules tie.
  takt_rt::Result<ResolvedGroup> resolve_group(std::string_view group_id);

  /// One sentence with position for each pattern that has matched nothing so far.
  takt_rt::Faults unmatched_rules(
    const Awaited & awaited = {}, std::size_t * left_out = nullptr) const;
  /// The same for each id of a chain that has not been asked about although it must be here: the
  /// schedule has no other executor, callbacks of its node are here, or only this executor has a
  /// rule that names its node in full. Where other ids are nobody can tell from here.
  takt_rt::Faults unmatched_chain_ids(
    const Awaited & awaited = {}, std::size_t * left_out = nullptr) const;
  /// Ids that no rule has matched so far: they got the default threads.
  const std::vector<std::string> & defaulted_callbacks() const;

  /// `with_chains`: false where whoever asks judges the ids of chains better. What `awaited` says yes to is no fault
  /// and no warning yet.
  ResolverReport report(bool with_chains = true, const Awaited & awaited = {}) const;

  const ExecutorSchedule & executor() const;

private:
  struct Impl;
  explicit Resolver(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__RESOLVER_HPP_
