#include "live/parameters.hpp"

namespace takt_workload
{

namespace
{

std::string set_one(takt_rcl::Node & node, const std::string & name, const nlohmann::json & value)
{
  if (!node.has_parameter(name)) {
    return node.get_name() + std::string(" has no parameter '") + name + "'";
  }
  takt_rcl::SetParametersResult result;
  if (value.is_boolean()) {
    result = node.set_parameter({name, value.get<bool>()});
  } else if (value.is_number()) {
    result = node.set_parameter({name, value.get<double>()});
  } else if (value.is_string()) {
    result = node.set_parameter({name, value.get<std::string>()});
  } else {
    return "the value of '" + name + "' is neither a number, a text, true nor false";
  }
  return result.successful ? std::string() : result.reason;
}

}  // namespace

std::string set_parameters(takt_rcl::Node & node, const nlohmann::json & values)
{
  std::string refused;
  for (const auto & [name, value] : values.items()) {
    const std::string why = set_one(node, name, value);
    refused += (refused.empty() || why.empty() ? "" : "; ") + why;
  }
  return refused;
}

takt_rcl::ParameterDescriptor described(const std::string & about)
{
  takt_rcl::ParameterDescriptor descriptor;
  descriptor.description = about;
  return descriptor;
}

takt_rcl::ParameterDescriptor in_range(const std::string & about, double least, double most)
{
  takt_rcl::ParameterDescriptor descriptor = described(about);
  descriptor.floating_point_range.resize(1);
  descriptor.floating_point_range[0].from_value = least;
  descriptor.floating_point_range[0].to_value = most;
  return descriptor;
}

}  // namespace takt_workload
