// Numbers as text in files and on command lines. Set-up only: does not block.
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

/// The number that all of `text` spells, in the digits 0 to 9. Empty if it is not a number from
/// `least` to `most`, or has spaces, a plus sign, digits of other scripts or nan.
template <typename Number>
std::optional<Number> parse_number(std::string_view text, Number least, Number most)
{
  Number value{};
  const char * const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  // In this form nan is refused too.
  if (error != std::errc{} || stop != end || !(value >= least && value <= most)) {
    return std::nullopt;
  }
  return value;
}

/// The shortest text that reads back as the same number.
template <typename Number>
std::string print_number(Number number)
{
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, number).ptr);
}

/// What `parse_number` expects, for faults: "a whole number from 1 to 64".
template <typename Number>
std::string expected_number(Number least, Number most)
{
  return (std::integral<Number> ? "a whole number from " : "a number from ") + print_number(least) +
         " to " + print_number(most);
}

/// The same for a range without `least`: "a number above 0, at most 1".
inline std::string above_number(double least, double most)
{
  return "a number above " + print_number(least) + ", at most " + print_number(most);
}

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__NUMBER_HPP_
