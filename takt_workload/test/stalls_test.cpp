// Causes that delay threads. Samples are marked if the host delayed them, and not if the kernel
// did.
#include "figures/summary.hpp"
#include "synthetic_records.hpp"

namespace takt_workload
{

TEST_F(Records, SamplesThatOverlapAStallAreMarked)
{
  round(0, 1);
  round(100, 2);
  process.stalls.push_back({0, at(105), at(107)});
  const Analysis figures = result();
  EXPECT_EQ(figures.hot_path.latency.stalled, (std::vector<char>{0, 1}));
  EXPECT_EQ(figures.chains[0].responses.stalled, (std::vector<char>{0, 1}));
  EXPECT_EQ(figures.planner.lateness.stalled, (std::vector<char>{0, 0}));
  EXPECT_EQ(
    without_stalled(figures.hot_path.latency.ns, figures.hot_path.latency.stalled).size(), 1u);
}

TEST_F(Records, WhatIsReleasedBeforeAStallIsCaughtUpWithIsMarkedApart)
{
  round(0, 1);
  run("/Planner:timer(100ms)", 95, 99, 101, 0, true);
  round(101.5, 2);  // a message of the run before may still arrive
  round(200, 3);
  process.stalls.push_back({0, at(94), at(98)});
  process.stalls.push_back({0, at(140), at(150)});  // this stall delayed no run
  const Analysis figures = result();
  EXPECT_EQ(figures.chains[0].responses.stalled, (std::vector<char>{0, 0, 0}));
  EXPECT_EQ(figures.chains[0].catching_up, (std::vector<char>{0, 1, 0}));
}

TEST_F(Records, AStallIsNotCaughtUpWithForever)
{
  run("/Planner:timer(100ms)", 0, 1, 900, 0, true);  // a run is always in progress
  for (int i = 0; i < 3; ++i) {
    round(100 + 60 * i, static_cast<std::uint64_t>(i) + 1);
  }
  process.stalls.push_back({0, at(90), at(91)});  // catching up until 141
  EXPECT_EQ(result().chains[0].catching_up, (std::vector<char>{1, 0, 0}));
  process.stalls.push_back({0, at(80), at(90)});  // with the other stall, catching up until 190
  EXPECT_EQ(result().chains[0].catching_up, (std::vector<char>{1, 1, 0}));
}

TEST_F(Records, WhatTheKernelHeldBackIsNoStallOfTheHost)
{
  round(0, 1);
  process.stalls.push_back({0, at(5), at(7), Stall::Source::throttled});
  const Analysis figures = result();
  ASSERT_EQ(figures.stalls.size(), 1u);
  EXPECT_EQ(figures.hot_path.latency.stalled, (std::vector<char>{0}));
  EXPECT_EQ(figures.chains[0].responses.stalled, (std::vector<char>{0}));
}

// Only the run that took longer than its CPU time is marked. Other runs of the same time had no
// delay.
TEST_F(Records, WorkThatOverranItsCpuTimeIsAStall)
{
  round(0, 1);
  process.runs[4].work_cpu += milliseconds(1);
  process.runs[4].work_end = at(11);
  run("/Filter:sub(/Fusion)", 108, 109, 112, 2, true);
  process.runs.back().work_cpu += milliseconds(1);
  process.runs.back().work_end = at(112);
  run("/Planner:timer(100ms)", 109, 110, 110.5, 0, true);
  const Analysis result_of_planner = result();
  EXPECT_EQ(result_of_planner.planner.lateness.stalled, (std::vector<char>{0, 0}));
  process.runs.resize(process.runs.size() - 2);
  const Analysis figures = result();
  ASSERT_EQ(figures.stalls.size(), 1u);
  EXPECT_EQ(figures.stalls[0].source, Stall::Source::overrun);
  EXPECT_EQ(figures.hot_path.latency.stalled, (std::vector<char>{1}));
}

}  // namespace takt_workload
