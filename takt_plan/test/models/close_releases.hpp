// Systems in which releases are closer to each other than a context switch or a dispatch takes, and
// in which these take long. A thread that wakes picks a callback only when it is on its core, so
// such releases change the order.
#ifndef TAKT_PLAN__TEST__MODELS__CLOSE_RELEASES_HPP_
#define TAKT_PLAN__TEST__MODELS__CLOSE_RELEASES_HPP_

#include <cstdint>

#include "takt_plan/model.hpp"

namespace takt_plan::test
{

/// Seeds with this bit have such systems; all other seeds have the systems that they had before.
inline constexpr std::uint64_t kCloseReleases = std::uint64_t{1} << 40U;

constexpr bool has_close_releases(std::uint64_t seed) noexcept
{
  return (seed & kCloseReleases) != 0;
}

/// The seed of a campaign's system. From `seed()` on; every other pair of systems has close
/// releases, or all have them if `seed()` has them.
std::uint64_t seed_of(std::uint64_t system);

/// Makes room for the overheads of a seed with close releases. The model of another seed stays as
/// it is.
Model with_room(Model model, std::uint64_t seed);

/// Moves most offsets of a seed with close releases next to each other, some of them to the same
/// instant. The model of another seed stays as it is.
Model with_close_offsets(Model model, std::uint64_t seed);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__MODELS__CLOSE_RELEASES_HPP_
