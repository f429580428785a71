// Plans of systems without a proof of all deadlines, compared in simulation with isolation, PiCAS,
// and ROS 2's pool.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "planners/simulated_plan.hpp"
#include "support/campaign.hpp"
#include "support/planning.hpp"
#include "takt_plan/draw.hpp"

namespace takt_plan
{
namespace
{

using takt_schedule::System;

/// Chains with short deadlines on nearly full cores.
System tight_system(std::uint64_t seed)
{
  Draw draw(seed);
  const int cores = static_cast<int>(draw.between(1, 2));
  const double load = 0.01 * static_cast<double>(draw.between(70, 95)) * cores;
  System system = test::random_chains(cores, static_cast<int>(draw.between(2, 5)), load, seed);
  for (auto & chain : system.chains) {
    auto & deadline = chain.options.deadline;
    deadline = deadline / 100 * draw.between(30, 100);
  }
  for (auto & callback : system.callbacks) {
    callback.any_phase = callback.is_timer() && seed % 2 == 0;
  }
  return system;
}

struct Seen
{
  std::vector<bool> met;  ///< the most important first
  bool skips = false;
};

Seen seen(const System & system, const Planned & planned, const takt_schedule::Schedule & schedule)
{
  const auto simulated = simulate_plan(system, schedule);
  EXPECT_TRUE(simulated.ok());
  Seen result;
  for (const Index chain : planned.chains) {
    result.met.push_back(simulated->chains[chain].met());
  }
  result.skips = simulated->skipped > 0;
  return result;
}

/// True if `other` keeps more deadlines, and all that `plan` keeps.
bool better_in_all(const Seen & other, const Seen & plan)
{
  for (Index i = 0; i < plan.met.size(); ++i) {
    if (plan.met[i] && !other.met[i]) {
      return false;
    }
  }
  return (plan.skips || !other.skips) && (plan.met != other.met || plan.skips != other.skips);
}

TEST(PlannerSimulated, NoOtherWayToRunTheSystemIsBetterInSimulation)
{
  int late = 0, better_somewhere = 0;
  for (std::uint64_t i = 0; i < test::rounds(5); ++i) {
    const std::uint64_t seed = test::seed() + i;
    SCOPED_TRACE("TAKT_TEST_SEED=" + std::to_string(seed));
    const System system = tight_system(seed);
    std::atomic<int> looks = 0;
    PlanOptions options;
    options.walks = true;
    options.enough_when_proven = true;
    options.time_used = [&] { return static_cast<double>(++looks) / 2'000; };  // a short search
    const Planned planned = test::plan_of(system, options);
    const Seen plan = seen(system, planned, planned.schedule);
    late += std::count(plan.met.begin(), plan.met.end(), false) > 0 ? 1 : 0;
    const auto compare = [&](const char * name, const takt_schedule::Schedule & schedule) {
      const Seen other = seen(system, planned, schedule);
      EXPECT_FALSE(better_in_all(other, plan)) << name;
      for (Index chain = 0; chain < plan.met.size(); ++chain) {
        better_somewhere += other.met[chain] && !plan.met[chain] ? 1 : 0;
      }
    };
    for (const Planner planner : {Planner::isolated, Planner::picas}) {
      const Planned other = test::plan_of(system, test::by(planner));
      compare(std::string(to_string(planner)).c_str(), other.schedule);
    }
    compare("stock", stock_pool(system, {}));
  }
  RecordProperty("late", late);
  RecordProperty("better_somewhere", better_somewhere);
  EXPECT_GT(late, 0) << "systems that are no test";
}

/// By its bounds no merger costs the inertial sensor a deadline, because no chain has it. But in
/// simulation it skips periods behind the callbacks of the chains, so it keeps a thread of its own.
/// The chains share threads all the same.
TEST(PlannerSimulated, OmitsOnlyTheMergersThatCostPeriods)
{
  const System system = test::system_of(R"yaml(
hosts: {car: {cores: 2}}
overheads: {dispatch: 2us, middleware: 20us, context_switch: 4us}
callbacks:
  - {id: "/camera:timer(40ms)", time: 2ms, period: 40ms, publishes: /image}
  - {id: "/lidar:timer(100ms)", time: 3ms, period: 100ms, publishes: /points}
  - {id: ["/fuse:sub(/image)", "/fuse:sub(/points)"], time: 12ms, triggers: [/image, /points], trigger: newest, publishes: /objects}
  - {id: "/plan:sub(/objects)", time: 8ms, triggers: /objects, publishes: /path}
  - {id: "/control:sub(/path)", time: 1ms, triggers: /path}
  - {id: "/imu:timer(1ms)", time: 100us, period: 1ms, offset: any}
chains:
  objects:
    path: ["/lidar:timer(100ms)", "/fuse:sub(/points)", "/plan:sub(/objects)", "/control:sub(/path)"]
    priority: 90
    deadline: 40ms
  image: {path: ["/camera:timer(40ms)", "/fuse:sub(/image)"], priority: 50, deadline: 100ms}
)yaml");
  PlanOptions options;
  options.walks = true;
  const Planned planned = test::plan_of(system, options);
  const auto simulated = simulate_plan(system, planned.schedule);
  ASSERT_TRUE(simulated.ok());
  EXPECT_EQ(simulated->skipped, 0U);
  EXPECT_LE(planned.assignment.threads.size(), 3U);
  EXPECT_EQ(test::thread_of(planned, "/imu:timer(1ms)").tasks.size(), 1U);
  EXPECT_TRUE(all_met(planned));
  EXPECT_GT(planned.trade.size(), 1U);
}

}  // namespace
}  // namespace takt_plan
