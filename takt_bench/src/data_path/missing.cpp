#include "data_path/missing.hpp"

#include <rmw/rmw.h>

#include "data_path/middleware_setting.hpp"
#include "data_path/transport.hpp"
#include "takt_channel/channel.hpp"

namespace takt_bench::data_path
{

std::optional<std::string> missing(const Setting & setting)
{
  if (is_of_rclcpp(setting.variant) && !has_rclcpp()) {
    return std::string(to_string(setting.variant)) +
           ": takt_data_path has no rclcpp; where takt was built with rclcpp, "
           "takt_data_path_rclcpp measures it";
  }
  const bool between = setting.place != Place::one_thread;
  const bool by_channel = setting.variant == Variant::direct || setting.variant == Variant::shared;
  if (by_channel && between && !takt_channel::available()) {
    return std::string(to_string(setting.variant)) +
           ": this build of takt has no channels in shared memory; its output says why";
  }
  const std::string middleware = rmw_get_implementation_identifier();
  if (setting.variant == Variant::shared && middleware.rfind("rmw_fastrtps", 0) != 0) {
    return "shared: takt knows plain types of any size for Fast DDS only, and not for " +
           middleware;
  }
  const bool settings = setting.variant == Variant::udp || setting.variant == Variant::loans;
  if (settings && middleware.rfind("rmw_fastrtps", 0) != 0) {
    return std::string(to_string(setting.variant)) +
           ": takt knows the settings of Fast DDS only, and not those of " + middleware;
  }
  if (setting.variant == Variant::udp && !between && !switches_off_delivery_within_the_process()) {
    return "udp, one thread: takt switches off the delivery within a process with Fast DDS 3 only";
  }
  return std::nullopt;
}

}  // namespace takt_bench::data_path
