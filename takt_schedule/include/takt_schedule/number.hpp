// Numbers as people write them in files and on command lines. Set-up only: does not block.
#ifndef TAKT_SCHEDULE__NUMBER_HPP_
#define TAKT_SCHEDULE__NUMBER_HPP_

#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace takt_schedule
{

/// The number that `text` is from its first to its last character, in the digits 0 to 9; nothing if it is
/// none, or not from `least` to `most`. Spaces, a plus sign, digits of other scripts and nan are none.
template <typename Number>
std::optional<Number> parse_number(std::string_view text, Number least, Number most)
{
  Number value{};
  const char * const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  // In this form nan is refused, too.
  if (error != std::errc{} || stop != end || !(value >= least && value <= most)) {
    return std::nullopt;
  }
  return value;
}

/// What `parse_number` expects, for faults: "a whole number from 1 to 64".
template <typename Number>
std::string expected_number(Number least, Number most)
{
  const auto shown = [](Number number) {
    char text[32];
    return std::string(text, std::to_chars(text, text + sizeof text, number).ptr);
  };
  return (std::integral<Number> ? "a whole number from " : "a number from ") + shown(least) +
         " to " + shown(most);
}

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__NUMBER_HPP_
