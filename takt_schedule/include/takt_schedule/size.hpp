// Sizes of memory as text: "256KiB", "8MiB", "65536B".
//
// A number without a unit is a fault, and so are the ambiguous KB and MB. Set-up only: allocates,
// does not block.
#ifndef TAKT_SCHEDULE__SIZE_HPP_
#define TAKT_SCHEDULE__SIZE_HPP_

#include <cstddef>
#include <string>
#include <string_view>

#include "takt_rt/result.hpp"

namespace takt_schedule
{

/// Reads a decimal number and one of B, KiB, MiB, GiB. Exactly one fault otherwise, without a
/// position.
takt_rt::Result<std::size_t> parse_size(std::string_view text);

/// The canonical spelling: the largest unit that gives a whole number. "256KiB", "1000B".
std::string print_size(std::size_t bytes);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__SIZE_HPP_
