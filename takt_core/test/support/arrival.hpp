// One arrival that a test takes out of a ring, with all its data.
#ifndef SUPPORT__ARRIVAL_HPP_
#define SUPPORT__ARRIVAL_HPP_

#include <cstdint>

#include "takt_core/activation.hpp"
#include "takt_rt/time.hpp"

namespace takt_core::test
{

struct Arrival
{
  Time ready{};
  std::uint64_t sequence = 0;
  ActivationSet activations{};
  std::uint64_t index = 0;
  std::uint64_t message = 0;

  /// Takes the oldest waiting arrival out of `ring`. False if none waits. Only for the ring's
  /// consumer.
  template <typename Ring>
  bool pop_from(Ring & ring)
  {
    return ring.pop(ready, sequence, activations, index, message);
  }
};

}  // namespace takt_core::test

#endif  // SUPPORT__ARRIVAL_HPP_
