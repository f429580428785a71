// The clock that hosts have in common: CLOCK_TAI, where a time service (PTP, NTP) disciplines it.
#ifndef TAKT_RT__TAI_CLOCK_HPP_
#define TAKT_RT__TAI_CLOCK_HPP_

#include "takt_rt/time.hpp"

namespace takt_rt
{

/// How far CLOCK_TAI is ahead of the monotonic clock. Any thread; real-time safe (three reads of a clock).
///
/// The kernel slews both clocks alike, so the distance is constant until somebody sets the time of the host. As two
/// clocks cannot be read at once, a distance that is within 20 us of the last one, or within what held up the reading,
/// is the last one.
Duration tai_ahead() noexcept;

}  // namespace takt_rt

#endif  // TAKT_RT__TAI_CLOCK_HPP_
