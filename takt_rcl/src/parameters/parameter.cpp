#include "takt_rcl/parameter.hpp"

#include <array>

namespace takt_rcl::detail
{

const char * type_name(const ParameterValue & value) noexcept
{
  static constexpr std::array<const char *, std::variant_size_v<ParameterValue>> kNames{
    "bool",       "integer",       "double",       "string",      "byte array",
    "bool array", "integer array", "double array", "string array"};
  return kNames[value.index()];
}

}  // namespace takt_rcl::detail
