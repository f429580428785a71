// Through whom the executors of this process get the attributes of their threads.
#ifndef TAKT_CONTROL__PROCESS_SETTER_HPP_
#define TAKT_CONTROL__PROCESS_SETTER_HPP_

#include <memory>

#include "takt_rt/attribute_setter.hpp"

namespace takt_control
{

/// One for the process: by its own rights first, and by the configurator daemon what these do not allow. Null where no
/// daemon is to be asked: TAKT_CONFIGURATOR is not set, and nothing is at kConfiguratorSocket.
///
/// Where TAKT_CONFIGURATOR names a socket, a daemon is expected there, and a question waits for it up to the client's
/// timeout: the daemon may be started after this process. TAKT_CONFIGURATOR=none: no daemon is asked. Any thread;
/// set-up only.
std::shared_ptr<takt_rt::AttributeSetter> process_setter();

}  // namespace takt_control

#endif  // TAKT_CONTROL__PROCESS_SETTER_HPP_
