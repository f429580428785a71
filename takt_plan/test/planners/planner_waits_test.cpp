// Plans keep a callback that waits within a run, and the callbacks that it waits for, on different
// threads.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/planning.hpp"
#include "takt_plan/load_plan.hpp"
#include "takt_plan/planner.hpp"
#include "takt_schedule/to_yaml.hpp"
#include "takt_schedule/wait_warnings.hpp"

namespace takt_plan
{
namespace
{

using test::by;
using test::expect_sound;
using test::plan_of;
using test::system_of;
using test::thread_of;

/// takt's observation of a timer that calls a service of its own process. `chains`: declared
/// chains.
std::string call_in_callback(int cores, const std::string & chains = {})
{
  return "\noverheads: {}\nhosts: {car: {cores: " + std::to_string(cores) + R"yaml(}}
groups:
  "/caller:group(default)": mutually_exclusive
  "/caller:group(1)": mutually_exclusive
  "/caller:group(2)": mutually_exclusive
callbacks:
  - {id: "/caller:timer(200ms)", group: "/caller:group(default)", time: 1ms, period: 200ms,
     publishes: /done, waits_for: ["/caller:service(/work)", "/caller:client(/work)"]}
  - {id: "/caller:service(/work)", group: "/caller:group(1)", time: 1ms}
  - {id: "/caller:client(/work)", group: "/caller:group(2)", time: 1ms}
  - {id: "/reader:sub(/done)", time: 1ms, triggers: /done}
)yaml" + chains;
}

const std::string kChain = R"yaml(
chains:
  work: {path: ["/caller:timer(200ms)", "/reader:sub(/done)"], priority: 1, deadline: 50ms}
)yaml";

class WaitingPlan : public testing::TestWithParam<Planner>
{
};

TEST_P(WaitingPlan, KeepsWhatIsWaitedForOnOtherThreads)
{
  for (const int cores : {1, 2}) {
    for (const std::string & chains : {std::string(), kChain}) {
      const takt_schedule::System system = system_of(call_in_callback(cores, chains));
      const Planned planned = plan_of(system, by(GetParam()));
      const AssignedThread & own = thread_of(planned, "/caller:timer(200ms)");
      EXPECT_NE(own, thread_of(planned, "/caller:service(/work)"));
      EXPECT_NE(own, thread_of(planned, "/caller:client(/work)"));
      EXPECT_TRUE(takt_schedule::wait_warnings(system, planned.schedule).empty());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
  Planners, WaitingPlan,
  testing::Values(
    Planner::takt, Planner::isolated, Planner::rate_monotonic, Planner::picas, Planner::competition,
    Planner::competition_literal),
  [](const auto & info) {
    std::string name(to_string(info.param));
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
  });

TEST(WaitingPlan, OfTheDefaultPlannerHasBoundsAlsoOnOneCore)
{
  for (const int cores : {1, 2}) {
    const takt_schedule::System system = system_of(call_in_callback(cores, kChain));
    const Planned planned = plan_of(system);
    EXPECT_TRUE(all_met(planned));
    for (const auto & bound : planned.bounds.tasks) {
      EXPECT_TRUE(bound.ok()) << bound.faults().front();
    }
    expect_sound(system, planned);
  }
}

TEST(WaitingPlan, WithoutWaitsThePlanWouldNotNeedThreads)
{
  takt_schedule::System system = system_of(call_in_callback(1, kChain));
  for (auto & callback : system.callbacks) {
    callback.waits_for.clear();
    if (callback.triggers.empty()) {
      callback.period = std::chrono::milliseconds(200);
    }
  }
  EXPECT_EQ(plan_of(system).assignment.threads.size(), 1U);
}

/// Each timer waits for the other timer's service, and that service waits for a third. An awaited
/// callback never shares its thread with a waiting one.
TEST(WaitingPlan, SeparatesWaitsOfWaits)
{
  const takt_schedule::System system = system_of(R"yaml(
overheads: {}
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/a:timer(100ms)", time: 1ms, period: 100ms, waits_for: "/b:service(/b)"}
  - {id: "/b:timer(100ms)", time: 1ms, period: 100ms, waits_for: "/a:service(/a)"}
  - {id: "/a:service(/a)", time: 1ms, waits_for: "/c:service(/c)"}
  - {id: "/b:service(/b)", time: 1ms}
  - {id: "/c:service(/c)", time: 1ms}
)yaml");
  for (const Planner planner : {Planner::takt, Planner::picas, Planner::competition_literal}) {
    const Planned planned = plan_of(system, by(planner));
    EXPECT_TRUE(takt_schedule::wait_warnings(system, planned.schedule).empty())
      << takt_schedule::to_yaml(planned.schedule);
    EXPECT_NE(thread_of(planned, "/a:service(/a)"), thread_of(planned, "/c:service(/c)"));
    EXPECT_NE(thread_of(planned, "/b:timer(100ms)"), thread_of(planned, "/a:service(/a)"));
  }
}

}  // namespace
}  // namespace takt_plan
