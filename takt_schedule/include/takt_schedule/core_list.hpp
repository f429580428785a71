// Cores as command lines name them: "0,2-3". Set-up only: allocates, does not block.
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

/// In the order in which they are named. One fault, without a position, if `text` is not a list of cores and
/// ranges, or names one twice.
takt_rt::Result<std::vector<int>> parse_cores(std::string_view text);

/// "0-3,6", which `parse_cores` reads back if no core is there twice. `cores` in ascending order.
std::string print_cores(std::span<const int> cores);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__CORE_LIST_HPP_
