// Durations as text. Set-up only: allocates.
#ifndef TAKT_RT__DURATION_TEXT_HPP_
#define TAKT_RT__DURATION_TEXT_HPP_

#include <optional>
#include <string>
#include <string_view>

#include "takt_rt/time.hpp"

namespace takt_rt
{

/// In the largest of s, ms, us, ns that gives a number of at least one, without trailing zeros:
/// "100ms", "2.5us", "90s", "0s", "-5ms".
std::string print_duration(Duration duration);

/// Reads every decimal spelling of a non-negative duration in ns, us (also µs), ms, s or min, such
/// as "2500us" and "0.0025s". Empty for other texts and for durations finer than 1ns or too large.
std::optional<Duration> read_duration(std::string_view text);

}  // namespace takt_rt

#endif  // TAKT_RT__DURATION_TEXT_HPP_
