// The own activations of a chain that comes back to a core: earlier ones have ended, and later
// callbacks of the present one have not begun.
#include <gtest/gtest.h>

#include "support/example.hpp"
#include "takt_plan/priority_bounds.hpp"

namespace takt_plan
{
namespace
{

using test::Example;
using test::kMs;

/// A chain of callbacks that goes back and forth between two threads.
Model back_and_forth(int callbacks, Ns time, Ns period, Index second_core = 1)
{
  Example example(2);
  const Index threads[] = {example.thread(0, 50), example.thread(second_core, 50)};
  std::vector<Index> path{example.timer(threads[0], callbacks, period, time)};
  for (int i = 1; i < callbacks; ++i) {
    path.push_back(example.sub(threads[i % 2], callbacks - i, {path.back()}, time));
  }
  example.chain(path);
  return example.model;
}

Ns bound_of(const Model & model, Index chain = 0)
{
  const auto bounds = priority_bounds(model);
  EXPECT_TRUE(bounds->chains[chain].ok()) << bounds->chains[chain].faults().front();
  return bounds->chains[chain] ? bounds->chains[chain]->bound : -1;
}

TEST(OwnActivations, AChainBetweenTwoCoresTakesItsWork)
{
  EXPECT_EQ(bound_of(back_and_forth(6, 10 * kMs, 100 * kMs)), 60 * kMs);
  EXPECT_EQ(bound_of(back_and_forth(8, 8 * kMs, 100 * kMs)), 64 * kMs);
}

TEST(OwnActivations, BackAndForthTheMoreUrgentEndChangesNothing)
{
  Model model = back_and_forth(8, 8 * kMs, 100 * kMs);
  for (Task & task : model.tasks) {
    task.priority = 9 - task.priority;
  }
  EXPECT_EQ(bound_of(model), 64 * kMs);
}

TEST(OwnActivations, BeyondThePeriodTheyMeet)
{
  const Model model = back_and_forth(6, 30 * kMs, 100 * kMs);
  EXPECT_GT(bound_of(model), 180 * kMs) << "the next activation begins before this one has ended";
}

TEST(OwnActivations, LateReleasesLetTheNextOneComeClose)
{
  Model model = back_and_forth(6, 10 * kMs, 100 * kMs);
  model.tasks[0].release->jitter = 30 * kMs;
  EXPECT_EQ(bound_of(model), 90 * kMs);
  model.tasks[0].release->jitter = 60 * kMs;
  EXPECT_GT(bound_of(model), 120 * kMs) << "the next one's beginning meets this one's end";
}

TEST(OwnActivations, OthersOnTheCoresCountAsBefore)
{
  Example example(2);
  example.model = back_and_forth(6, 10 * kMs, 100 * kMs);
  const Index other = example.thread(0, 60);
  example.timer(other, 1, 1000 * kMs, 7 * kMs);
  EXPECT_GE(bound_of(example.model), 67 * kMs);
  EXPECT_LE(bound_of(example.model), 81 * kMs) << "once for each part on that core";
}

}  // namespace
}  // namespace takt_plan
