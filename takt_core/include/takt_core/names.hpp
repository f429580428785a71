// The words for the core's enumerations in files and output. One table for each enumeration serves
// to print a value (`to_string`, declared beside the enumeration), to read it, and to list the
// allowed words.
//
// Any thread; neither allocates nor blocks.
#ifndef TAKT_CORE__NAMES_HPP_
#define TAKT_CORE__NAMES_HPP_

#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "takt_core/executor.hpp"

namespace takt_core
{

using takt_rt::Policy;

template <typename Enum>
using Name = std::pair<Enum, std::string_view>;

/// Every value with a word, in the order for lists. One specialisation for each of the types below.
template <typename Enum>
std::span<const Name<Enum>> names() noexcept = delete;

template <>
std::span<const Name<Order>> names<Order>() noexcept;
template <>
std::span<const Name<WindowTimers>> names<WindowTimers>() noexcept;
template <>
std::span<const Name<ExceptionPolicy>> names<ExceptionPolicy>() noexcept;
template <>
std::span<const Name<MissingRights>> names<MissingRights>() noexcept;
/// `fixed` has no word: files give its priority.
template <>
std::span<const Name<MiddlewareCeiling::Mode>> names<MiddlewareCeiling::Mode>() noexcept;
template <>
std::span<const Name<Policy>> names<Policy>() noexcept;
template <>
std::span<const Name<MissedPeriods>> names<MissedPeriods>() noexcept;
/// `tai` has no word: files give a map.
template <>
std::span<const Name<Epoch>> names<Epoch>() noexcept;
template <>
std::span<const Name<Kind>> names<Kind>() noexcept;

/// The value whose word is `text`; absent: none.
template <typename Enum>
std::optional<Enum> from_string(std::string_view text) noexcept
{
  for (const auto & [value, name] : names<Enum>()) {
    if (name == text) {
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace takt_core

#endif  // TAKT_CORE__NAMES_HPP_
