// The type of a message by its name at run time.
#ifndef TAKT_RCL__MESSAGE_TYPE_HPP_
#define TAKT_RCL__MESSAGE_TYPE_HPP_

#include <rosidl_runtime_c/message_type_support_struct.h>

#include <string>

namespace takt_rcl
{

/// The type support for `name`, such as "std_msgs/msg/Int32" or "std_msgs/Int32". Loads the library
/// of the package, which the resource index (AMENT_PREFIX_PATH) must have; the library stays loaded
/// until the process ends. Any thread. Set-up only: allocates and reads files. Throws `Error` if
/// the name is not that of a message, or if the package or the message does not exist.
const rosidl_message_type_support_t & message_type_support(const std::string & name);

}  // namespace takt_rcl

#endif  // TAKT_RCL__MESSAGE_TYPE_HPP_
