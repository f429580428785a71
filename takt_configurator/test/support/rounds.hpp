// The length and the seed of campaigns.
#ifndef SUPPORT__ROUNDS_HPP_
#define SUPPORT__ROUNDS_HPP_

#include <cstdint>
#include <cstdlib>

namespace takt_configurator::test
{

/// `slice` rounds, multiplied by TAKT_TEST_ROUNDS if it is set (soak).
inline std::uint64_t rounds(std::uint64_t slice)
{
  const char * const factor = std::getenv("TAKT_TEST_ROUNDS");
  return slice * (factor != nullptr ? std::strtoull(factor, nullptr, 10) : 1);
}

/// TAKT_TEST_SEED, or 1.
inline std::uint32_t seed()
{
  const char * const text = std::getenv("TAKT_TEST_SEED");
  return text != nullptr ? static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10)) : 1;
}

}  // namespace takt_configurator::test

#endif  // SUPPORT__ROUNDS_HPP_
