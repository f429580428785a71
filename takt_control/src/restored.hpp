// What a reset gives back, and the parts that the answers to `apply` and `reset` tell of.
#ifndef TAKT_CONTROL__SRC__RESTORED_HPP_
#define TAKT_CONTROL__SRC__RESTORED_HPP_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include "registered_threads.hpp"
#include "takt_core/executor.hpp"
#include "takt_schedule/applied_part.hpp"

namespace takt_control
{

/// The chains, callbacks and threads of `executor` that are not as in `before`; one unchanged part if all are. May
/// block as set-up of an executor does.
std::vector<takt_schedule::AppliedPart> restored_parts(
  const takt_core::Reconfiguration & before, takt_core::Executor & executor);

/// With what the kernel refused of it; `reports` are of the threads of `before`, in their order.
void add_refusals_of(
  const std::vector<takt_rt::AttributeReport> & reports,
  std::vector<takt_schedule::AppliedPart> & parts);

/// Without the callbacks and threads that are gone. May block as set-up of an executor does; allocates.
takt_core::Reconfiguration still_there(
  takt_core::Reconfiguration before, const takt_core::Executor & executor);

/// A list of {"name", "parts"}.
nlohmann::json parts_json(const PartsByExecutor & executors);

/// Of `executors` with one name: a rule matches nothing if it matches nothing in any of them, which is told once.
void keep_unmatched_by_all(std::vector<takt_schedule::AppliedPart> & parts, std::size_t executors);

/// Several executors of a process may have one name in the schedule.
void append(
  std::vector<takt_schedule::AppliedPart> & all, std::vector<takt_schedule::AppliedPart> parts);

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__RESTORED_HPP_
