// Runs inside of runs, more than are measured: ends and failures of each must find the run that they are of.
#include "recording/run_meter.hpp"

#include <gtest/gtest.h>

namespace takt_trace::detail
{
namespace
{

Measures cpu_times()
{
  Measures measures;
  measures.cpu = true;
  return measures;
}

// One inside of the other.
void start(int runs)
{
  for (int i = 0; i < runs; ++i) {
    RunMeter::picked(cpu_times());
    RunMeter::started();
  }
}

TEST(RunMeter, measures_a_run_after_a_run_that_threw_inside_of_many)
{
  for (const int inside : {0, 2, 3, 4, 5, 9}) {
    start(inside + 1);
    RunMeter::thrown();  // the innermost run
    for (int i = 0; i <= inside; ++i) {
      const Measured measured = RunMeter::ended();
      EXPECT_EQ(measured.cpu > 0, inside - i < 4) << "run " << i << " of " << inside;
    }
    start(1);
    EXPECT_GT(RunMeter::ended().cpu, 0) << "after " << inside;
    EXPECT_EQ(RunMeter::ended().cpu, 0) << "nothing runs";
  }
}

TEST(RunMeter, measures_a_run_after_a_take_that_threw_inside_of_many)
{
  for (const int inside : {0, 2, 3, 4, 5, 9}) {
    start(inside);
    RunMeter::picked(cpu_times());
    RunMeter::thrown();  // the innermost take
    for (int i = 1; i <= inside; ++i) {
      const Measured measured = RunMeter::ended();
      EXPECT_EQ(measured.cpu > 0, inside - i < 4) << "run " << i << " of " << inside;
    }
    start(1);
    EXPECT_GT(RunMeter::ended().cpu, 0) << "after " << inside;
    EXPECT_EQ(RunMeter::ended().cpu, 0) << "nothing runs";
  }
}

// A callback at depth five catches what those inside of it throw, and goes on: again and again.
TEST(RunMeter, measures_runs_while_the_fifth_of_a_row_catches_what_deeper_ones_throw)
{
  constexpr int kCatches = 5;
  for (int nesting = 0; nesting < 6; ++nesting) {
    start(kCatches);
    for (int round = 0; round < 6; ++round) {
      // Two runs, of which the inner one throws, so that the outer one does.
      start(2);
      for (int i = 0; i < 2; ++i) {
        RunMeter::thrown();
        EXPECT_EQ(RunMeter::ended().cpu, 0) << "too deep";
      }
      // A run in which a take throws.
      start(1);
      RunMeter::picked(cpu_times());
      RunMeter::thrown();
      RunMeter::thrown();
      EXPECT_EQ(RunMeter::ended().cpu, 0) << "too deep";
      // A take that throws at once, and one that finds nothing, where runs were before.
      RunMeter::picked(cpu_times());
      RunMeter::thrown();
      RunMeter::picked(cpu_times());
      RunMeter::dropped();
    }
    for (int depth = kCatches; depth > 0; --depth) {
      EXPECT_EQ(RunMeter::ended().cpu > 0, depth <= 4) << "at depth " << depth;
    }
    start(1);
    EXPECT_GT(RunMeter::ended().cpu, 0) << "after " << nesting;
    EXPECT_EQ(RunMeter::ended().cpu, 0) << "nothing runs";
  }
}

}  // namespace
}  // namespace takt_trace::detail
