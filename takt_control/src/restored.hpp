// What a reset gives back, by name.
#ifndef TAKT_CONTROL__SRC__RESTORED_HPP_
#define TAKT_CONTROL__SRC__RESTORED_HPP_

#include <vector>

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
  const std::vector<takt_core::AttributeReport> & reports,
  std::vector<takt_schedule::AppliedPart> & parts);

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__RESTORED_HPP_
