// Runs a model of pinned fifo threads event by event, to look for responses above their bounds.
//
// Independent of the analyses: it knows threads, queues and messages, not windows. The kernel's part
// is SCHED_FIFO: the most urgent runnable thread of a core runs; of equals the one that was runnable
// first, until it has nothing to do. Each thread takes the highest priority first, then the earliest
// release; under `window` one run of each task that was ready at the polling point, timers first, then
// by index. A run publishes at some point of it. Other threads must be pinned; groups, ceilings and
// overheads are not simulated.
#ifndef TAKT_PLAN__TEST__SUPPORT__SIMULATION_HPP_
#define TAKT_PLAN__TEST__SUPPORT__SIMULATION_HPP_

#include <cstdint>
#include <vector>

#include "takt_plan/model.hpp"

namespace takt_plan::test
{

/// What the model leaves open.
struct Situation
{
  std::uint64_t seed = 1;
  bool same_phase = false;   ///< all first releases at once
  bool worst_times = false;  ///< every run takes its worst time and publishes at its end
  Ns until = 0;              ///< releases end then; what is under way still ends
};

struct Observed
{
  std::vector<Ns> tasks;   ///< longest time from the nominal release to the end; -1: never ran
  std::vector<Ns> chains;  ///< the same, of runs that came by exactly the chain's path
  std::uint64_t runs = 0;
};

Observed simulate(const Model & model, const Situation & situation);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__SIMULATION_HPP_
