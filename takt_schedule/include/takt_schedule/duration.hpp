// Durations as people write them: "100ms", "2.5us", "1min".
//
// A number without a unit is a fault: 100 what? Units: ns, us (also µs), ms, s, min. Exact to the
// nanosecond, no floating point involved. Set-up only: allocates, does not block.
#ifndef TAKT_SCHEDULE__DURATION_HPP_
#define TAKT_SCHEDULE__DURATION_HPP_

#include <string>
#include <string_view>

#include "takt_core/result.hpp"
#include "takt_core/time.hpp"

namespace takt_schedule
{

/// Reads a decimal number of at least zero and a unit, in the digits 0 to 9 and without spaces.
/// Exactly one fault otherwise: what is wrong and what to write instead, without a position.
takt_core::Result<takt_core::Duration> parse_duration(std::string_view text);

/// The canonical spelling, which `parse_duration` reads back to the same value: the largest of s,
/// ms, us, ns that gives a number of at least one. "100ms", "2.5us", "90s", "0s". Callback ids
/// contain timer periods in this spelling. `duration` must not be negative.
std::string print_duration(takt_core::Duration duration);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__DURATION_HPP_
