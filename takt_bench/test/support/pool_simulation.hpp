// Simulates chains on a pool of threads with a core each. The caller gives the releases.
#ifndef TAKT_BENCH__TEST__SUPPORT__POOL_SIMULATION_HPP_
#define TAKT_BENCH__TEST__SUPPORT__POOL_SIMULATION_HPP_

#include <vector>

#include "published/pool_published.hpp"

namespace takt_bench::test
{

/// The longest response of each chain if each task takes its whole time. A free thread takes the
/// ready task with the highest priority; among equals, the task that became ready first.
/// `releases`: one list of rising times for each chain. Groups are not supported.
std::vector<Ticks> simulate_pool(
  const Pool & pool, const std::vector<std::vector<Ticks>> & releases);

}  // namespace takt_bench::test

#endif  // TAKT_BENCH__TEST__SUPPORT__POOL_SIMULATION_HPP_
