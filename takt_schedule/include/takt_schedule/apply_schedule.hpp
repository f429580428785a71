// Applies a schedule to an executor, also while it spins.
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
  bool isolated = false;  ///< its group is isolated; then threads are ignored
};

/// An adapter's placement of such a callback, as at a start; empty: the schedule's default.
using PlaceUnruled = std::function<takt_core::Binding(const UnruledCallback &)>;

/// Gives chains, all callbacks' bindings, priorities, deadlines and boosts, and all threads'
/// attributes the values of the schedule's executor `executor_name`: all or none, judged by the
/// joint result, as Executor::reconfigure. Faults: threads or an order that only a start can give
/// the executor; the executor's refusals; under missing_rights: fail the kernel's refusals. A fault
/// changes nothing. watch_parts.hpp covers watch rules, which executors do not know. Set-up only;
/// any thread; may block as the executor's setter does.
takt_rt::Result<std::vector<AppliedPart>> apply_schedule(
  const Schedule & schedule, std::string_view executor_name, takt_core::Executor & executor,
  const PlaceUnruled & place = {});

/// The result of `apply_schedule` as far as it can be predicted; changes nothing.
takt_rt::Result<std::vector<AppliedPart>> check_schedule(
  const Schedule & schedule, std::string_view executor_name, takt_core::Executor & executor,
  const PlaceUnruled & place = {});

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__APPLY_SCHEDULE_HPP_
