// What a short simulation shows of a plan: one run with worst execution times, two with random ones; where no source has
// a known phase, four more at random phases; where only some have, or offsets count from several starts or clocks, four more
// in which sources without a known phase come at random phases, and these starts are at random distances.
//
// A simulation proves nothing. It shows what bounds cannot promise: a chain that is late in it is late. The same input
// gives the same result. Set-up only: allocates, takes up to a second or so.
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
    std::uint64_t missed = 0;  ///< of these, beyond the deadline
    Ns worst = -1;             ///< below 0: there was no response
    /// Whether it had responses, all within the deadline.
    bool met() const noexcept { return count > 0 && missed == 0; }
  };

  std::vector<Chain> chains;  ///< per chain of the model
  std::uint64_t skipped = 0;  ///< periods of timers
  std::uint64_t lost = 0;     ///< messages, overwritten in a history before they were taken
  Ns duration = 0;            ///< in virtual time, of all runs together
};

/// Faults: those of `build_model` and of `simulate`.
takt_rt::Result<SimulatedPlan> simulate_plan(
  const takt_schedule::System & system, const takt_schedule::Schedule & schedule);

/// ROS 2's own way for comparison: each executor a pool of as many ordinary threads as it may use cores, which picks as the
/// pool of rclcpp does. `options`: of these, the cores.
takt_schedule::Schedule stock_pool(
  const takt_schedule::System & system, const PlanOptions & options);

}  // namespace takt_plan

#endif  // TAKT_PLAN__SRC__SIMULATED_PLAN_HPP_
