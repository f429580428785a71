// Which samples overlap a stall of the host. Set-up only.
#ifndef TAKT_WORKLOAD__STALL_INDEX_HPP_
#define TAKT_WORKLOAD__STALL_INDEX_HPP_

#include <cstddef>
#include <vector>

#include "takt_workload/records.hpp"

namespace takt_workload
{

struct TimeSpan
{
  takt_core::Time begin;
  takt_core::Time end;
};

class StallIndex
{
public:
  /// Stalls of all cores count, because a sample's work may have been on any of them. What the kernel
  /// did itself (`throttled`) is none.
  explicit StallIndex(const std::vector<Stall> & stalls);
  /// Of any spans of time.
  explicit StallIndex(std::vector<TimeSpan> spans);

  /// Whether a stall overlaps [begin, end]. O(log stalls).
  bool overlaps(takt_core::Time begin, takt_core::Time end) const;

private:
  std::vector<TimeSpan> spans_;  // merged, by begin
};

/// How often, and how long in all, something of that source certainly lasted within [from, to]. What
/// happened on several cores at once counts once.
struct HeldUp
{
  std::size_t times = 0;
  takt_core::Duration time{};
};
HeldUp held_up(
  const std::vector<Stall> & stalls, Stall::Source source, takt_core::Time from,
  takt_core::Time to);

/// The spans in which runs that a stall delayed are worked off. Each span begins at the end of a stall. It
/// ends when no run is waiting or under way on any core, and no run has ended, and so may have sent a
/// message, within the last millisecond. No span is longer than ten times its stall, or than 50 ms if that
/// is more. A run that is released in such a span may wait for the delayed runs; no bound covers that wait.
std::vector<TimeSpan> catching_up(
  const std::vector<Stall> & stalls, const std::vector<RunRecord> & runs);

/// Where in `runs` thread CPU time overran what was asked: the host's doing.
std::vector<Stall> overruns(const std::vector<RunRecord> & runs);

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__STALL_INDEX_HPP_
