// Length and seed of stress and property tests.
#ifndef SUPPORT__ROUNDS_HPP_
#define SUPPORT__ROUNDS_HPP_

#include <cstdint>
#include <cstdlib>

namespace takt_core::test
{

/// The number of rounds: `slice`, times TAKT_TEST_ROUNDS if set (soak). A tenth of that under
/// ThreadSanitizer, where each step costs ten times as much.
inline std::uint64_t rounds(std::uint64_t slice)
{
#ifdef __SANITIZE_THREAD__
  slice = (slice + 9) / 10;
#endif
  const char * const factor = std::getenv("TAKT_TEST_ROUNDS");
  return slice * (factor != nullptr ? std::strtoull(factor, nullptr, 10) : 1);
}

/// The value of TAKT_TEST_SEED, or 1.
inline std::uint32_t seed()
{
  const char * const text = std::getenv("TAKT_TEST_SEED");
  return text != nullptr ? static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10)) : 1;
}

}  // namespace takt_core::test

#endif  // SUPPORT__ROUNDS_HPP_
