// Finds which spans of time overlap a stall of the host. Set-up only: allocates.
#ifndef TAKT_TRACE__STALL_INDEX_HPP_
#define TAKT_TRACE__STALL_INDEX_HPP_

#include <cstddef>
#include <vector>

#include "takt_rt/time.hpp"
#include "takt_trace/stall.hpp"

namespace takt_trace
{

/// A time from `begin` to `end`, in the monotonic clock.
struct TimeSpan
{
  takt_rt::Time begin;
  takt_rt::Time end;
};

/// The same times as spans without contact, ordered by begin.
std::vector<TimeSpan> merged(std::vector<TimeSpan> spans);

/// For each stall of the host the span from its earliest begin to its end. Times in which the
/// kernel ran other threads (`throttled`) are omitted.
std::vector<TimeSpan> host_spans(const std::vector<Stall> & stalls);

/// Finds whether a time overlaps a stall.
class StallIndex
{
public:
  /// Stalls of the host on all cores count (`host_spans`), because a sample's work may have been on
  /// any core.
  explicit StallIndex(const std::vector<Stall> & stalls);
  /// Any spans of time.
  explicit StallIndex(std::vector<TimeSpan> spans);

  /// True if a stall overlaps [begin, end]. O(log stalls).
  bool overlaps(takt_rt::Time begin, takt_rt::Time end) const;

private:
  std::vector<TimeSpan> spans_;  // merged, by begin
};

/// Number and total length of the certain stalls of that source within [from, to]. Simultaneous
/// stalls of several cores count once.
struct HeldUp
{
  std::size_t times = 0;
  takt_rt::Duration time{};
};
HeldUp held_up(
  const std::vector<Stall> & stalls, Stall::Source source, takt_rt::Time from, takt_rt::Time to);

}  // namespace takt_trace

#endif  // TAKT_TRACE__STALL_INDEX_HPP_
