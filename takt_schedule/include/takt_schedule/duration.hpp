// Durations as text: "100ms", "2.5us", "1min".
//
// A number without a unit is a fault. Units: ns, us (also µs), ms, s, min. Exact to the nanosecond,
// without floating point. Set-up only: allocates, does not block.
#ifndef TAKT_SCHEDULE__DURATION_HPP_
#define TAKT_SCHEDULE__DURATION_HPP_

#include <string>
#include <string_view>

#include "takt_rt/duration_text.hpp"
#include "takt_rt/result.hpp"
#include "takt_rt/time.hpp"

namespace takt_schedule
{

/// Reads a non-negative decimal number and a unit, in the digits 0 to 9 and without spaces.
/// Otherwise one fault without a position: the mistake and the correct spelling. `usual`: the unit
/// that the fault of a number without a unit suggests.
takt_rt::Result<takt_rt::Duration> parse_duration(
  std::string_view text, std::string_view usual = "ms");

/// The canonical spelling, which `parse_duration` reads back to the same value. Callback ids spell
/// timer periods so.
using takt_rt::print_duration;

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__DURATION_HPP_
