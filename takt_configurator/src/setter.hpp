// Sets the attributes of one verified thread. If the id belonged to another thread, restores the
// attributes of that thread.
//
// One thread at a time. Allocates; may block (reads /proc).
#ifndef TAKT_CONFIGURATOR__SRC__SETTER_HPP_
#define TAKT_CONFIGURATOR__SRC__SETTER_HPP_

#include "kernel.hpp"
#include "peer.hpp"
#include "process_table.hpp"
#include "refuse.hpp"
#include "target.hpp"

namespace takt_configurator
{

struct SetResult
{
  takt_rt::ThreadAttributes granted{};  ///< the thread's present attributes; `inherit` if it has
                                        ///< ended
  Refusals refusals{};
};

/// Checks the thread, sets it, and checks it again. The kernel sets a thread only by its id. So if
/// another thread got the id between check and call, the second check shows it. Then the other
/// thread gets its attributes back, and the request is refused.
SetResult set_thread(
  const Peer & peer, const Target & target, const takt_rt::ThreadAttributes & asked,
  const ProcessTable & table, Kernel & kernel);

}  // namespace takt_configurator

#endif  // TAKT_CONFIGURATOR__SRC__SETTER_HPP_
