// Typed fields of a JSON object from another process, as requests of the control socket are. A
// mismatch throws BadField, and fields that the reader does not ask for are ignored: the other
// process may be newer.
//
// Allocates, does not block.
#ifndef TAKT_CONTROL__JSON_FIELDS_HPP_
#define TAKT_CONTROL__JSON_FIELDS_HPP_

#include <concepts>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace takt_control
{

struct BadField
{
  std::string what;
};

/// The object of a request. An empty payload is an empty object.
inline nlohmann::json request_object(const std::string & payload)
{
  nlohmann::json object =
    payload.empty() ? nlohmann::json::object() : nlohmann::json::parse(payload, nullptr, false);
  if (!object.is_object()) {
    throw BadField{"it is not a JSON object"};
  }
  return object;
}

/// Throws for a number that does not fit; nlohmann's own conversions would truncate it.
template <std::integral Number>
Number number_of(const nlohmann::json & value, const char * key)
{
  const bool fits = value.is_number_unsigned() ? std::in_range<Number>(value.get<std::uint64_t>())
                                               : value.is_number_integer() &&
                                                   std::in_range<Number>(value.get<std::int64_t>());
  if (!fits) {
    throw BadField{std::string("'") + key + "' must be a whole number that fits"};
  }
  return value.is_number_unsigned() ? static_cast<Number>(value.get<std::uint64_t>())
                                    : static_cast<Number>(value.get<std::int64_t>());
}

/// Nothing if the field is absent or null.
template <std::integral Number>
std::optional<Number> optional_number(const nlohmann::json & object, const char * key)
{
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) {
    return std::nullopt;
  }
  return number_of<Number>(*found, key);
}

template <std::integral Number>
Number required_number(const nlohmann::json & object, const char * key)
{
  const auto value = optional_number<Number>(object, key);
  if (!value) {
    throw BadField{std::string("'") + key + "' is missing"};
  }
  return *value;
}

/// Empty if the field is absent.
inline std::string text_of(const nlohmann::json & object, const char * key)
{
  const auto found = object.find(key);
  if (found == object.end()) {
    return {};
  }
  if (!found->is_string()) {
    throw BadField{std::string("'") + key + "' must be a text"};
  }
  return found->get<std::string>();
}

inline std::string required_text(const nlohmann::json & object, const char * key)
{
  if (!object.contains(key)) {
    throw BadField{std::string("'") + key + "' is missing"};
  }
  return text_of(object, key);
}

/// False if the field is absent.
inline bool flag_of(const nlohmann::json & object, const char * key)
{
  const auto found = object.find(key);
  if (found == object.end()) {
    return false;
  }
  if (!found->is_boolean()) {
    throw BadField{std::string("'") + key + "' must be true or false"};
  }
  return found->get<bool>();
}

/// Empty if the field is absent. At most `most` numbers.
inline std::vector<int> numbers_of(
  const nlohmann::json & object, const char * key, std::size_t most)
{
  std::vector<int> numbers;
  const auto found = object.find(key);
  if (found == object.end()) {
    return numbers;
  }
  if (!found->is_array() || found->size() > most) {
    throw BadField{std::string("'") + key + "' must be a list of at most " + std::to_string(most)};
  }
  for (const nlohmann::json & value : *found) {
    numbers.push_back(number_of<int>(value, key));
  }
  return numbers;
}

}  // namespace takt_control

#endif  // TAKT_CONTROL__JSON_FIELDS_HPP_
