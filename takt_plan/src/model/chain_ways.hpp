// The streams of a task that belong to a chain.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__CHAIN_WAYS_HPP_
#define TAKT_PLAN__SRC__CHAIN_WAYS_HPP_

#include <vector>

#include "model/streams.hpp"
#include "takt_rt/result.hpp"

namespace takt_plan::detail
{

struct ChainWays
{
  /// Streams of the chain's last task, along the chain's path.
  std::vector<Index> streams;

  /// A task on the path that waits for a set of newest messages (message_set.hpp), and the streams
  /// by which the chain's messages enter the set.
  struct Set
  {
    Index task = kNone;
    std::vector<Index> inputs;
    /// The stream after the set, if it counts from the release of another topic. kNone: it counts
    /// from the chain's release, or the task is the path's last.
    Index complete = kNone;
  };
  std::vector<Set> sets;
};

/// Fault, one sentence: the path only reads, it waits for unrelated sources, or it has too many
/// ways.
takt_rt::Result<ChainWays> chain_ways(
  const Model & model, const Streams & streams, const Chain & chain);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__CHAIN_WAYS_HPP_
