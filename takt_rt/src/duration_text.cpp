#include "takt_rt/duration_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "takt_rt/decimal.hpp"

namespace takt_rt
{
namespace
{

constexpr std::array<std::pair<const char *, std::uint64_t>, 4> kUnits{{
  {"s", 1'000'000'000},
  {"ms", 1'000'000},
  {"us", 1'000},
  {"ns", 1},
}};

}  // namespace

std::string print_duration(Duration duration)
{
  const bool negative = duration.count() < 0;
  const auto count = static_cast<std::uint64_t>(duration.count());
  const std::uint64_t ns = negative ? 0 - count : count;  // correct for the smallest number too
  for (const auto & [name, factor] : kUnits) {
    if (ns < factor) {
      continue;
    }
    std::string text = (negative ? "-" : "") + std::to_string(ns / factor);
    if (const std::uint64_t rest = ns % factor; rest != 0) {
      std::string digits = std::to_string(factor + rest).substr(1);  // with leading zeros
      digits.erase(digits.find_last_not_of('0') + 1);
      text += "." + digits;
    }
    return text + name;
  }
  return "0s";
}

std::optional<Duration> read_duration(std::string_view text)
{
  const std::string_view whole = take_digits(text);
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = take_digits(text);
    if (fraction.empty()) {
      return std::nullopt;
    }
  }
  const auto unit = std::find_if(
    kDurationUnits.begin(), kDurationUnits.end(),
    [&](const auto & one) { return one.name == text; });
  if (whole.empty() || unit == kDurationUnits.end()) {
    return std::nullopt;
  }
  const ScaledDecimal scaled = scale_decimal(whole, fraction, unit->factor);
  if (scaled.too_large || scaled.too_fine) {
    return std::nullopt;
  }
  return Duration{scaled.value};
}

}  // namespace takt_rt
