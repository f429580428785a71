// Length and seed of stress and property tests.
#ifndef SUPPORT__ROUNDS_HPP_
#define SUPPORT__ROUNDS_HPP_

#include <cstdint>
#include <cstdlib>

namespace takt_core::test
{

/// `slice` rounds, times TAKT_TEST_ROUNDS if set (soak); a tenth of them if each step costs ten
/// times as much (ThreadSanitizer).
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
