// The service ~/get_type_description, by which tools ask a node for the definitions of its types.
#ifndef MESSAGES__TYPE_DESCRIPTION_SERVICE_HPP_
#define MESSAGES__TYPE_DESCRIPTION_SERVICE_HPP_

#include <rcl/node.h>
#include <rosidl_runtime_c/service_type_support_struct.h>

#include <memory>
#include <mutex>

#include "takt_rcl/request_handler.hpp"

namespace takt_rcl
{

/// The type of the service. Null where the distribution of ROS 2 has no type descriptions.
const rosidl_service_type_support_t * type_description_support() noexcept;

/// Answers for `node`. `mutex`: serialises rcl's changes of the node's table of types. Null as
/// above.
std::unique_ptr<RequestHandler> make_type_description_handler(
  std::shared_ptr<rcl_node_t> node, std::mutex & mutex);

}  // namespace takt_rcl

#endif  // MESSAGES__TYPE_DESCRIPTION_SERVICE_HPP_
