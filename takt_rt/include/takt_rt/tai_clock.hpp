// The clock that hosts share: CLOCK_TAI, if a time service (PTP, NTP) disciplines it.
#ifndef TAKT_RT__TAI_CLOCK_HPP_
#define TAKT_RT__TAI_CLOCK_HPP_

#include "takt_rt/time.hpp"

namespace takt_rt
{

/// How far CLOCK_TAI is ahead of the monotonic clock. Any thread; real-time safe (three reads of a
/// clock).
///
/// The kernel slews both clocks alike, so the distance is constant until the host's time is set.
/// Two clocks cannot be read at once: a new reading that differs from the last distance by at most
/// 20 us, or by at most the delay of the reading, returns the last distance.
Duration tai_ahead() noexcept;

}  // namespace takt_rt

#endif  // TAKT_RT__TAI_CLOCK_HPP_
