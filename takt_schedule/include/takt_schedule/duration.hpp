// Durations as people write them: "100ms", "2.5us", "1min".
//
// A number without a unit is a fault in files: 100 what? Units: ns, us (also µs), ms, s, min. Exact to the
// nanosecond, no floating point involved. Set-up only: allocates, does not block.
#ifndef TAKT_SCHEDULE__DURATION_HPP_
#define TAKT_SCHEDULE__DURATION_HPP_

#include <string>
#include <string_view>

#include "takt_rt/duration_text.hpp"
#include "takt_rt/result.hpp"
#include "takt_rt/time.hpp"

namespace takt_schedule
{

/// Reads a decimal number of at least zero and a unit, in the digits 0 to 9 and without spaces.
/// Exactly one fault otherwise: what is wrong and what to write instead, without a position.
takt_rt::Result<takt_rt::Duration> parse_duration(std::string_view text);

/// The same, where a number without a unit is seconds, as command lines take it.
takt_rt::Result<takt_rt::Duration> parse_seconds(std::string_view text);

/// The canonical spelling, which `parse_duration` reads back to the same value. Callback ids contain
/// timer periods in this spelling.
using takt_rt::print_duration;

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__DURATION_HPP_
