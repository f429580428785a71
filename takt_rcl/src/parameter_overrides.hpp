// Parameter values from ROS arguments: `-p name:=value` and `--params-file`. Set-up only.
#ifndef PARAMETER_OVERRIDES_HPP_
#define PARAMETER_OVERRIDES_HPP_

#include <rcl/arguments.h>

#include <string>
#include <string_view>

#include "takt_rcl/parameter.hpp"

namespace takt_rcl
{

/// Adds to `overrides` what `arguments` say for the node; later entries beat earlier ones. Throws
/// `Error`.
void read_overrides(
  const rcl_arguments_t & arguments, const std::string & node_name, ParameterMap & overrides);

/// Whether a node's fully qualified name is meant by a name in a parameter file, where `*` stands
/// for one part and `**` for any number of them.
bool names_node(std::string_view pattern, std::string_view node_name);

}  // namespace takt_rcl

#endif  // PARAMETER_OVERRIDES_HPP_
