// How far bounds are above the worst response that a search finds, for one system of a kind (kinds_of_system.hpp).
//
// The search simulates, and changes what was worst for each chain, as long as that is not better. It changes how long single
// runs take, since a shorter run may let another begin just before a more important one is due, or a message come before
// another. Without phases it changes the phases as well, and begins with the adversarial phases and random ones. With phases
// it begins with worst times and random ones. A ratio is an upper bound on how loose the analysis is.
//
// Set-up only: allocates, takes up to a second. The same input gives the same result.
#ifndef TAKT_BENCH__SRC__PROGRAMS__KIND_TIGHTNESS_HPP_
#define TAKT_BENCH__SRC__PROGRAMS__KIND_TIGHTNESS_HPP_

#include <cstdint>
#include <vector>

#include "programs/tightness.hpp"
#include "systems/kinds_of_system.hpp"

namespace takt_bench
{

/// Changes for each chain that are tried, by default.
inline constexpr int kChangesOfKinds = 2'000;

/// Of each chain of the system. Throws std::runtime_error if analysis or simulation refuse it.
std::vector<ChainTightness> tightness(
  Kind kind, bool phases, std::uint64_t seed, int changes = kChangesOfKinds);

}  // namespace takt_bench

#endif  // TAKT_BENCH__SRC__PROGRAMS__KIND_TIGHTNESS_HPP_
