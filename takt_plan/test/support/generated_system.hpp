// Systems of independent chains in the shape of published experiments.
#ifndef TAKT_PLAN__TEST__SUPPORT__GENERATED_SYSTEM_HPP_
#define TAKT_PLAN__TEST__SUPPORT__GENERATED_SYSTEM_HPP_

#include <cstdint>

#include "takt_schedule/system.hpp"

namespace takt_plan::test
{

struct Shape
{
  int cores = 4;
  int chains = 9;
  int callbacks = 5;  ///< per chain: a timer and subscriptions
  double utilization = 2.5;
  bool by_deadline = true;  ///< semantic priorities: of shorter deadlines higher, or at random
};

/// Utilisations by UUniFast-discard over the chains and UUniFast inside them; periods from 50 ms to
/// 1 s, log-uniform; deadlines are periods.
takt_schedule::System generated_system(const Shape & shape, std::uint64_t seed);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__GENERATED_SYSTEM_HPP_
