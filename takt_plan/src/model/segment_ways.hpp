// Segments: runs of tasks on one core in which the end of each starts the next at once.
//
// A segment goes on through a set of newest messages (message_set.hpp) by the message that completes the
// set. Any of the set's streams may bring that message, so there is a way for each of them.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__SEGMENT_WAYS_HPP_
#define TAKT_PLAN__SRC__SEGMENT_WAYS_HPP_

#include <vector>

#include "model/segments.hpp"
#include "model/streams.hpp"

namespace takt_plan::detail
{

struct SegmentWay
{
  std::vector<Index> tasks;  ///< first to last
  /// By which of its triggers each of them is started; none: the first one, and those behind a set.
  std::vector<Index> links;
  Index head_stream = kNone;  ///< that starts the first task
  Index stream = kNone;       ///< that the last task ends
  /// The streams whose messages complete the sets on the way, from the last set back.
  std::vector<Index> inputs;
};

/// More ways than this through the sets before a task are not looked at.
inline constexpr std::size_t kMostSegmentWays = 16;

/// Up to the stream's task. What a set starts begins anew.
SegmentWay segment_way(
  const Model & model, const Streams & streams, const Segments & segments, Index stream);

/// Likewise through all sets on the way; of a stream that begins with a complete set, the way includes that
/// set. Empty: there is no set on the core, or there are too many ways.
std::vector<SegmentWay> ways_through_sets(
  const Model & model, const Streams & streams, const Segments & segments, Index stream);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__SEGMENT_WAYS_HPP_
