// Which of a task's streams a chain means.
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
  /// Of the chain's last task, by its path.
  std::vector<Index> streams;

  /// A task on the path that waits for a set of newest messages (message_set.hpp): the streams by which
  /// the chain's messages get there.
  struct Set
  {
    Index task = kNone;
    std::vector<Index> inputs;
    /// The stream that goes on after it counts from another topic's release. None: from the chain's, or
    /// the task is the last one.
    Index complete = kNone;
  };
  std::vector<Set> sets;
};

/// A sentence where the path only reads, waits for sources that have nothing to do with each other, or has
/// too many ways.
takt_rt::Result<ChainWays> chain_ways(
  const Model & model, const Streams & streams, const Chain & chain);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__CHAIN_WAYS_HPP_
