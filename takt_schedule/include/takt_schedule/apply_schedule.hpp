// Gives an executor that may spin what a schedule says of it.
#ifndef TAKT_SCHEDULE__APPLY_SCHEDULE_HPP_
#define TAKT_SCHEDULE__APPLY_SCHEDULE_HPP_

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "takt_core/executor.hpp"
#include "takt_schedule/applied_part.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule
{

/// A callback for which a schedule has no rule.
struct UnruledCallback
{
  const takt_core::Callback & callback;
  takt_core::Binding by_schedule;  ///< the default threads
  takt_core::Binding has;
  std::optional<takt_core::ThreadMask>
    of_group;             ///< the threads of a rule for another callback of its group
  bool isolated = false;  ///< its group is; then threads do not count
};

/// Where an adapter puts such a callback, as it does at a start; empty: where the schedule says.
using PlaceUnruled = std::function<takt_core::Binding(const UnruledCallback &)>;

/// Chains, the bindings, priorities, deadlines and boosts of all callbacks, and the attributes of all threads become those of
/// the schedule's executor `executor_name`; all or nothing, and judged by the whole, as Executor::reconfigure.
/// Faults: a file that names other threads or another order than the executor has, which only a start can give it; what
/// the executor refuses; under missing_rights: fail what the kernel refuses. Then nothing has changed.
/// Watch rules are not the executor's: see watch_parts.hpp.
/// Set-up only; any thread; may block as the executor's setter does.
takt_rt::Result<std::vector<AppliedPart>> apply_schedule(
  const Schedule & schedule, std::string_view executor_name, takt_core::Executor & executor,
  const PlaceUnruled & place = {});

/// The same answer, as far as it can be known without doing it; changes nothing.
takt_rt::Result<std::vector<AppliedPart>> check_schedule(
  const Schedule & schedule, std::string_view executor_name, takt_core::Executor & executor,
  const PlaceUnruled & place = {});

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__APPLY_SCHEDULE_HPP_
