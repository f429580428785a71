#include "takt_rt/readable.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>

#include "takt_rt/duration_text.hpp"

namespace takt_rt
{
namespace
{

// Units for people.
constexpr std::array<std::pair<const char *, double>, 3> kReadable{{
  {" s", 1e9},
  {" ms", 1e6},
  {" µs", 1e3},
}};
constexpr int kDigits = 3;
constexpr int kMostDecimals = 6;
// A number of three digits from here on becomes 1.00 of the next unit.
constexpr double kRoundsUp = 0.9995;

// With so many decimals. Not by printf, which writes the decimal point of the process's locale.
std::string written(double value, std::chars_format format, int decimals)
{
  char text[512];  // the largest number has 309 digits
  const auto end = std::to_chars(text, text + sizeof text, value, format, decimals);
  return {text, end.ptr};
}

// The power of ten of a number that is rounded to three digits.
int exponent_of(double value)
{
  const std::string text = written(value, std::chars_format::scientific, kDigits - 1);
  return std::atoi(text.c_str() + text.find('e') + 1);
}

std::string with_commas(std::string digits)
{
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_not_of('-');
  for (std::size_t at = point; at > first + 3; at -= 3) {
    digits.insert(at - 3, ",");
  }
  return digits;
}

}  // namespace

std::string significant(double value)
{
  if (value == 0) {
    return "0";
  }
  if (!std::isfinite(value)) {
    return "–";
  }
  const int decimals = std::clamp(kDigits - 1 - exponent_of(value), 0, kMostDecimals);
  return with_commas(written(value, std::chars_format::fixed, decimals));
}

std::string human(double ns)
{
  if (!std::isfinite(ns)) {
    return "–";
  }
  for (const auto & [name, factor] : kReadable) {
    if (std::abs(ns) >= kRoundsUp * factor) {
      return significant(ns / factor) + name;
    }
  }
  return written(ns, std::chars_format::fixed, 0) + " ns";
}

std::string human(Duration duration)
{
  return human(static_cast<double>(duration.count()));
}

std::string exactly(Duration duration)
{
  if (duration.count() == 0) {
    return "0 ns";
  }
  const std::string text = print_duration(duration);
  const std::size_t unit = text.find_first_not_of("-.0123456789");
  const std::string name = text.substr(unit);
  return with_commas(text.substr(0, unit)) + (name == "us" ? " µs" : " " + name);
}

}  // namespace takt_rt
