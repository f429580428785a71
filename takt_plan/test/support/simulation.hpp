// Runs a model of pinned fifo threads event by event, to find responses above their bounds.
//
// It is independent of the analyses: it has threads, queues and messages, but no windows. Its
// kernel is SCHED_FIFO: the most urgent runnable thread of a core runs; among equals, the one that
// became runnable first runs until it has no work. Each thread takes the highest priority first,
// then the earliest release. Under `window` it takes one run of each task that was ready at the
// polling point, timers first, then by index. A run publishes at some point. Other threads must be
// pinned. Groups, ceilings and overheads are not simulated.
#ifndef TAKT_PLAN__TEST__SUPPORT__SIMULATION_HPP_
#define TAKT_PLAN__TEST__SUPPORT__SIMULATION_HPP_

#include <cstdint>
#include <vector>

#include "takt_plan/model.hpp"

namespace takt_plan::test
{

/// The choices that the model leaves open.
struct Situation
{
  std::uint64_t seed = 1;
  bool same_phase = false;   ///< all first releases come at once
  bool worst_times = false;  ///< each run takes its worst time and publishes at its end
  Ns until = 0;              ///< end of releases; runs in progress still end
};

struct Observed
{
  std::vector<Ns> tasks;   ///< longest time from the nominal release to the end; -1: the task never
                           ///< ran
  std::vector<Ns> chains;  ///< the same for runs along exactly the chain's path
  std::uint64_t runs = 0;
};

Observed simulate(const Model & model, const Situation & situation);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__SIMULATION_HPP_
