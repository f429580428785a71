#include "reader/quantity.hpp"

#include <algorithm>

#include "takt_schedule/reader/text.hpp"

namespace takt_schedule::detail
{
namespace
{

using takt_core::Faults;

// Wide enough for 18 digits times the largest unit.
__extension__ using Wide = __int128;
constexpr std::size_t kMostFractionDigits = 18;

bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

std::string_view take_digits(std::string_view & text)
{
  std::size_t n = 0;
  while (n < text.size() && is_digit(text[n])) {
    ++n;
  }
  const std::string_view digits = text.substr(0, n);
  text.remove_prefix(n);
  return digits;
}

bool multiply_add(std::int64_t & value, std::int64_t factor, std::int64_t add)
{
  return !__builtin_mul_overflow(value, factor, &value) &&
         !__builtin_add_overflow(value, add, &value);
}

/// "ms" for "msec", "KiB" for "KB"; empty if there is no telling.
std::string meant_unit(std::string_view unit, std::span<const Unit> units)
{
  std::vector<std::string> names;
  std::string_view prefix;
  for (const Unit & known : units) {
    names.emplace_back(known.name);
    if (
      known.name.size() > prefix.size() && known.name.size() > 1 && unit.starts_with(known.name)) {
      prefix = known.name;
    }
  }
  return prefix.empty() ? closest(unit, names) : std::string(prefix);
}

}  // namespace

takt_core::Result<std::int64_t> parse_quantity(std::string_view text, const QuantityKind & kind)
{
  if (text.find(' ') != std::string_view::npos) {
    std::string tight{text};
    std::erase(tight, ' ');
    return Faults{quoted(text) + " has a space in it; write " + quoted(tight)};
  }
  std::string_view rest = text;
  if (!rest.empty() && rest.front() == '-') {
    return Faults{quoted(text) + " is negative"};
  }
  const std::string_view whole = take_digits(rest);
  std::string_view fraction;
  if (!whole.empty() && !rest.empty() && rest.front() == '.') {
    rest.remove_prefix(1);
    fraction = take_digits(rest);
    if (fraction.empty()) {
      return Faults{quoted(text) + " has no digit after the point"};
    }
  }
  if (whole.empty()) {
    return Faults{
      quoted(text) + " is not a number with a unit; write for example 100" +
      std::string(kind.usual)};
  }
  const std::string_view unit_name = rest.empty() ? kind.plain : rest;
  if (unit_name.empty()) {
    return Faults{
      quoted(text) + " has no unit; write " + std::string(text) + std::string(kind.usual) +
      " (units are " + std::string(kind.names) + ")"};
  }
  const auto unit = std::find_if(
    kind.units.begin(), kind.units.end(), [&](const Unit & u) { return u.name == unit_name; });
  if (unit == kind.units.end()) {
    const std::string meant = meant_unit(unit_name, kind.units);
    return Faults{
      quoted(text) + " has the unknown unit " + quoted(unit_name) +
      (meant.empty() ? "; units are " + std::string(kind.names)
                     : "; did you mean " + quoted(meant) + "?")};
  }

  std::int64_t value = 0;
  const Faults too_large{quoted(text) + " is too large"};
  for (const char digit : whole) {
    if (!multiply_add(value, 10, digit - '0')) {
      return too_large;
    }
  }
  if (!multiply_add(value, unit->factor, 0)) {
    return too_large;
  }
  // What is not whole in the smallest unit cannot be kept and is refused.
  while (!fraction.empty() && fraction.back() == '0') {
    fraction.remove_suffix(1);
  }
  const Faults too_fine{quoted(text) + " is finer than " + std::string(kind.smallest)};
  if (fraction.size() > kMostFractionDigits) {
    return too_fine;
  }
  Wide numerator = 0;
  Wide denominator = 1;
  for (const char digit : fraction) {
    numerator = numerator * 10 + (digit - '0');
    denominator *= 10;
  }
  numerator *= unit->factor;
  if (numerator % denominator != 0) {
    return too_fine;
  }
  if (!multiply_add(value, 1, static_cast<std::int64_t>(numerator / denominator))) {
    return too_large;
  }
  return value;
}

}  // namespace takt_schedule::detail
