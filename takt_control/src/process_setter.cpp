#include "takt_control/process_setter.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "takt_control/configurator_client.hpp"

namespace takt_control
{

std::shared_ptr<takt_rt::AttributeSetter> process_setter()
{
  // Never destroyed: threads may start while the program ends.
  static const auto & setter = *new auto([]() -> std::shared_ptr<takt_rt::AttributeSetter> {
    const char * const named = std::getenv("TAKT_CONFIGURATOR");
    const std::string_view path = named == nullptr ? "" : named;
    if (path == "none" || (path.empty() && ::access(kConfiguratorSocket, F_OK) != 0)) {
      return nullptr;
    }
    return std::make_shared<ConfiguratorClient>(
      std::string(path), std::chrono::seconds(5), !path.empty());
  }());
  return setter;
}

}  // namespace takt_control
