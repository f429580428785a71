// Runs chains on a pool of threads with a core each, from given releases: no phases to guess.
#ifndef TAKT_BENCH__TEST__SUPPORT__POOL_SIMULATION_HPP_
#define TAKT_BENCH__TEST__SUPPORT__POOL_SIMULATION_HPP_

#include <vector>

#include "published/pool_published.hpp"

namespace takt_bench::test
{

/// The longest response of each chain when every task takes its whole time. A free thread takes the
/// ready task of the highest priority, of equals the one that was ready first.
/// `releases`: one list of rising times per chain. Without groups.
std::vector<Ticks> simulate_pool(
  const Pool & pool, const std::vector<std::vector<Ticks>> & releases);

}  // namespace takt_bench::test

#endif  // TAKT_BENCH__TEST__SUPPORT__POOL_SIMULATION_HPP_
