// Which of a task's streams a chain means.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__CHAIN_WAYS_HPP_
#define TAKT_PLAN__SRC__CHAIN_WAYS_HPP_

#include <vector>

#include "streams.hpp"
#include "takt_core/result.hpp"

namespace takt_plan::detail
{

/// The streams of the chain's last task that come by its path. A sentence where the path only reads,
/// waits for sources that have nothing to do with each other, or has too many ways.
takt_core::Result<std::vector<Index>> chain_ways(
  const Model & model, const Streams & streams, const Chain & chain);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__CHAIN_WAYS_HPP_
