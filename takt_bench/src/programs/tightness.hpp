// Compares bounds with the worst simulated response, for one generated system.
//
// The system has independent chains of a timer and subscriptions (generated_system.hpp), and a
// schedule of the kind that the analysis covers. No simulated response may exceed its bound. A
// response may be below its bound because the bound is pessimistic, or because the simulation did
// not meet the worst case. So the ratio is an upper bound on the pessimism of the analysis.
//
// The simulation uses worst execution times, with
// - the adversarial phases of simulate.hpp;
// - for each chain, phases in which the longest callback of each less important chain has just
//   begun when all others are released; for the most important chain also each of the others alone;
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
  priority,          ///< threads and cores as the planner `takt` chooses
  window_snapshot,   ///< one thread on each core, polling points; timers wait for them
  window_immediate,  ///< the same; timers do not wait
  pool,              ///< as many threads as cores; each thread may run any callback
  deadline           ///< one reservation on each core: 9.5 ms in each 10 ms
};

inline constexpr std::array kBounds{
  Bound::priority, Bound::window_snapshot, Bound::window_immediate, Bound::pool, Bound::deadline};

std::string_view to_string(Bound bound);

struct ChainTightness
{
  bool most_important = false;
  std::optional<takt_plan::Ns> bound;  ///< empty: the analysis finds no bound
  takt_plan::Ns worst = 0;             ///< the worst simulated response
  bool windows = false;  ///< for kinds of systems: the jobs have windows from known phases
};

/// Returns one result for each chain of the system with this seed: nine chains of five callbacks on
/// four cores, with an average load of `utilization` on each core. `options` may omit terms of the
/// analysis, for tests. Throws std::runtime_error if planning, analysis or simulation refuses the
/// whole system.
std::vector<ChainTightness> tightness(
  Bound kind, double utilization, std::uint64_t seed,
  const takt_plan::BoundsOptions & options = {});

}  // namespace takt_bench

#endif  // TAKT_BENCH__SRC__PROGRAMS__TIGHTNESS_HPP_
