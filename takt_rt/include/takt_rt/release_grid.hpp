// The nominal releases of a cyclic thread: an absolute grid; late wake-ups do not shift its phase.
//
// One thread at a time; real-time safe; no clock. Units: nanoseconds.
#ifndef TAKT_RT__RELEASE_GRID_HPP_
#define TAKT_RT__RELEASE_GRID_HPP_

#include <cstdint>

#include "takt_rt/time.hpp"

namespace takt_rt
{

/// The releases of one cyclic thread. One thread at a time. All functions are real-time safe.
class ReleaseGrid
{
public:
  /// Releases at `first` and every `period` after; `period` must be positive.
  ReleaseGrid(Time first, Duration period) noexcept : release_(first), period_(period) {}

  /// The nominal time of the next cycle.
  Time release() const noexcept { return release_; }

  /// Moves on from a cycle that began at `now`, at or after its release, to the first release that has not passed.
  /// Returns the number of releases that passed between them: each is a missed period, an overrun.
  std::uint64_t move_on(Time now) noexcept
  {
    // A release at this very moment has not passed: its cycle still begins in time.
    const std::int64_t late = (now - release_).count();
    const std::int64_t missed = late > 0 ? (late - 1) / period_.count() : 0;
    release_ += (missed + 1) * period_;
    return static_cast<std::uint64_t>(missed);
  }

private:
  Time release_;
  Duration period_;
};

}  // namespace takt_rt

#endif  // TAKT_RT__RELEASE_GRID_HPP_
