// The simulation's model: the analysis model, and further data for runs.
//
// For a plan, placement, priorities and links are those of `build_model`. The schedule's resolver
// gives the bindings. So the simulated schedulers have the bindings of a running executor. Set-up
// only: allocates, does not block.
#ifndef TAKT_PLAN__SIMULATION_MODEL_HPP_
#define TAKT_PLAN__SIMULATION_MODEL_HPP_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "takt_core/chain.hpp"
#include "takt_core/scheduler.hpp"
#include "takt_core/timer.hpp"
#include "takt_plan/kernel_model.hpp"
#include "takt_plan/load_plan.hpp"
#include "takt_plan/model.hpp"

namespace takt_plan
{

/// Further data of the `Task` with the same index.
struct SimulatedTask
{
  takt_core::Kind kind = takt_core::Kind::subscription;
  takt_core::Binding binding;  ///< without threads; the task has them
  takt_core::MissedPeriods missed_periods = takt_core::MissedPeriods::skip;
  std::uint32_t depth = 10;  ///< messages kept per topic
  Ns best = 0;               ///< shortest execution time; the task has the longest
  /// Execution times and the count of each, in rising order; empty: unknown.
  std::vector<std::pair<Ns, std::uint64_t>> histogram;
  Ns dispatch = 0;           ///< per run, before the take
  Ns take = 0;               ///< per run, for the take
  Ns publish = 0;            ///< per run, for the publishes
  Ns deadline = kUnbounded;  ///< from the callback's own release
};

/// Further data of the `Thread` with the same index.
struct SimulatedThread
{
  KernelThread kernel;  ///< with the host's numbers of cores
  int urgency = 0;      ///< the urgency that the executor gives to its scheduler
};

/// The whole model.
struct SimulationModel
{
  Model model;
  std::vector<SimulatedTask> tasks;
  std::vector<SimulatedThread> threads;
  std::vector<Ns> others;            ///< execution time of each `OtherLoad`, without context
                                     ///< switches
  std::vector<Ns> context_switches;  ///< per host: the cost of one switch
  std::vector<takt_core::ChainOptions> chains;  ///< chains in the schedulers' form
};

/// Makes the model of a plan.
SimulationModel simulation_model(const Plan & plan);

/// Makes a model without a system: longest times only, histories that lose no message but those of
/// inputs, and each task's overheads without further switches. Faults: those of `check`
/// (model.hpp), and deadline threads without a reservation.
takt_rt::Result<SimulationModel> simulation_model(Model model);

}  // namespace takt_plan

#endif  // TAKT_PLAN__SIMULATION_MODEL_HPP_
