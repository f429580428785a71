// Parameter values from ROS arguments: `-p name:=value` and `--params-file`. Set-up only.
#ifndef PARAMETERS__PARAMETER_OVERRIDES_HPP_
#define PARAMETERS__PARAMETER_OVERRIDES_HPP_

#include <rcl/arguments.h>

#include <string>
#include <string_view>

#include "takt_rcl/parameter.hpp"

namespace takt_rcl
{

/// Adds the values in `arguments` for the node to `overrides`; later entries win. Throws `Error`.
void read_overrides(
  const rcl_arguments_t & arguments, const std::string & node_name, ParameterMap & overrides);

/// Whether a name in a parameter file matches a node's fully qualified name. `*` stands for one
/// part and `**` for any number of parts.
bool names_node(std::string_view pattern, std::string_view node_name);

}  // namespace takt_rcl

#endif  // PARAMETERS__PARAMETER_OVERRIDES_HPP_
