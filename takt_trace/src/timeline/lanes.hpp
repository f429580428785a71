// Puts overlapping slices on as few tracks as possible.
#ifndef TAKT_TRACE__SRC__TIMELINE__LANES_HPP_
#define TAKT_TRACE__SRC__TIMELINE__LANES_HPP_

#include <vector>

#include "timeline/tracks.hpp"

namespace takt_trace::detail
{

/// Puts each slice on the first lane that is free from its begin on. So there are as many lanes as
/// slices overlap at most. Slices that only touch do not overlap. O(slices log slices).
std::vector<LongVector<Slice>> lanes_of(LongVector<Slice> slices);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__TIMELINE__LANES_HPP_
