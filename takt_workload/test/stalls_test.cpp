// What held threads up: the host, which samples are marked for, or the kernel, which they are not.
#include <algorithm>
#include <thread>

#include "synthetic_records.hpp"
#include "takt_core/thread_attributes.hpp"
#include "takt_workload/stall_witness.hpp"
#include "takt_workload/summary.hpp"

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
  round(101.5, 2);  // what the run before has sent may still arrive
  round(200, 3);
  process.stalls.push_back({0, at(94), at(98)});
  process.stalls.push_back({0, at(140), at(150)});  // nobody noticed
  const Analysis figures = result();
  EXPECT_EQ(figures.chains[0].responses.stalled, (std::vector<char>{0, 0, 0}));
  EXPECT_EQ(figures.chains[0].catching_up, (std::vector<char>{0, 1, 0}));
}

TEST_F(Records, AStallIsNotCaughtUpWithForever)
{
  run("/Planner:timer(100ms)", 0, 1, 900, 0, true);  // something is always under way
  for (int i = 0; i < 3; ++i) {
    round(100 + 60 * i, static_cast<std::uint64_t>(i) + 1);
  }
  process.stalls.push_back({0, at(90), at(91)});  // until 141
  EXPECT_EQ(result().chains[0].catching_up, (std::vector<char>{1, 0, 0}));
  process.stalls.push_back({0, at(80), at(90)});  // with the other, until 190
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

// Told is what certainly was, within the measured time, and what happened at the same time once.
TEST_F(Records, StallsAreToldAsLongAsTheyCertainlyWereWithinTheMeasuredTime)
{
  using Source = Stall::Source;
  const std::vector<Stall> stalls{
    {0, at(-20), at(-5), Source::witness, at(-15)},  // before
    {0, at(-1), at(12), Source::witness, at(9)},
    {1, at(2), at(14), Source::witness, at(11)},  // the same on another core
    {0, at(30), at(41), Source::witness, at(40)},
    {0, at(30), at(45), Source::throttled, at(42)},
    {1, at(95), at(107), Source::witness, at(99)},  // ends after it
    {1, at(100), at(120), Source::witness, at(110)}};
  const HeldUp held = held_up(stalls, Source::witness, at(0), at(100));
  EXPECT_EQ(held.times, 3u);
  EXPECT_EQ(held.time, milliseconds(5 + 1 + 1));
  EXPECT_EQ(held_up(stalls, Source::throttled, at(0), at(100)).time, milliseconds(3));
  EXPECT_EQ(held_up(stalls, Source::overrun, at(0), at(100)).times, 0u);
}

TEST(Witness, IsHeldUpByTheHostOrByTheKernel)
{
  EXPECT_EQ(
    StallWitness::blame(milliseconds(10), std::chrono::microseconds(50)), Stall::Source::witness);
  EXPECT_EQ(StallWitness::blame(milliseconds(10), milliseconds(9)), Stall::Source::throttled);
}

// A thread of the same priority is not preempted: the witness is ready and waits, as it does when
// throttled, but here it is certain.
TEST(Witness, TellsWaitingForOtherThreadsFromAStall)
{
  if (!takt_core::may_use_realtime(99)) {
    GTEST_SKIP() << "no right to SCHED_FIFO 99";
  }
  const int core = takt_core::usable_cores().back();
  StallWitness witness({core});
  ASSERT_FALSE(witness.blind()) << *witness.blind();
  takt_core::Time begin{};
  takt_core::Time end{};
  std::thread([&] {
    takt_core::ThreadAttributes attributes;
    attributes.policy = takt_core::Policy::fifo;
    attributes.priority = 99;
    attributes.cores = {core};
    ASSERT_TRUE(takt_core::apply(attributes).granted_all());
    begin = takt_core::now();
    while (takt_core::now() < begin + milliseconds(40)) {
    }
    end = takt_core::now();
  }).join();
  takt_core::Duration blamed{};
  for (const Stall & stall : witness.stop()) {
    if (stall.end > begin && stall.begin < end && stall.source == Stall::Source::throttled) {
      blamed += std::min(stall.end, end) - std::max(stall.begin, begin);
    }
  }
  EXPECT_GE(blamed, milliseconds(30));
}

// Only where it overran: whoever else ran during the same run was not held up.
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
