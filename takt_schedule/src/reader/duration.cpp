#include "takt_schedule/duration.hpp"

#include <array>

#include "reader/quantity.hpp"

namespace takt_schedule
{
namespace
{

constexpr std::array<detail::Unit, 6> kUnits{{
  {"ns", 1},
  {"us", 1'000},
  {"\xc2\xb5s", 1'000},
  {"ms", 1'000'000},
  {"s", 1'000'000'000},
  {"min", 60'000'000'000},
}};

constexpr std::array<detail::Unit, 4> kPrinted{{
  {"s", 1'000'000'000},
  {"ms", 1'000'000},
  {"us", 1'000},
  {"ns", 1},
}};

}  // namespace

takt_core::Result<takt_core::Duration> parse_duration(std::string_view text)
{
  const auto ns = detail::parse_quantity(text, {kUnits, "ns, us, ms, s and min", "ms", "1ns"});
  if (!ns) {
    return ns.faults();
  }
  return takt_core::Duration{ns.value()};
}

std::string print_duration(takt_core::Duration duration)
{
  const std::int64_t ns = duration.count();
  for (const auto & [name, factor] : kPrinted) {
    if (ns < factor) {
      continue;
    }
    std::string text = std::to_string(ns / factor);
    if (const std::int64_t rest = ns % factor; rest != 0) {
      std::string digits = std::to_string(factor + rest).substr(1);  // with leading zeros
      digits.erase(digits.find_last_not_of('0') + 1);
      text += "." + digits;
    }
    return text + std::string(name);
  }
  return "0s";
}

}  // namespace takt_schedule
