// Sets the attributes of one verified thread, and takes them back if the thread was another one after all.
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
  takt_rt::ThreadAttributes granted{};  ///< that the thread has now; `inherit` if it has ended
  Refusals refusals{};
};

/// Looks at the thread, sets it, and looks again. No call sets a thread by anything but its id; so an id that
/// was given to another thread between look and call shows in the second look. That other thread then gets back what
/// it had, and the request is refused.
SetResult set_thread(
  const Peer & peer, const Target & target, const takt_rt::ThreadAttributes & asked,
  const ProcessTable & table, Kernel & kernel);

}  // namespace takt_configurator

#endif  // TAKT_CONFIGURATOR__SRC__SETTER_HPP_
