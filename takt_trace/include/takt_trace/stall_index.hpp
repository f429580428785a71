// Which spans of time overlap a stall of the host. Set-up only: allocates.
#ifndef TAKT_TRACE__STALL_INDEX_HPP_
#define TAKT_TRACE__STALL_INDEX_HPP_

#include <cstddef>
#include <vector>

#include "takt_rt/time.hpp"
#include "takt_trace/stall.hpp"

namespace takt_trace
{

struct TimeSpan
{
  takt_rt::Time begin;
  takt_rt::Time end;
};

/// The same times as spans that are ordered by begin, and of which none touches another.
std::vector<TimeSpan> merged(std::vector<TimeSpan> spans);

/// From the earliest begin to the end of each stall of the host. A time in which the kernel ran other threads
/// (`throttled`) is none.
std::vector<TimeSpan> host_spans(const std::vector<Stall> & stalls);

class StallIndex
{
public:
  /// Stalls of all cores count, because a sample's work may have been on any of them. Only those of the host
  /// do (`host_spans`).
  explicit StallIndex(const std::vector<Stall> & stalls);
  /// Of any spans of time.
  explicit StallIndex(std::vector<TimeSpan> spans);

  /// Whether a stall overlaps [begin, end]. O(log stalls).
  bool overlaps(takt_rt::Time begin, takt_rt::Time end) const;

private:
  std::vector<TimeSpan> spans_;  // merged, by begin
};

/// How often, and how long in all, something of that source certainly lasted within [from, to]. Stalls of
/// several cores at the same time count once.
struct HeldUp
{
  std::size_t times = 0;
  takt_rt::Duration time{};
};
HeldUp held_up(
  const std::vector<Stall> & stalls, Stall::Source source, takt_rt::Time from, takt_rt::Time to);

}  // namespace takt_trace

#endif  // TAKT_TRACE__STALL_INDEX_HPP_
