// What of an earlier configuration can be given back.
#ifndef TAKT_CONTROL__SRC__STILL_THERE_HPP_
#define TAKT_CONTROL__SRC__STILL_THERE_HPP_

#include "takt_core/executor.hpp"

namespace takt_control
{

/// Without the callbacks and threads that are gone. May block as set-up of an executor does; allocates.
takt_core::Reconfiguration still_there(
  takt_core::Reconfiguration before, const takt_core::Executor & executor);

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__STILL_THERE_HPP_
