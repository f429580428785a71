// Cores as on command lines: "0,2-3". Set-up only: allocates, does not block.
#ifndef TAKT_SCHEDULE__CORE_LIST_HPP_
#define TAKT_SCHEDULE__CORE_LIST_HPP_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "takt_rt/result.hpp"

namespace takt_schedule
{

/// The largest number of a core, in files and on command lines.
inline constexpr int kLargestCore = 4095;

/// The cores in the order of `text`. One fault, without a position, if `text` is not a list of
/// cores and ranges, or repeats a core.
takt_rt::Result<std::vector<int>> parse_cores(std::string_view text);

/// "0-3,6" for `cores` in ascending order. `parse_cores` reads it back if no core is repeated.
std::string print_cores(std::span<const int> cores);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__CORE_LIST_HPP_
