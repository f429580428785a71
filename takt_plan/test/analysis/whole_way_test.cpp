// Bounds of ways over several segments: work that comes once to a core counts once.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/example.hpp"
#include "takt_plan/bounds.hpp"

namespace takt_plan
{
namespace
{

using test::Example;
using test::kMs;

/// Chains of six callbacks that go back and forth between a thread on each of two cores. Each chain
/// is more urgent than the next one.
Example back_and_forth(int chains, Ns time, Ns period)
{
  Example example(2);
  const Index threads[] = {example.thread(0, 50), example.thread(1, 50)};
  for (int chain = chains; chain > 0; --chain) {
    const int priority = 10 * chain;
    std::vector<Index> path{example.timer(threads[0], priority, period, time)};
    for (int i = 1; i < 6; ++i) {
      path.push_back(example.sub(threads[i % 2], priority - i, {path.back()}, time));
    }
    example.chain(path);
  }
  return example;
}

const ChainAnswer & answer(const Bounds & bounds, Index chain)
{
  EXPECT_TRUE(bounds.chains[chain].ok()) << bounds.chains[chain].faults().front();
  return *bounds.chains[chain];
}

TEST(WholeWay, AnotherChainDelaysAWayOnceAndNotInEachSegment)
{
  const Example example = back_and_forth(2, 4 * kMs, 200 * kMs);
  // Six times its own work, six callbacks of the other chain, and up to six of the activation
  // before.
  EXPECT_LE(answer(*bounds(example.model), 1).bound, (6 + 6 + 6) * 4 * kMs);
}

TEST(WholeWay, AWayHasABoundWhereItsSegmentsMakeEachOtherLateWithoutAnEnd)
{
  const Example example = back_and_forth(3, 6 * kMs, 120 * kMs);
  // All work of all chains comes once.
  EXPECT_LE(answer(*bounds(example.model), 2).bound, 3 * 6 * 6 * kMs);
}

TEST(WholeWay, ALessUrgentCallbackBlocksNoMoreOftenThanItRuns)
{
  Example example = back_and_forth(1, 4 * kMs, 100 * kMs);
  example.timer(0, 1, 1000 * kMs, 20 * kMs);
  EXPECT_EQ(answer(*bounds(example.model), 0).bound, (6 * 4 + 20) * kMs);
}

TEST(WholeWay, ItsTermsAddUpToTheBound)
{
  Example example = back_and_forth(2, 4 * kMs, 200 * kMs);
  example.timer(0, 1, 1000 * kMs, 20 * kMs);
  for (Task & task : example.model.tasks) {
    for (Link & link : task.triggers) {
      link.delay = kMs;
    }
  }
  BoundsOptions options;
  options.explain = true;
  const auto found = bounds(example.model, options);
  const ChainAnswer & chain = answer(*found, 1);
  ASSERT_EQ(chain.segments.size(), 1U) << "the whole way";
  EXPECT_EQ(chain.segments.front().tasks, example.model.chains[1].path);
  EXPECT_EQ(sum_of(chain.segments.front().terms), chain.bound);
  Ns work = 0, under_way = 0, blocking = 0;
  for (const BoundTerm & term : chain.segments.front().terms) {
    work += term.kind == TermKind::work ? term.time : 0;
    under_way += term.kind == TermKind::under_way ? term.time : 0;
    blocking += term.kind == TermKind::blocking ? term.time : 0;
  }
  EXPECT_EQ(work, 24 * kMs);
  EXPECT_EQ(under_way, 5 * kMs);
  EXPECT_EQ(blocking, 20 * kMs);
}

TEST(WholeWay, WithKnownPhasesOnlyJobsThatMeetTheWayCount)
{
  Example example = back_and_forth(2, 4 * kMs, 100 * kMs);
  example.model.tasks[0].release->offset = 0;
  example.model.tasks[6].release->offset = 0;
  BoundsOptions options;
  options.jobs_only = true;
  options.explain = true;
  const auto found = bounds(example.model, options);
  EXPECT_LE(answer(*found, 1).bound, (6 + 6) * 4 * kMs);
  Ns sum = 0;
  for (const SegmentBound & segment : answer(*found, 1).segments) {
    sum += sum_of(segment.terms);
  }
  EXPECT_EQ(sum, answer(*found, 1).bound);
}

/// Two threads on the first core and one on the second; `c`, the last callback of the way, takes no
/// time.
Example ends_without_work(Ns period)
{
  Example example(2);
  const Index urgent = example.thread(0, 90);
  const Index less = example.thread(0, 80);
  const Index other = example.thread(1, 80);
  const Index a = example.timer(urgent, 90, period, 3 * kMs);
  const Index b = example.sub(other, 80, {a}, 7 * kMs);
  const Index c = example.sub(less, 80, {b}, 0);
  example.chain({a, b, c});
  return example;
}

TEST(WholeWay, WorkThatIsReleasedWithACallbackWithoutWorkGoesFirst)
{
  // The timer is due again when the last callback is ready.
  Example example = ends_without_work(10 * kMs);
  EXPECT_EQ(answer(*bounds(example.model), 0).bound, 13 * kMs);
  example.model.tasks[0].release->offset = 0;
  BoundsOptions options;
  options.jobs_only = true;
  EXPECT_EQ(answer(*bounds(example.model, options), 0).bound, 13 * kMs);
}

TEST(WholeWay, WorkThatIsReleasedWithTheEndOfTheJointBusyTimeGoesFirst)
{
  Example example = ends_without_work(20 * kMs);
  example.timer(0, 90, 20 * kMs, 3 * kMs);
  example.model.tasks[0].release->offset = 0;
  example.model.tasks[3].release->offset = 10 * kMs;
  BoundsOptions options;
  options.jobs_only = true;
  EXPECT_EQ(answer(*bounds(example.model, options), 0).bound, 13 * kMs);
}

}  // namespace
}  // namespace takt_plan
