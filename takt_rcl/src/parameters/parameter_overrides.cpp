#include "parameters/parameter_overrides.hpp"

#include <rcl_yaml_param_parser/parser.h>

#include <memory>

namespace takt_rcl
{

namespace
{

template <typename Array, typename Element>
std::vector<Element> to_vector(const Array & array)
{
  return std::vector<Element>(array.values, array.values + array.size);
}

bool to_value(const rcl_variant_t & variant, ParameterValue & value)
{
  if (variant.bool_value != nullptr) {
    value = *variant.bool_value;
  } else if (variant.integer_value != nullptr) {
    value = *variant.integer_value;
  } else if (variant.double_value != nullptr) {
    value = *variant.double_value;
  } else if (variant.string_value != nullptr) {
    value = std::string(variant.string_value);
  } else if (variant.byte_array_value != nullptr) {
    value = to_vector<rcl_byte_array_t, std::uint8_t>(*variant.byte_array_value);
  } else if (variant.bool_array_value != nullptr) {
    value = to_vector<rcl_bool_array_t, bool>(*variant.bool_array_value);
  } else if (variant.integer_array_value != nullptr) {
    value = to_vector<rcl_int64_array_t, std::int64_t>(*variant.integer_array_value);
  } else if (variant.double_array_value != nullptr) {
    value = to_vector<rcl_double_array_t, double>(*variant.double_array_value);
  } else if (variant.string_array_value != nullptr) {
    const rcutils_string_array_t & array = *variant.string_array_value;
    value = std::vector<std::string>(array.data, array.data + array.size);
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool names_node(std::string_view pattern, std::string_view node_name)
{
  // A name without a leading slash is that of a node in the root namespace.
  while (!pattern.empty() && pattern.front() == '/') {
    pattern.remove_prefix(1);
  }
  while (!node_name.empty() && node_name.front() == '/') {
    node_name.remove_prefix(1);
  }
  if (pattern.empty()) {
    return node_name.empty();
  }
  const std::size_t end = pattern.find('/');
  const std::string_view part = pattern.substr(0, end);
  const std::string_view rest = end == std::string_view::npos ? "" : pattern.substr(end);
  const std::size_t next = node_name.find('/');
  const std::string_view node_rest = next == std::string_view::npos ? "" : node_name.substr(next);
  if (part == "**") {
    return names_node(rest, node_name) || (!node_name.empty() && names_node(pattern, node_rest));
  }
  return !node_name.empty() && (part == "*" || part == node_name.substr(0, next)) &&
         names_node(rest, node_rest);
}

void read_overrides(
  const rcl_arguments_t & arguments, const std::string & node_name, ParameterMap & overrides)
{
  rcl_params_t * given = nullptr;
  if (
    arguments.impl != nullptr &&
    rcl_arguments_get_param_overrides(&arguments, &given) != RCL_RET_OK) {
    detail::throw_rcl("cannot read parameters");
  }
  if (given == nullptr) {
    return;
  }
  const std::unique_ptr<rcl_params_t, void (*)(rcl_params_t *)> owned(
    given, &rcl_yaml_node_struct_fini);
  for (std::size_t n = 0; n < given->num_nodes; ++n) {
    if (!names_node(given->node_names[n], node_name)) {
      continue;
    }
    const rcl_node_params_t & node = given->params[n];
    for (std::size_t p = 0; p < node.num_params; ++p) {
      ParameterValue value;
      if (to_value(node.parameter_values[p], value)) {
        overrides.insert_or_assign(node.parameter_names[p], std::move(value));
      }
    }
  }
}

}  // namespace takt_rcl
