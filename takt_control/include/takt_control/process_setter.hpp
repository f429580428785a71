// The attribute setter that the executors of this process share.
#ifndef TAKT_CONTROL__PROCESS_SETTER_HPP_
#define TAKT_CONTROL__PROCESS_SETTER_HPP_

#include <memory>

#include "takt_rt/attribute_setter.hpp"

namespace takt_control
{

/// One setter for the process: it uses the process's own rights first, and asks the configurator
/// daemon for the rest. Null if there is no daemon to ask: TAKT_CONFIGURATOR is not set, and
/// kConfiguratorSocket does not exist.
///
/// If TAKT_CONFIGURATOR names a socket, a question waits for its daemon up to the client's timeout,
/// so the daemon may start after this process. TAKT_CONFIGURATOR=none: asks no daemon. Set-up only;
/// any thread.
std::shared_ptr<takt_rt::AttributeSetter> process_setter();

}  // namespace takt_control

#endif  // TAKT_CONTROL__PROCESS_SETTER_HPP_
