#include "takt_schedule/duration.hpp"

#include <array>
#include <string>

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

}  // namespace

takt_core::Result<takt_core::Duration> parse_duration(std::string_view text)
{
  const auto ns = detail::parse_quantity(text, {kUnits, "ns, us, ms, s and min", "ms", "1ns"});
  if (!ns) {
    return ns.faults();
  }
  return takt_core::Duration{ns.value()};
}

takt_core::Result<takt_core::Duration> parse_seconds(std::string_view text)
{
  const bool plain = !text.empty() && text.find_first_not_of("0123456789.") == text.npos;
  return parse_duration(plain ? std::string(text) + "s" : std::string(text));
}

}  // namespace takt_schedule
