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

takt_core::Result<takt_core::Duration> parse(std::string_view text, std::string_view plain)
{
  const auto ns =
    detail::parse_quantity(text, {kUnits, "ns, us, ms, s and min", "ms", "1ns", plain});
  if (!ns) {
    return ns.faults();
  }
  return takt_core::Duration{ns.value()};
}

}  // namespace

takt_core::Result<takt_core::Duration> parse_duration(std::string_view text)
{
  return parse(text, {});
}

takt_core::Result<takt_core::Duration> parse_seconds(std::string_view text)
{
  return parse(text, "s");
}

}  // namespace takt_schedule
