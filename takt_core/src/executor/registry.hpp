// The executors of this process; private to the executor's sources.
#ifndef TAKT_CORE__SRC__REGISTRY_HPP_
#define TAKT_CORE__SRC__REGISTRY_HPP_

#include "takt_core/executor.hpp"

namespace takt_core::detail
{

void register_executor(Executor & executor);
/// Waits for a `for_each_executor` in progress.
void unregister_executor(Executor & executor);

}  // namespace takt_core::detail

#endif  // TAKT_CORE__SRC__REGISTRY_HPP_
