#include "analysis/jobs/busy_time.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace takt_plan::detail
{
namespace
{

/// The right side at one time, and its slope to the left of it.
struct Supply
{
  Ns sum = 0;
  Ns slope = 0;

  void add(Ns work, Ns time)
  {
    sum += std::min(work, time);
    slope += work >= time ? 1 : 0;
  }
};

Index pool_of(const SharedWork & work, Index entity)
{
  return entity < work.pool_of.size() ? work.pool_of[entity] : kNone;
}

Supply supply(const SharedWork & work, Ns time, std::vector<Supply> & of_pools)
{
  Supply all;
  std::fill(of_pools.begin(), of_pools.end(), Supply{});
  for (Index entity = 0; entity < work.of.size(); ++entity) {
    const Index pool = pool_of(work, entity);
    (pool == kNone ? all : of_pools[pool]).add(work.of[entity], time);
  }
  for (Index pool = 0; pool < of_pools.size(); ++pool) {
    const auto threads = static_cast<Ns>(work.pools[pool]);
    const bool limited = multiply(threads, time) <= of_pools[pool].sum;
    all.sum += limited ? multiply(threads, time) : of_pools[pool].sum;
    all.slope += limited ? threads : of_pools[pool].slope;
  }
  return all;
}

}  // namespace

BusyTime longest_busy(const SharedWork & work, Index rate)
{
  const auto size = static_cast<std::int64_t>(work.of.size());
  const Ns all = std::accumulate(work.of.begin(), work.of.end(), Ns{0}, add);
  if (all == kUnbounded || rate == 1) {
    return {all, size};
  }
  const auto cores = static_cast<Ns>(rate);
  std::vector<Supply> of_pools(work.pools.size());
  BusyTime busy{all / cores, size};
  while (busy.time > 0) {
    const Supply at = supply(work, busy.time, of_pools);
    busy.looks += size;
    if (at.sum >= multiply(cores, busy.time)) {
      break;
    }
    // Where the tangent meets rate x. The slope is below the rate here: the sum is 0 at 0.
    busy.time = (at.sum - at.slope * busy.time) / (cores - at.slope);
  }
  return busy;
}

Ns limit_of_pool(const SharedWork & work, Index pool, Ns time)
{
  const Ns most = multiply(static_cast<Ns>(work.pools[pool]), time);
  Ns sum = 0;
  for (Index entity = 0; entity < work.of.size(); ++entity) {
    sum += pool_of(work, entity) == pool ? std::min(work.of[entity], time) : 0;
  }
  return sum > most ? most : kUnbounded;
}

}  // namespace takt_plan::detail
