// Values of JSON documents, for any class of JSON values (takt_rt has none).
#ifndef TAKT_RT__JSON_VALUES_HPP_
#define TAKT_RT__JSON_VALUES_HPP_

#include <chrono>
#include <optional>

namespace takt_rt
{

/// The value, or null where there is none: `or_null<nlohmann::json>(value)`. Allocates as `Json`
/// does.
template <typename Json, typename Value>
Json or_null(const std::optional<Value> & value)
{
  return value ? Json(*value) : Json(nullptr);
}

/// The number of units of a duration, or null.
template <typename Json, typename Rep, typename Period>
Json or_null(const std::optional<std::chrono::duration<Rep, Period>> & duration)
{
  return duration ? Json(duration->count()) : Json(nullptr);
}

}  // namespace takt_rt

#endif  // TAKT_RT__JSON_VALUES_HPP_
