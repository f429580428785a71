// Random systems of independent chains in the shape of published experiments. Set-up only.
#ifndef TAKT_BENCH__SRC__SYSTEMS__GENERATED_SYSTEM_HPP_
#define TAKT_BENCH__SRC__SYSTEMS__GENERATED_SYSTEM_HPP_

#include <cstdint>

#include "takt_schedule/system.hpp"

namespace takt_bench
{

/// The periods of timers, and the knowledge about their phases.
enum class PhasesOf
{
  any_period,  ///< 50 ms to 1 s, log-uniform: the common period is so long that phases do not help
  known,   ///< 50, 100, 200, 500 and 1,000 ms; each timer has an offset, which a plan may replace
  unknown  ///< the same periods, with offsets that no schedule sets
};

struct Shape
{
  int cores = 4;
  int chains = 9;
  int callbacks = 5;         ///< per chain: a timer and subscriptions
  double utilization = 2.5;  ///< of all chains together; drawing takes longer as it approaches
                             ///< `chains`
  bool by_deadline = true;   ///< true: chains with shorter deadlines are more important; false:
                             ///< random importance
  PhasesOf phases = PhasesOf::any_period;
};

/// The utilisations of chains are drawn by UUniFast (Bini and Buttazzo 2005), again while one of
/// them is above 1; those of callbacks, too. Deadlines are the periods. The same on every platform
/// for the same seed.
takt_schedule::System generated_system(const Shape & shape, std::uint64_t seed);

/// A system that is small enough to try all its plans: two to four chains with up to five callbacks
/// together, on one or two cores, periods of 10, 20 and 40 ms, deadlines from 40 to 100 % of the
/// period, any importance. In some systems two chains end in one callback that waits for the newest
/// messages of both. `load`: approximate load of each core.
takt_schedule::System small_system(double load, std::uint64_t seed);

}  // namespace takt_bench

#endif  // TAKT_BENCH__SRC__SYSTEMS__GENERATED_SYSTEM_HPP_
