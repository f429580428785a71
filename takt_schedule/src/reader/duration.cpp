#include "takt_schedule/duration.hpp"

#include "reader/quantity.hpp"
#include "takt_rt/decimal.hpp"

namespace takt_schedule
{
namespace
{

takt_rt::Result<takt_rt::Duration> parse(std::string_view text, std::string_view plain)
{
  const auto ns = detail::parse_quantity(
    text, {takt_rt::kDurationUnits, "ns, us, ms, s and min", "ms", "1ns", plain});
  if (!ns) {
    return ns.faults();
  }
  return takt_rt::Duration{ns.value()};
}

}  // namespace

takt_rt::Result<takt_rt::Duration> parse_duration(std::string_view text)
{
  return parse(text, {});
}

takt_rt::Result<takt_rt::Duration> parse_seconds(std::string_view text)
{
  return parse(text, "s");
}

}  // namespace takt_schedule
