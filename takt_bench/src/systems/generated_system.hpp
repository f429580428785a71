// Random systems of independent chains in the shape of published experiments. Set-up only.
#ifndef TAKT_BENCH__SRC__SYSTEMS__GENERATED_SYSTEM_HPP_
#define TAKT_BENCH__SRC__SYSTEMS__GENERATED_SYSTEM_HPP_

#include <cstdint>

#include "takt_schedule/system.hpp"

namespace takt_bench
{

/// Periods, and what is known of when timers are due.
enum class PhasesOf
{
  any_period,  ///< 50 ms to 1 s, log-uniform: they meet in a common period too seldom for phases to say anything
  known,  ///< periods of 50, 100, 200, 500 and 1,000 ms; each timer has an offset, which a plan may replace
  unknown  ///< the same periods, with offsets that no schedule sets
};

struct Shape
{
  int cores = 4;
  int chains = 9;
  int callbacks = 5;         ///< per chain: a timer and subscriptions
  double utilization = 2.5;  ///< of all together; the nearer to `chains`, the longer it is drawn
  bool by_deadline = true;   ///< semantic priorities: of shorter deadlines higher, or at random
  PhasesOf phases = PhasesOf::any_period;
};

/// Utilisations by UUniFast (Bini and Buttazzo 2005) over the chains, drawn again while one is above 1,
/// and inside them; deadlines are periods. The same on every platform for the same seed.
takt_schedule::System generated_system(const Shape & shape, std::uint64_t seed);

/// A system that is small enough to try all its plans: up to five callbacks in two to four chains on one or two cores,
/// periods of 10, 20 and 40 ms, deadlines from 40 to 100 % of the period, any importance. In some of them two chains end
/// in one callback that waits for the newest messages of both. `load`: of each core, about.
takt_schedule::System small_system(double load, std::uint64_t seed);

}  // namespace takt_bench

#endif  // TAKT_BENCH__SRC__SYSTEMS__GENERATED_SYSTEM_HPP_
