// Names and values of parameters: from ROS arguments, parameter files, the program or the parameter
// services. Set-up only.
#ifndef TAKT_RCL__PARAMETER_HPP_
#define TAKT_RCL__PARAMETER_HPP_

#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "takt_rcl/error.hpp"

namespace takt_rcl
{

using ParameterValue = std::variant<
  bool, std::int64_t, double, std::string, std::vector<std::uint8_t>, std::vector<bool>,
  std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>>;

using ParameterMap = std::map<std::string, ParameterValue>;

namespace detail
{

/// The stored type for a C++ type T: int64 for every integer, and so on.
template <typename T>
auto to_parameter_value(T && value)
{
  using U = std::decay_t<T>;
  if constexpr (std::is_same_v<U, bool>) {
    return value;
  } else if constexpr (std::is_integral_v<U>) {
    return static_cast<std::int64_t>(value);
  } else if constexpr (std::is_floating_point_v<U>) {
    return static_cast<double>(value);
  } else if constexpr (std::is_convertible_v<U, std::string>) {
    return std::string(std::forward<T>(value));
  } else {
    return std::forward<T>(value);
  }
}

template <typename T>
using KeptAs = decltype(to_parameter_value(std::declval<T>()));

const char * type_name(const ParameterValue & value) noexcept;

/// The value as a T; an integer also serves as a double. Throws `Error`, which begins with `what`,
/// as in "parameter 'x'".
template <typename T>
T parameter_as(const std::string & what, const ParameterValue & value)
{
  using Kept = KeptAs<T>;
  if (const auto * const kept = std::get_if<Kept>(&value)) {
    return static_cast<T>(*kept);
  }
  if constexpr (std::is_same_v<Kept, double>) {
    if (const auto * const integer = std::get_if<std::int64_t>(&value)) {
      return static_cast<T>(*integer);
    }
  }
  throw Error(
    what + " is of type " + type_name(value) + ", but " + type_name(ParameterValue(Kept{})) +
    " is needed");
}

}  // namespace detail

/// A name and a value of any storable type. In a change of parameters it may have no value: then
/// the parameter is to end.
class Parameter
{
public:
  /// Without a value.
  explicit Parameter(std::string name) : name_(std::move(name)), is_set_(false) {}
  template <typename T>
  Parameter(std::string name, T && value)
  : name_(std::move(name)),
    value_(detail::to_parameter_value(std::forward<T>(value)))
  {
  }

  const std::string & get_name() const noexcept { return name_; }
  /// Whether the parameter has a value.
  bool is_set() const noexcept { return is_set_; }
  /// False without a value.
  const ParameterValue & get_parameter_value() const noexcept { return value_; }
  /// "integer", "string array", ..., or "not set".
  std::string get_type_name() const { return is_set_ ? detail::type_name(value_) : "not set"; }

  /// Throws `Error` if the value is of another type, or not there; an integer also serves as a
  /// double.
  template <typename T>
  T get_value() const
  {
    if (!is_set_) {
      throw Error("parameter '" + name_ + "' is not set");
    }
    return detail::parameter_as<T>("parameter '" + name_ + "'", value_);
  }
  bool as_bool() const { return get_value<bool>(); }
  std::int64_t as_int() const { return get_value<std::int64_t>(); }
  double as_double() const { return get_value<double>(); }
  std::string as_string() const { return get_value<std::string>(); }
  std::vector<std::uint8_t> as_byte_array() const { return get_value<std::vector<std::uint8_t>>(); }
  std::vector<bool> as_bool_array() const { return get_value<std::vector<bool>>(); }
  std::vector<std::int64_t> as_integer_array() const
  {
    return get_value<std::vector<std::int64_t>>();
  }
  std::vector<double> as_double_array() const { return get_value<std::vector<double>>(); }
  std::vector<std::string> as_string_array() const { return get_value<std::vector<std::string>>(); }

private:
  std::string name_;
  ParameterValue value_;
  bool is_set_ = true;
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__PARAMETER_HPP_
