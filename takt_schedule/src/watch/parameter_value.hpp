// The value of a parameter in a schedule, as text that keeps its type.
#ifndef TAKT_SCHEDULE__SRC__PARAMETER_VALUE_HPP_
#define TAKT_SCHEDULE__SRC__PARAMETER_VALUE_HPP_

#include <optional>
#include <string>

#include "takt_schedule/reader/yaml_tree.hpp"

namespace takt_schedule::detail
{

/// A scalar or a list of scalars as YAML in one line: 5 is a number, "5" a text. Empty for other
/// nodes.
std::optional<std::string> parameter_value(const YamlNode & node);

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__PARAMETER_VALUE_HPP_
