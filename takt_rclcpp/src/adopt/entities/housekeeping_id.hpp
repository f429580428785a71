// The id of takt's own callback in an adopted executor; reports omit it.
#ifndef ADOPT__ENTITIES__HOUSEKEEPING_ID_HPP_
#define ADOPT__ENTITIES__HOUSEKEEPING_ID_HPP_

namespace takt_rclcpp
{

inline constexpr const char * kHousekeepingId = "/takt:waitable(housekeeping)";

}  // namespace takt_rclcpp

#endif  // ADOPT__ENTITIES__HOUSEKEEPING_ID_HPP_
