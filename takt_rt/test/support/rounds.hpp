// Length of stress tests.
#ifndef SUPPORT__ROUNDS_HPP_
#define SUPPORT__ROUNDS_HPP_

#include <cstdint>
#include <cstdlib>

namespace takt_rt::test
{

/// `slice` rounds, times TAKT_TEST_ROUNDS if set (soak).
inline std::uint64_t rounds(std::uint64_t slice)
{
  const char * const factor = std::getenv("TAKT_TEST_ROUNDS");
  return slice * (factor != nullptr ? std::strtoull(factor, nullptr, 10) : 1);
}

}  // namespace takt_rt::test

#endif  // SUPPORT__ROUNDS_HPP_
