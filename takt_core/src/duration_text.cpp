#include "takt_core/duration_text.hpp"

#include <array>
#include <cstdint>
#include <utility>

namespace takt_core
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

}  // namespace takt_core
