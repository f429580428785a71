// The threads that notice when the host or the kernel takes a core from all other threads.
#include "takt_trace/stall_witness.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "takt_rt/thread_attributes.hpp"
#include "takt_trace/stall_index.hpp"

namespace takt_trace
{
namespace
{

using std::chrono::milliseconds;

takt_rt::Time at(int ms)
{
  return takt_rt::from_ns(0) + std::chrono::seconds(100) + milliseconds(ms);
}

// `held_up` counts the certain part of each stall within the given time. Simultaneous stalls count
// once.
TEST(HeldUp, StallsAreToldAsLongAsTheyCertainlyWereWithinTheMeasuredTime)
{
  using Source = Stall::Source;
  const std::vector<Stall> stalls{
    {0, at(-20), at(-5), Source::witness, at(-15)},  // before
    {0, at(-1), at(12), Source::witness, at(9)},
    {1, at(2), at(14), Source::witness, at(11)},  // at the same time on another core
    {0, at(30), at(41), Source::witness, at(40)},
    {0, at(30), at(45), Source::throttled, at(42)},
    {1, at(95), at(107), Source::witness, at(99)},  // ends after the given time
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

// Each wake-up counts as late here, and so tells when it was due.
TEST(Witness, WakesOnItsGrid)
{
  if (!takt_rt::may_use_realtime(99)) {
    GTEST_SKIP() << "no right to SCHED_FIFO 99";
  }
  StallWitness::Grid grid;
  grid.first = takt_rt::now() + milliseconds(5);
  grid.period = milliseconds(7);
  grid.late = -milliseconds(1);
  StallWitness witness({takt_rt::usable_cores().back()}, {}, grid);
  std::this_thread::sleep_until(grid.first + 3 * grid.period);
  const std::vector<Stall> woke = witness.stop();
  ASSERT_GE(woke.size(), 1u);
  EXPECT_EQ(woke.front().certain_from, grid.first);
  for (const Stall & each : woke) {
    EXPECT_EQ((each.certain_from - grid.first) % grid.period, milliseconds(0));
    EXPECT_GE(each.end, each.certain_from);
  }
}

// A thread of the same priority is not preempted. So the witness is ready and waits, as during
// throttling, but here the test causes it.
TEST(Witness, TellsWaitingForOtherThreadsFromAStall)
{
  if (!takt_rt::may_use_realtime(99)) {
    GTEST_SKIP() << "no right to SCHED_FIFO 99";
  }
  const int core = takt_rt::usable_cores().back();
  StallWitness witness({core});
  ASSERT_FALSE(witness.blind()) << *witness.blind();
  takt_rt::Time begin{};
  takt_rt::Time end{};
  std::thread([&] {
    takt_rt::ThreadAttributes attributes;
    attributes.policy = takt_rt::Policy::fifo;
    attributes.priority = 99;
    attributes.cores = {core};
    ASSERT_TRUE(takt_rt::apply(attributes).granted_all());
    begin = takt_rt::now();
    while (takt_rt::now() < begin + milliseconds(40)) {
    }
    end = takt_rt::now();
  }).join();
  takt_rt::Duration blamed{};
  for (const Stall & stall : witness.stop()) {
    if (stall.end > begin && stall.begin < end && stall.source == Stall::Source::throttled) {
      blamed += std::min(stall.end, end) - std::max(stall.begin, begin);
    }
  }
  EXPECT_GE(blamed, milliseconds(30));
}

}  // namespace
}  // namespace takt_trace
