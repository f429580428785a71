// Hooks through which a simulated run is watched, as the timeline does.
#ifndef TAKT_PLAN__SIMULATION_OBSERVER_HPP_
#define TAKT_PLAN__SIMULATION_OBSERVER_HPP_

#include "takt_plan/model.hpp"

namespace takt_plan
{

/// What a thread does on a core.
enum class Activity
{
  switching,  ///< the kernel's, or it looks for work
  job,        ///< runs a callback, overheads included
  other       ///< a thread that is not an executor's
};

class SimulationObserver
{
public:
  virtual ~SimulationObserver() = default;

  /// `thread` had `core` from `from` to `to`; in order of time, uninterrupted work in several pieces.
  /// Threads of `OtherLoad` are numbered behind the model's. `task`: of a job, else kNone.
  virtual void on_work(
    Index /*core*/, Index /*thread*/, Activity, Index /*task*/, Ns /*from*/, Ns /*to*/)
  {
  }
  /// A run of `task` on `thread` is over.
  virtual void on_end(Index /*thread*/, Index /*task*/, Ns /*release*/, Ns /*start*/, Ns /*end*/) {}
  /// With it, a chain's activation is.
  virtual void on_chain_end(Index /*chain*/, Ns /*release*/, Ns /*end*/) {}
};

}  // namespace takt_plan

#endif  // TAKT_PLAN__SIMULATION_OBSERVER_HPP_
