#include "takt_core/duration_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

namespace takt_core
{
namespace
{

__extension__ using Wide = __int128;

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
  const std::uint64_t ns = negative ? 0 - count : count;  // also of the smallest number there is
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
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 6> kSpelled{{
    {"ns", 1},
    {"us", 1'000},
    {"\xc2\xb5s", 1'000},
    {"ms", 1'000'000},
    {"s", 1'000'000'000},
    {"min", 60'000'000'000},
  }};
  constexpr std::string_view kDigits = "0123456789";
  const std::string_view whole = text.substr(0, text.find_first_not_of(kDigits));
  text.remove_prefix(whole.size());
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = text.substr(0, text.find_first_not_of(kDigits));
    text.remove_prefix(fraction.size());
    if (fraction.empty()) {
      return std::nullopt;
    }
  }
  const auto unit = std::find_if(
    kSpelled.begin(), kSpelled.end(), [&](const auto & one) { return one.first == text; });
  std::int64_t ns = 0;
  if (
    unit == kSpelled.end() ||
    std::from_chars(whole.data(), whole.data() + whole.size(), ns).ec != std::errc{} ||
    __builtin_mul_overflow(ns, unit->second, &ns)) {
    return std::nullopt;
  }
  fraction.remove_suffix(fraction.size() - (fraction.find_last_not_of('0') + 1));
  constexpr std::size_t kMostDigits = 18;  // that a number of 64 bits holds
  Wide numerator = 0;
  Wide denominator = 1;
  for (const char digit : fraction.substr(0, kMostDigits)) {
    numerator = numerator * 10 + (digit - '0');
    denominator *= 10;
  }
  numerator *= unit->second;
  if (
    fraction.size() > kMostDigits || numerator % denominator != 0 ||
    __builtin_add_overflow(ns, static_cast<std::int64_t>(numerator / denominator), &ns)) {
    return std::nullopt;
  }
  return Duration{ns};
}

}  // namespace takt_core
