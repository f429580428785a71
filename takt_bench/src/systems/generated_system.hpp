// Random systems of independent chains in the shape of published experiments. Set-up only.
#ifndef TAKT_BENCH__SRC__SYSTEMS__GENERATED_SYSTEM_HPP_
#define TAKT_BENCH__SRC__SYSTEMS__GENERATED_SYSTEM_HPP_

#include <cstdint>

#include "takt_schedule/system.hpp"

namespace takt_bench
{

struct Shape
{
  int cores = 4;
  int chains = 9;
  int callbacks = 5;         ///< per chain: a timer and subscriptions
  double utilization = 2.5;  ///< of all together; the nearer to `chains`, the longer it is drawn
  bool by_deadline = true;   ///< semantic priorities: of shorter deadlines higher, or at random
};

/// Utilisations by UUniFast (Bini and Buttazzo 2005) over the chains, drawn again while one is above 1,
/// and inside them; periods from 50 ms to 1 s, log-uniform; deadlines are periods. The same on every
/// platform for the same seed.
takt_schedule::System generated_system(const Shape & shape, std::uint64_t seed);

}  // namespace takt_bench

#endif  // TAKT_BENCH__SRC__SYSTEMS__GENERATED_SYSTEM_HPP_
