#include "takt_control/process_setter.hpp"

#include <unistd.h>

#include <string>

#include "takt_control/configurator_client.hpp"
#include "takt_rt/environment.hpp"

namespace takt_control
{

std::shared_ptr<takt_rt::AttributeSetter> process_setter()
{
  // Never destroyed: threads may start while the program ends.
  static const auto & setter = *new auto([]() -> std::shared_ptr<takt_rt::AttributeSetter> {
    const std::string path = takt_rt::variable("TAKT_CONFIGURATOR");
    if (path == "none" || (path.empty() && ::access(kConfiguratorSocket, F_OK) != 0)) {
      return nullptr;
    }
    return std::make_shared<ConfiguratorClient>(path, std::chrono::seconds(5), !path.empty());
  }());
  return setter;
}

}  // namespace takt_control
