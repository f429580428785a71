// Finds the callbacks that a schedule lets run side by side and that ran one at a time before.
//
// Two callbacks run one at a time if they are in one mutually exclusive group, or if the schedule
// gives both of them one and the same thread only. Set-up only: allocates, does not block.
#ifndef TAKT_SCHEDULE__SRC__SIDE_BY_SIDE_HPP_
#define TAKT_SCHEDULE__SRC__SIDE_BY_SIDE_HPP_

#include <cstddef>
#include <string>
#include <vector>

#include "takt_rt/result.hpp"
#include "takt_schedule/check.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule
{

/// Which callbacks the program's own executor runs one at a time.
enum class Before
{
  one_at_a_time,  ///< a single-threaded executor: all
  in_groups,      ///< a pool of threads: those of a mutually exclusive group
  /// An events executor whose timers have a thread of their own: the timers, and the others.
  timers_apart
};

/// The client library of a program, which has rules of its own under a schedule.
enum class ClientLibrary
{
  /// `takt exec` runs the program. Without `parallel: true` an executor that runs one callback at a
  /// time keeps to that. A callback without a rule runs where the other callbacks of its exclusive
  /// group run.
  rclcpp,
  takt_rcl,  ///< neither
  unknown    ///< the audit lists pairs of either case
};

/// An executor of a program, before the schedule.
struct AuditedExecutor
{
  std::string name;  ///< of its first node, or of the schedule's executor
  std::vector<ListedCallback> callbacks;
  Before before = Before::one_at_a_time;
  /// A program of rclcpp: its executor is a pool, perhaps of one thread. takt does not keep a pool
  /// to one callback at a time.
  bool is_pool = false;
  ClientLibrary library = ClientLibrary::unknown;
  /// Callbacks that the client library made for itself. Rules may match them; they are in no pair.
  std::vector<ListedCallback> background{};
};

/// Two callbacks of `AuditedExecutor::callbacks` by their places there. Equal places: a callback of
/// a reentrant group beside itself.
struct SideBySide
{
  std::size_t first = 0;
  std::size_t second = 0;
};

/// The rules of one executor of a schedule that matched no callback.
struct UnmatchedRules
{
  std::string file;
  std::string executor;
  takt_rt::Faults rules;  ///< one sentence each
};

/// The result of `side_by_side` for one executor.
struct Audit
{
  std::string executor;  ///< of the schedule; empty: the schedule has none for these callbacks
  std::vector<SideBySide> pairs;  ///< in the order of the callbacks
  /// For each callback its threads under the schedule, in the schedule's words. Threads of an
  /// isolated group are "own", or "own.0" and so on.
  std::vector<std::vector<std::string>> threads;
  /// Number of pairs of two callbacks that run one at a time before and under the schedule.
  std::size_t kept = 0;
  std::size_t already = 0;  ///< number of pairs of two callbacks that ran side by side before
  takt_rt::Faults notes;    ///< one sentence each: why a schedule changes nothing
  /// One entry for each executor of a schedule whose rules were applied. A rule may match callbacks
  /// of another executor of the program: see `keep_unmatched_by_all`.
  std::vector<UnmatchedRules> unmatched;
};

/// The pairs of callbacks of `executor` that may run side by side under `schedule` and could not
/// before. `earlier`: the schedule that was in force before; null: none, so `executor.before`
/// counts alone. `name`: the executor of both schedules, as far as they have it; empty: the one
/// that `choose_executor` takes.
///
/// Where the client library is unknown, a pair is listed if it may run side by side in a program of
/// either library, and ran side by side before only if it did so in both.
///
/// Faults: those of `check`, and an unknown executor.
takt_rt::Result<Audit> side_by_side(
  const AuditedExecutor & executor, const Schedule & schedule, const Schedule * earlier = nullptr,
  const std::string & name = {});

/// For the audits of all executors of a program: removes the rules that matched in another one of
/// them, and repetitions.
void keep_unmatched_by_all(std::vector<Audit> & audits);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__SRC__SIDE_BY_SIDE_HPP_
