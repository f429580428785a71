// Durations and numbers as sentences and tables have them: "2.5 µs". takt's Python spells them
// alike
// (`takt_cli/base/units.py`). Files and ids have another spelling, which every reader of takt
// accepts: "2.5us" (duration_text.hpp).
//
// Set-up only: allocates.
#ifndef TAKT_RT__READABLE_HPP_
#define TAKT_RT__READABLE_HPP_

#include <string>

#include "takt_rt/time.hpp"

namespace takt_rt
{

/// Three significant digits, or whole nanoseconds, with a suitable unit: "12.3 ms", "850 µs". A
/// dash for what is not finite.
std::string human(double ns);
std::string human(Duration duration);

/// Without rounding: "10 s", "1.5 ms". Of settings, such as deadlines and limits.
std::string exactly(Duration duration);

/// At least three significant digits in fixed notation, with commas between thousands: "0.0123",
/// "4.50", "1,234". For columns whose title has the unit.
std::string significant(double value);

}  // namespace takt_rt

#endif  // TAKT_RT__READABLE_HPP_
