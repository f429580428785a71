#include "takt_schedule/duration.hpp"

#include "reader/quantity.hpp"
#include "takt_rt/decimal.hpp"

namespace takt_schedule
{

takt_rt::Result<takt_rt::Duration> parse_duration(std::string_view text, std::string_view usual)
{
  const auto ns =
    detail::parse_quantity(text, {takt_rt::kDurationUnits, "ns, us, ms, s and min", usual, "1ns"});
  if (!ns) {
    return ns.faults();
  }
  return takt_rt::Duration{ns.value()};
}

}  // namespace takt_schedule
