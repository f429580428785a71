// Random systems of several processes on one epoch.
#ifndef TAKT_PLAN__TEST__SUPPORT__STARTED_MODEL_HPP_
#define TAKT_PLAN__TEST__SUPPORT__STARTED_MODEL_HPP_

#include <cstdint>

#include "takt_plan/model.hpp"

namespace takt_plan::test
{

/// One to three processes, with sets that wait for messages of several processes.
Model some_processes(std::uint64_t seed);

/// The long-term load of the fuller core.
double load_of(const Model & model);

/// Above this load of a core, the work that a start leaves takes long.
inline constexpr double kMostLoad = 0.95;

/// The time at which sets have settled and that work is done, if all processes have started, and
/// their timers have run, by `started`.
Ns settled_from(const Model & model, Ns started);

/// After this time all releases repeat.
Ns hyperperiod_of(const Model & model);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__STARTED_MODEL_HPP_
