// What came from a file, as a fault or a warning repeats it.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_SCHEDULE__QUOTED_HPP_
#define TAKT_SCHEDULE__QUOTED_HPP_

#include <string>
#include <string_view>

namespace takt_schedule
{

/// 'text', fit to stand in a fault: one line (control characters escaped) and not endless.
std::string quoted(std::string_view text);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__QUOTED_HPP_
