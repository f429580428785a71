// The parts that the answers to `apply` and `reset` list.
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

/// The chains, callbacks and threads of `executor` that differ from `before`; one unchanged part if
/// none does. May block as set-up of an executor does.
std::vector<takt_schedule::AppliedPart> restored_parts(
  const takt_core::Reconfiguration & before, takt_core::Executor & executor);

/// Adds the kernel's refusals to `parts`; `reports` are in the order of the threads of `before`.
void add_refusals_of(
  const std::vector<takt_rt::AttributeReport> & reports,
  std::vector<takt_schedule::AppliedPart> & parts);

/// `before` without the callbacks and threads that have ended. May block as set-up of an executor
/// does; allocates.
takt_core::Reconfiguration still_there(
  takt_core::Reconfiguration before, const takt_core::Executor & executor);

/// A list of {"name", "parts"}.
nlohmann::json parts_json(const PartsByExecutor & executors);

/// `parts` come from `executors` executors with one name. Keeps one part for a rule that matched in
/// none of them, and removes the unmatched parts of the other rules.
void keep_unmatched_by_all(std::vector<takt_schedule::AppliedPart> & parts, std::size_t executors);

/// Adds `parts`, which may come from another executor with the same name, to `all`.
void append(
  std::vector<takt_schedule::AppliedPart> & all, std::vector<takt_schedule::AppliedPart> parts);

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__RESTORED_HPP_
