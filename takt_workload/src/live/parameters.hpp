// Parameters of a demo's node, from commands in JSON. Set-up only.
#ifndef LIVE__PARAMETERS_HPP_
#define LIVE__PARAMETERS_HPP_

#include <nlohmann/json.hpp>
#include <string>

#include "takt_rcl/node.hpp"

namespace takt_workload
{

/// Sets each of `values` as `ros2 param set` would. Returns the reasons of those that the node
/// refuses, else an empty text.
std::string set_parameters(takt_rcl::Node & node, const nlohmann::json & values);

/// A descriptor of a number in a range.
takt_rcl::ParameterDescriptor in_range(const std::string & about, double least, double most);
/// A descriptor without a range.
takt_rcl::ParameterDescriptor described(const std::string & about);

}  // namespace takt_workload

#endif  // LIVE__PARAMETERS_HPP_
