// The type of a message or of a service by its name at run time.
#ifndef TAKT_RCL__MESSAGE_TYPE_HPP_
#define TAKT_RCL__MESSAGE_TYPE_HPP_

#include <rosidl_runtime_c/message_type_support_struct.h>
#include <rosidl_runtime_c/service_type_support_struct.h>

#include <string>

namespace takt_rcl
{

/// The type support for `name`, such as "std_msgs/msg/Int32" or "std_msgs/Int32". Loads the library
/// of the package, which the resource index (AMENT_PREFIX_PATH) must have; the library stays loaded
/// until the process ends. Any thread. Set-up only: allocates and reads files. Throws `Error` if
/// the name is not that of a message, or if the package or the message does not exist.
const rosidl_message_type_support_t & message_type_support(const std::string & name);

/// As above for a service, such as "std_srvs/srv/SetBool" or "std_srvs/SetBool".
const rosidl_service_type_support_t & service_type_support(const std::string & name);

/// The name of a service's type in full: "std_srvs/srv/SetBool". The types of its messages have
/// `_Request` and `_Response` behind it. Allocates. Throws `Error` if it is no such name.
std::string service_type_name(const std::string & name);

}  // namespace takt_rcl

#endif  // TAKT_RCL__MESSAGE_TYPE_HPP_
