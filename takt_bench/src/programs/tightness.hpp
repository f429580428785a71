// How far bounds are above the worst response that simulation finds, for one generated system.
//
// The system is independent chains of a timer and subscriptions (generated_system.hpp), under a
// schedule of the kind that the analysis is for. No simulated response may be above its bound. One
// below it may be so because the bound is loose, or because simulation did not meet the worst case:
// the ratio is an upper bound on how loose the analysis is.
//
// Simulated are worst execution times from
// - the adversarial phases of simulate.hpp;
// - for each chain: all chains that are less important are released so that the longest callback of
//   each has just begun when everything else is; for the most important one also each of them alone;
// - a few random phases.
//
// Set-up only: allocates, takes long. The same input gives the same result.
#ifndef TAKT_BENCH__SRC__PROGRAMS__TIGHTNESS_HPP_
#define TAKT_BENCH__SRC__PROGRAMS__TIGHTNESS_HPP_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "takt_plan/bounds.hpp"

namespace takt_bench
{

enum class Bound
{
  priority,          ///< threads and cores as the planner `takt` chooses them
  window_snapshot,   ///< one thread on each core, polling points; timers wait for them
  window_immediate,  ///< the same; timers do not wait
  pool,              ///< as many threads as cores, any of which runs any callback
  deadline           ///< one reservation on each core: 9.5 ms in each 10 ms
};

inline constexpr std::array kBounds{
  Bound::priority, Bound::window_snapshot, Bound::window_immediate, Bound::pool, Bound::deadline};

std::string_view to_string(Bound bound);

struct ChainTightness
{
  bool most_important = false;
  std::optional<takt_plan::Ns> bound;  ///< none: the analysis has none
  takt_plan::Ns worst = 0;             ///< simulated
  bool windows = false;  ///< of a kind of system: its jobs have windows, from known phases
};

/// Of each chain of the system of this seed: nine chains of five callbacks on four cores, each core
/// loaded by `utilization` on average. `options` leaves terms of the analysis out, for tests.
/// Throws std::runtime_error if planning, analysis or simulation refuse the whole system.
std::vector<ChainTightness> tightness(
  Bound kind, double utilization, std::uint64_t seed,
  const takt_plan::BoundsOptions & options = {});

}  // namespace takt_bench

#endif  // TAKT_BENCH__SRC__PROGRAMS__TIGHTNESS_HPP_
