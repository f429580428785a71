// Random numbers of simulations: the same on every platform for the same seed.
//
// No allocation, no blocking.
#ifndef TAKT_PLAN__DRAW_HPP_
#define TAKT_PLAN__DRAW_HPP_

#include <cstdint>
#include <random>

#include "takt_plan/nanoseconds.hpp"

namespace takt_plan
{

/// A generator of random numbers. One thread at a time.
class Draw
{
public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  /// A value from `least` to `most`, both included. All are equally likely, to within 2^-64 times
  /// the range.
  Ns between(Ns least, Ns most)
  {
    __extension__ using Wide = unsigned __int128;
    const auto range = static_cast<std::uint64_t>(most - least) + 1;
    return least + static_cast<Ns>(static_cast<Wide>(random_()) * range >> 64);
  }

private:
  std::mt19937_64 random_;  // the standard defines its values exactly
};

}  // namespace takt_plan

#endif  // TAKT_PLAN__DRAW_HPP_
