// Hooks that get the events of a simulated run. The timeline uses them.
#ifndef TAKT_PLAN__SIMULATION_OBSERVER_HPP_
#define TAKT_PLAN__SIMULATION_OBSERVER_HPP_

#include "takt_plan/model.hpp"

namespace takt_plan
{

/// The activity of a thread on a core.
enum class Activity
{
  switching,  ///< a context switch of the kernel, or a search for work
  job,        ///< a run of a callback with its overheads
  other       ///< a thread outside of executors
};

/// Derive from this class. Each hook does nothing by default. Times are in ns.
class SimulationObserver
{
public:
  virtual ~SimulationObserver() = default;

  /// `thread` had `core` from `from` to `to`. Calls come in order of time; uninterrupted work may
  /// come in several pieces. Threads of `OtherLoad` have the numbers after those of the model.
  /// `task`: of a job, else kNone.
  virtual void on_work(
    Index /*core*/, Index /*thread*/, Activity, Index /*task*/, Ns /*from*/, Ns /*to*/)
  {
  }
  /// A run of `task` on `thread` ended.
  virtual void on_end(Index /*thread*/, Index /*task*/, Ns /*release*/, Ns /*start*/, Ns /*end*/) {}
  /// An activation of a chain ended.
  virtual void on_chain_end(Index /*chain*/, Ns /*release*/, Ns /*end*/) {}
};

}  // namespace takt_plan

#endif  // TAKT_PLAN__SIMULATION_OBSERVER_HPP_
