// Simulates a plan briefly: one run with worst execution times, two runs with random times, and
// four more if phases are uncertain. If no source has a known phase, all phases are random in these
// four runs. If only some sources have known phases, or if offsets count from several starts or
// clocks, the unknown phases and the distances between the starts are random.
//
// A simulation proves nothing. But if a chain is late in the simulation, the plan can be late. The
// same input gives the same result. Set-up only: allocates, takes up to about a second.
#ifndef TAKT_PLAN__SRC__SIMULATED_PLAN_HPP_
#define TAKT_PLAN__SRC__SIMULATED_PLAN_HPP_

#include <cstdint>
#include <vector>

#include "takt_plan/model.hpp"
#include "takt_plan/planner.hpp"
#include "takt_rt/result.hpp"
#include "takt_schedule/schedule.hpp"
#include "takt_schedule/system.hpp"

namespace takt_plan
{

struct SimulatedPlan
{
  struct Chain
  {
    std::uint64_t count = 0;   ///< responses
    std::uint64_t missed = 0;  ///< responses beyond the deadline
    Ns worst = -1;             ///< the longest response; below 0: no response
    /// True if another plan, in which timers skip periods, meets or proves the chain's deadline,
    /// and this plan does not.
    bool pays_for_periods = false;
    /// True if the chain had responses, all within the deadline.
    bool met() const noexcept { return count > 0 && missed == 0; }
  };

  std::vector<Chain> chains;         ///< per chain of the model
  std::uint64_t skipped = 0;         ///< periods that timers skipped
  std::vector<std::uint64_t> skips;  ///< the same, per task of the model
  std::uint64_t lost = 0;            ///< messages that a history overwrote before they were taken
  Ns duration = 0;                   ///< virtual time of all runs together
  Index runs = 0;
  /// The common multiple of the periods of all timers and messages from outside; kUnbounded: more
  /// than 64 bits. 0: there are none.
  Ns hyperperiod = 0;
};

/// Faults: those of `build_model` and of `simulate`.
takt_rt::Result<SimulatedPlan> simulate_plan(
  const takt_schedule::System & system, const takt_schedule::Schedule & schedule);

/// The schedule of stock ROS 2, for comparison. Each executor is a pool with one ordinary thread
/// for each core that it may use, and runs callbacks in the order of rclcpp's pool. `options`: only
/// the usable cores matter.
takt_schedule::Schedule stock_pool(
  const takt_schedule::System & system, const PlanOptions & options);

}  // namespace takt_plan

#endif  // TAKT_PLAN__SRC__SIMULATED_PLAN_HPP_
