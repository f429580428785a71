// Moves of callbacks to other threads, which save context switches.
#include "planners/takt/fewer_switches.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "planners/context_switches.hpp"
#include "takt_schedule/parse_system.hpp"

namespace takt_plan
{
namespace
{

using detail::Block;
using detail::Layout;
using detail::Score;

// A timer on core 0 starts a callback on core 1, where a longer callback is less urgent.
const std::string kCallbacks = R"yaml(version: 1
hosts: {car: {cores: 2}}
callbacks:
  - {id: "/a:timer(10ms)", time: 10us, period: 10ms, publishes: /a}
  - {id: "/b:sub(/a)", time: 1ms, triggers: /a}
  - {id: "/c:timer(100ms)", time: 20ms, period: 100ms}
)yaml";
const std::string kSystem = kCallbacks + R"yaml(chains:
  ab: {path: ["/a:timer(10ms)", "/b:sub(/a)"], priority: 2, deadline: 10ms}
  c: {path: ["/c:timer(100ms)"], priority: 1, deadline: 100ms}
)yaml";

struct FewerSwitches : testing::Test
{
  explicit FewerSwitches(const std::string & text = kSystem)
  : problem(*detail::plan_problem(*takt_schedule::parse_system(text, "system.yaml"), {})),
    layout(problem)
  {
    layout.set(0, {{0, {0}}});
    layout.set(1, {{0, {1}}, {0, {2}}});
    score = detail::score(problem, layout);
  }

  double switches() const
  {
    return context_switches(problem, layout.on(0)) + context_switches(problem, layout.on(1));
  }
  bool make(bool may_stay = true)
  {
    double cost = 0;
    const bool moved = make_fewer_switches(
      problem, 0.05,
      [&](const Layout & tried, const Score & found) {
        ++asked;
        EXPECT_EQ(detail::score(problem, tried).slacks, found.slacks);
        return may_stay;
      },
      layout, score, cost);
    EXPECT_GT(cost, 0);
    EXPECT_EQ(detail::score(problem, layout).slacks, score.slacks);
    return moved;
  }

  const detail::PlanProblem problem;
  Layout layout;
  Score score;
  int asked = 0;
};

TEST_F(FewerSwitches, ATimerMovesToTheThreadOfTheCallbackThatItStarts)
{
  const double before = switches();
  EXPECT_TRUE(make());
  EXPECT_NEAR(before - switches(), 2 * 100, 1e-6);  // each run of /b was a switch, and one back
  EXPECT_EQ(layout.core_of(0), layout.core_of(1));
  EXPECT_EQ(layout.threads(), 2U);
  EXPECT_TRUE(score.missed.empty());
}

// Behind the callback that it starts, by priority: where an activation is late, the next one may
// not overtake it.
TEST_F(FewerSwitches, ATimerThatMovesIsLessUrgentThanWhatItStarts)
{
  ASSERT_TRUE(make());
  EXPECT_EQ(layout.on(1)[0].tasks, (std::vector<Index>{1, 0}));
}

TEST_F(FewerSwitches, NothingMovesIfTheCallerRefuses)
{
  const double before = switches();
  EXPECT_FALSE(make(false));
  EXPECT_GT(asked, 0);
  EXPECT_EQ(switches(), before);
  EXPECT_EQ(layout.core_of(0), 0U);
  EXPECT_EQ(layout.core_of(1), 1U);
  EXPECT_EQ(layout.on(1).size(), 2U);
}

// On the thread of /b, the timer would wait for /c. Instead, /b moves to the timer's thread.
struct ShortDeadline : FewerSwitches
{
  ShortDeadline()
  : FewerSwitches(kCallbacks + R"yaml(chains:
  a: {path: ["/a:timer(10ms)"], priority: 2, deadline: 2ms}
  ab: {path: ["/a:timer(10ms)", "/b:sub(/a)"], priority: 1, deadline: 100ms}
  c: {path: ["/c:timer(100ms)"], priority: 1, deadline: 100ms}
)yaml")
  {
    layout.set(1, {{0, {1, 2}}});
    score = detail::score(problem, layout);
  }
};

TEST_F(ShortDeadline, AMoveKeepsIt)
{
  ASSERT_TRUE(score.missed.empty());
  EXPECT_TRUE(make());
  EXPECT_TRUE(score.missed.empty());
  EXPECT_EQ(layout.core_of(0), layout.core_of(1));
  EXPECT_NE(layout.core_of(0), layout.core_of(2));
  EXPECT_EQ(layout.on(0)[0].tasks, (std::vector<Index>{1, 0})) << "/b before its timer";
}

// Each core runs the timer of one chain and the subscription of the other one. One move alone would
// fill a core.
struct FullCores : FewerSwitches
{
  FullCores()
  : FewerSwitches(R"yaml(version: 1
hosts: {car: {cores: 2}}
callbacks:
  - {id: "/a:timer(10ms)", time: 3300us, period: 10ms, publishes: /a}
  - {id: "/b:sub(/a)", time: 3300us, triggers: /a}
  - {id: "/c:timer(10ms)", time: 3300us, period: 10ms, publishes: /c}
  - {id: "/d:sub(/c)", time: 3300us, triggers: /c}
chains:
  ab: {path: ["/a:timer(10ms)", "/b:sub(/a)"], deadline: 50ms}
  cd: {path: ["/c:timer(10ms)", "/d:sub(/c)"], deadline: 50ms}
)yaml")
  {
    layout.set(0, {{0, {3, 0}}});
    layout.set(1, {{0, {1, 2}}});
    score = detail::score(problem, layout);
  }
};

TEST_F(FullCores, TwoCallbacksChangePlaces)
{
  ASSERT_TRUE(score.missed.empty());
  const double before = switches();
  EXPECT_TRUE(make());
  EXPECT_NEAR(before - switches(), 2 * 2 * 100, 1e-6);
  EXPECT_EQ(layout.core_of(0), layout.core_of(1));
  EXPECT_EQ(layout.core_of(2), layout.core_of(3));
  EXPECT_NE(layout.core_of(0), layout.core_of(2));
  EXPECT_EQ(layout.threads(), 2U);
  EXPECT_NEAR(layout.load(0), layout.load(1), 1e-6);
  EXPECT_TRUE(score.missed.empty());
}

TEST_F(FullCores, NothingChangesPlacesIfTheCallerRefuses)
{
  EXPECT_FALSE(make(false));
  EXPECT_GT(asked, 0);
  EXPECT_EQ(layout.on(0)[0].tasks, (std::vector<Index>{3, 0}));
  EXPECT_EQ(layout.on(1)[0].tasks, (std::vector<Index>{1, 2}));
}

}  // namespace
}  // namespace takt_plan
