// Segments: tasks on one core that run one after another, because the end of each starts the next
// at once.
//
// A segment may go on through a set of newest messages (message_set.hpp), by the message that
// completes the set. Each stream of the set may bring that message, so there is a way for each of
// these streams.
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
  std::vector<Index> tasks;  ///< from the first to the last
  /// For each task the position of the trigger that starts it; kNone: the first task, and tasks
  /// behind a set.
  std::vector<Index> links;
  Index head_stream = kNone;  ///< the stream that starts the first task
  Index stream = kNone;       ///< the stream that the last task ends
  /// The streams whose messages complete the sets on the way, the last set first.
  std::vector<Index> inputs;
};

/// Limit of ways through the sets before a task. If there are more, none is used.
inline constexpr std::size_t kMostSegmentWays = 16;

/// The way to the stream's task. It begins after the last set on it.
SegmentWay segment_way(
  const Model & model, const Streams & streams, const Segments & segments, Index stream);

/// The ways to the stream's task through all sets on the core. For a stream that begins with a
/// complete set, they include that set. Empty: the core has no set on the way, or there are too
/// many ways.
std::vector<SegmentWay> ways_through_sets(
  const Model & model, const Streams & streams, const Segments & segments, Index stream);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__SEGMENT_WAYS_HPP_
