// What simulation works on: the analysis model, and what runs need beyond it.
//
// Of a plan it decides nothing itself: placement, priorities and links are those of `build_model`, and
// rules are asked of the schedule's resolver, so that the simulated schedulers get the bindings that a
// running executor would give them. Set-up only: allocates, does not block.
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

/// Beyond `Task`, at the same index.
struct SimulatedTask
{
  takt_core::Kind kind = takt_core::Kind::subscription;
  takt_core::Binding binding;  ///< without its threads, which are the task's
  takt_core::MissedPeriods missed_periods = takt_core::MissedPeriods::skip;
  std::uint32_t depth = 10;  ///< messages kept per topic
  Ns best = 0;               ///< execution time; the worst is the task's
  /// Execution times and how often each was seen, in rising order; empty: not known.
  std::vector<std::pair<Ns, std::uint64_t>> histogram;
  Ns dispatch = 0;           ///< before it takes, per run
  Ns take = 0;               ///< middleware's share, per run
  Ns publish = 0;            ///< middleware's share, per run
  Ns deadline = kUnbounded;  ///< from its own release
};

/// Beyond `Thread`, at the same index.
struct SimulatedThread
{
  KernelThread kernel;  ///< cores are numbered within the host
  int urgency = 0;      ///< as the executor tells it to its scheduler
};

struct SimulationModel
{
  Model model;
  std::vector<SimulatedTask> tasks;
  std::vector<SimulatedThread> threads;
  std::vector<Ns> others;            ///< execution time of each `OtherLoad`, without switches
  std::vector<Ns> context_switches;  ///< per host: what each one costs
  std::vector<takt_core::ChainOptions> chains;  ///< as the schedulers are told of them
};

SimulationModel simulation_model(const Plan & plan);

/// Of a model that was filled by hand: worst times only, histories that lose nothing, and overheads
/// as each task has them, with no switches on top. Faults: those of `check` (model.hpp), and deadline
/// threads without a reservation.
takt_rt::Result<SimulationModel> simulation_model(Model model);

}  // namespace takt_plan

#endif  // TAKT_PLAN__SIMULATION_MODEL_HPP_
