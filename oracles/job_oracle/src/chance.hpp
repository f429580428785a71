// Draws that are the same on every machine (splitmix64).
#ifndef JOB_ORACLE__CHANCE_HPP_
#define JOB_ORACLE__CHANCE_HPP_

#include <cstdint>

#include "model.hpp"

namespace job_oracle
{

class Chance
{
public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next()
  {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

  /// From `least` to `most`.
  Time between(Time least, Time most)
  {
    return least + static_cast<Time>(next() % static_cast<std::uint64_t>(most - least + 1));
  }

  /// True in one of `of`.
  bool one_in(int of) { return next() % static_cast<std::uint64_t>(of) == 0; }

private:
  std::uint64_t state_;
};

}  // namespace job_oracle

#endif  // JOB_ORACLE__CHANCE_HPP_
