// The nominal releases of a cyclic thread: an absolute grid. A late wake-up does not shift its
// phase, unless asked to.
//
// One thread at a time; real-time safe; no clock. Units: nanoseconds.
#ifndef TAKT_RT__RELEASE_GRID_HPP_
#define TAKT_RT__RELEASE_GRID_HPP_

#include <cstdint>

#include "takt_rt/time.hpp"

namespace takt_rt
{

/// The behaviour of a cyclic thread that wakes up so late that further releases have passed.
enum class Overrun
{
  skip,  ///< continues at the next release of its grid; the passed ones are missed; phase is kept
  catch_up,  ///< runs a cycle for each release, one after the other without a sleep; misses none;
             ///< phase is kept
  restart,   ///< the next release is one period after the late wake-up; the passed ones are missed;
             ///< phase is lost
};

/// The releases of one cyclic thread. One thread at a time. All functions are real-time safe.
class ReleaseGrid
{
public:
  /// Releases at `first` and every `period` after; `period` must be positive.
  ReleaseGrid(Time first, Duration period, Overrun overrun = Overrun::skip) noexcept
  : release_(first),
    period_(period),
    overrun_(overrun)
  {
  }

  /// The nominal time of the next cycle.
  Time release() const noexcept { return release_; }

  /// Moves on from a cycle that began at `now`, at or after its release, to the next cycle's
  /// release. Returns the number of releases that passed between them and get no cycle: each is a
  /// missed period, an overrun.
  std::uint64_t move_on(Time now) noexcept
  {
    // A release at this very moment has not passed: its cycle still begins in time.
    const std::int64_t late = (now - release_).count();
    const std::int64_t passed = late > 0 ? (late - 1) / period_.count() : 0;
    if (passed == 0 || overrun_ == Overrun::catch_up) {
      release_ += period_;
      return 0;
    }
    release_ = overrun_ == Overrun::restart ? now + period_ : release_ + (passed + 1) * period_;
    return static_cast<std::uint64_t>(passed);
  }

private:
  Time release_;
  Duration period_;
  Overrun overrun_;
};

}  // namespace takt_rt

#endif  // TAKT_RT__RELEASE_GRID_HPP_
