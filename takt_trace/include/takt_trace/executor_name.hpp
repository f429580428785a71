// The name of an executor of rclcpp in a schedule: `takt model` writes it, and `takt exec` looks
// it up.
#ifndef TAKT_TRACE__EXECUTOR_NAME_HPP_
#define TAKT_TRACE__EXECUTOR_NAME_HPP_

#include <algorithm>
#include <cctype>
#include <string>

namespace takt_trace
{

/// Made from the fully qualified name of the executor's first node; contains letters, digits, '_',
/// '-' and '/'.
inline std::string executor_name(const std::string & first_node)
{
  std::string name =
    first_node.substr(std::min(first_node.find_first_not_of('/'), first_node.size()));
  std::replace_if(
    name.begin(), name.end(),
    [](unsigned char c) { return std::isalnum(c) == 0 && c != '_' && c != '-' && c != '/'; }, '_');
  return name.empty() ? "main" : name;
}

}  // namespace takt_trace

#endif  // TAKT_TRACE__EXECUTOR_NAME_HPP_
