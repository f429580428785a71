#include "reader/quantity.hpp"

#include <algorithm>

#include "takt_schedule/reader/text.hpp"

namespace takt_schedule::detail
{
namespace
{

using takt_rt::Faults;

/// "ms" for "msec", "KiB" for "KB"; empty for an ambiguous unit.
std::string meant_unit(std::string_view unit, std::span<const DecimalUnit> units)
{
  std::vector<std::string> names;
  std::string_view prefix;
  for (const DecimalUnit & known : units) {
    names.emplace_back(known.name);
    if (
      known.name.size() > prefix.size() && known.name.size() > 1 && unit.starts_with(known.name)) {
      prefix = known.name;
    }
  }
  return prefix.empty() ? closest(unit, names) : std::string(prefix);
}

}  // namespace

takt_rt::Result<std::int64_t> parse_quantity(std::string_view text, const QuantityKind & kind)
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
  const std::string_view whole = takt_rt::take_digits(rest);
  std::string_view fraction;
  if (!whole.empty() && !rest.empty() && rest.front() == '.') {
    rest.remove_prefix(1);
    fraction = takt_rt::take_digits(rest);
    if (fraction.empty()) {
      return Faults{quoted(text) + " has no digit after the point"};
    }
  }
  if (whole.empty()) {
    return Faults{
      quoted(text) + " is not a number with a unit; write for example 100" +
      std::string(kind.usual)};
  }
  const std::string_view unit_name = rest;
  if (unit_name.empty()) {
    return Faults{
      quoted(text) + " has no unit; write " + std::string(text) + std::string(kind.usual) +
      " (units are " + std::string(kind.names) + ")"};
  }
  const auto unit = std::find_if(kind.units.begin(), kind.units.end(), [&](const DecimalUnit & u) {
    return u.name == unit_name;
  });
  if (unit == kind.units.end()) {
    const std::string meant = meant_unit(unit_name, kind.units);
    return Faults{
      quoted(text) + " has the unknown unit " + quoted(unit_name) +
      (meant.empty() ? "; units are " + std::string(kind.names)
                     : "; did you mean " + quoted(meant) + "?")};
  }

  // Digits below the smallest unit cannot be kept and are refused.
  const auto scaled = takt_rt::scale_decimal(whole, fraction, unit->factor);
  if (scaled.too_large) {
    return Faults{quoted(text) + " is too large"};
  }
  if (scaled.too_fine) {
    return Faults{quoted(text) + " is finer than " + std::string(kind.smallest)};
  }
  return scaled.value;
}

}  // namespace takt_schedule::detail
