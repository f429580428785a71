// Which samples overlap a stall of the host. Set-up only.
#ifndef TAKT_WORKLOAD__STALL_INDEX_HPP_
#define TAKT_WORKLOAD__STALL_INDEX_HPP_

#include <vector>

#include "takt_workload/records.hpp"

namespace takt_workload
{

class StallIndex
{
public:
  /// Stalls of all cores count, because a sample's work may have been on any of them. What the kernel
  /// did itself (`throttled`) is none.
  explicit StallIndex(const std::vector<Stall> & stalls);

  /// Whether a stall overlaps [begin, end]. O(log stalls).
  bool overlaps(takt_core::Time begin, takt_core::Time end) const;

private:
  struct Span
  {
    takt_core::Time begin;
    takt_core::Time end;
  };
  std::vector<Span> spans_;  // merged, by begin
};

/// Where in `runs` thread CPU time overran what was asked: the host's doing.
std::vector<Stall> overruns(const std::vector<RunRecord> & runs);

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__STALL_INDEX_HPP_
