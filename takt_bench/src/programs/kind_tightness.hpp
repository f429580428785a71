// Compares bounds with the worst response that a search finds, for one system of a kind
// (kinds_of_system.hpp).
//
// For each chain the search simulates its worst situation with one change, and keeps the change if
// the response is not shorter. It changes the execution times of single runs, since a shorter run
// may let another run begin just before a more important one is due, or let a message arrive before
// another one. It also changes when single runs send their messages: callbacks may publish at any
// time, and bounds count on that. Without known phases it also changes the phases, and begins with
// the adversarial phases and random ones. With known phases it begins with worst and random
// execution times. The ratio is an upper bound on the pessimism of the analysis.
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

/// The default number of changes for each chain.
inline constexpr int kChangesOfKinds = 2'000;

/// Returns one result for each chain of the system. Throws std::runtime_error if the analysis or
/// the simulation refuses the system.
std::vector<ChainTightness> tightness(
  Kind kind, bool phases, std::uint64_t seed, int changes = kChangesOfKinds);

}  // namespace takt_bench

#endif  // TAKT_BENCH__SRC__PROGRAMS__KIND_TIGHTNESS_HPP_
