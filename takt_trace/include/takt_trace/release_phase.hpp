// Decides whether a timer's releases lie on one grid: the first release, and the deviations of the
// others.
//
// Header-only. Not synchronised. Real-time safe: no allocation, no lock.
#ifndef TAKT_TRACE__RELEASE_PHASE_HPP_
#define TAKT_TRACE__RELEASE_PHASE_HPP_

#include <algorithm>
#include <cstdint>

namespace takt_trace
{

/// All times in nanoseconds of the host's monotonic clock.
struct ReleasePhase
{
  std::uint64_t count = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  /// At most 0: largest deviation before a multiple of the period from the first.
  std::int64_t early = 0;
  std::int64_t late = 0;  ///< at least 0: largest deviation behind it

  /// Adds a release of a timer of `period`, which must be above zero.
  void add(std::int64_t release, std::int64_t period) noexcept
  {
    if (count++ == 0) {
      first = last = release;
      return;
    }
    last = std::max(last, release);
    const std::int64_t off = (release - first) % period;
    const std::int64_t half = period / 2;
    const std::int64_t nearest = off > half ? off - period : off < -half ? off + period : off;
    early = std::min(early, nearest);
    late = std::max(late, nearest);
  }

  /// Adds all releases of `other`, which must be of the same timer.
  void add(const ReleasePhase & other, std::int64_t period) noexcept
  {
    if (other.count == 0) {
      return;
    }
    if (count == 0) {
      *this = other;
      return;
    }
    const std::uint64_t both = count + other.count;
    add(other.first + other.early, period);
    add(other.first + other.late, period);
    last = std::max(last, other.last);
    count = both;
  }

  /// The largest difference between deviations.
  std::int64_t spread() const noexcept { return late - early; }
};

}  // namespace takt_trace

#endif  // TAKT_TRACE__RELEASE_PHASE_HPP_
