// Bounds with known phases where threads may use several cores, and in pools: small systems whose
// worst case a reader can add up.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "analysis/jobs/busy_time.hpp"
#include "analysis/jobs/job_graph.hpp"
#include "analysis/jobs/job_windows.hpp"
#include "model/flow.hpp"
#include "models/clustered_model.hpp"
#include "support/example.hpp"
#include "support/phased_model.hpp"
#include "takt_plan/bounds.hpp"
#include "takt_plan/hyperperiod.hpp"

namespace takt_plan
{
namespace
{

using test::Example;

constexpr Ns kPeriod = 1000;

struct Cluster : Example
{
  explicit Cluster(int cores = 2) : Example(cores) {}

  /// A thread that may use all cores.
  Index wide(int priority)
  {
    const Index thread = Example::thread(0, priority);
    for (Index core = 1; core < model.cores.size(); ++core) {
      model.threads[thread].cores.push_back(core);
    }
    return thread;
  }

  Index timer_at(Index thread, int priority, Ns offset, Ns time)
  {
    const Index task = timer(thread, priority, kPeriod, time);
    model.tasks[task].release->offset = offset;
    return task;
  }

  /// The reason why the task has no bound; empty: it has one.
  std::string refusal(Index task) const
  {
    const auto found = bounds(model);
    return !found || found->tasks[task] ? "" : found->tasks[task].faults().front().text;
  }

  /// Lets the task run on all of `threads`.
  Index on(Index task, std::vector<Index> threads)
  {
    model.tasks[task].threads = std::move(threads);
    return task;
  }

  /// Two threads: one for each core, or both for both cores.
  std::vector<Index> pool(int priority, bool wide_cores = false)
  {
    const Index first = wide_cores ? wide(priority) : Example::thread(0, priority);
    const Index second = wide_cores ? wide(priority) : Example::thread(1, priority);
    return {first, second};
  }

  Ns bound_of(Index task) const
  {
    BoundsOptions options;
    options.jobs_only = true;
    const auto found = bounds(model, options);
    if (!found || !found->tasks[task]) {
      return -1;
    }
    return *found->tasks[task];
  }

  std::string refusal() const
  {
    const auto found = hyperperiod(model);
    return found ? "" : std::string(found.faults().front().text);
  }
};

TEST(ClusterEnds, AThreadOfTwoCoresDoesNotWaitForOneBusyCore)
{
  Cluster of;
  of.timer_at(of.thread(0, 60), 0, 0, 100);
  const Index task = of.timer_at(of.wide(50), 0, 0, 50);
  EXPECT_EQ(of.bound_of(task), 50);
}

TEST(ClusterEnds, AThreadOfTwoCoresWaitsWhileBothAreBusy)
{
  Cluster of;
  of.timer_at(of.thread(0, 60), 0, 0, 100);
  of.timer_at(of.thread(1, 60), 0, 0, 40);
  const Index task = of.timer_at(of.wide(50), 0, 0, 50);
  EXPECT_EQ(of.bound_of(task), 40 + 50);
}

TEST(ClusterEnds, OneMoreUrgentThreadIsOnOneCoreAtATime)
{
  Cluster of;
  const Index urgent = of.wide(60);
  of.timer_at(urgent, 0, 0, 100);
  of.timer_at(urgent, 0, 0, 100);
  const Index task = of.timer_at(of.wide(50), 0, 0, 50);
  EXPECT_EQ(of.bound_of(task), 50);
}

// One job of the pinned thread counts in full, since the less urgent thread has no other core.
TEST(ClusterEnds, AThreadOfOneCoreWaitsForOneThatMayUseBoth)
{
  Cluster of;
  of.timer_at(of.wide(60), 0, 0, 100);
  const Index task = of.timer_at(of.thread(1, 50), 0, 0, 50);
  EXPECT_EQ(of.bound_of(task), 150);
}

TEST(ClusterEnds, CallbacksOfOneThreadWaitForEachOtherOnTwoCoresToo)
{
  Cluster of;
  const Index thread = of.wide(50);
  const Index urgent = of.timer_at(thread, 9, 0, 100);
  const Index begun = of.timer_at(thread, 1, kPeriod - 10, 70);
  const Index task = of.timer_at(thread, 5, 0, 50);
  EXPECT_EQ(of.bound_of(urgent), 60 + 100);  // the less urgent one has 10 behind it
  EXPECT_EQ(of.bound_of(task), 60 + 100 + 50);
  EXPECT_EQ(of.bound_of(begun), 70);
}

TEST(ClusterEnds, TwoThreadsOfAPoolRunTwoCallbacksAtOnce)
{
  for (const bool wide : {false, true}) {
    Cluster of;
    const std::vector<Index> pool = of.pool(50, wide);
    const Index a = of.on(of.timer_at(pool[0], 5, 0, 100), pool);
    const Index b = of.on(of.timer_at(pool[0], 5, 0, 100), pool);
    EXPECT_EQ(of.bound_of(a), 100);
    EXPECT_EQ(of.bound_of(b), 100);
  }
}

TEST(ClusterEnds, AThirdCallbackOfAPoolWaitsUntilAThreadIsFree)
{
  for (const bool wide : {false, true}) {
    Cluster of;
    const std::vector<Index> pool = of.pool(50, wide);
    of.on(of.timer_at(pool[0], 5, 0, 100), pool);
    of.on(of.timer_at(pool[0], 5, 0, 60), pool);
    const Index task = of.on(of.timer_at(pool[0], 5, 0, 50), pool);
    EXPECT_EQ(of.bound_of(task), 60 + 50);
  }
}

TEST(ClusterEnds, LessUrgentCallbacksOfAPoolThatHadBegunKeepItsThreads)
{
  Cluster of;
  const std::vector<Index> pool = of.pool(50);
  of.on(of.timer_at(pool[0], 1, kPeriod - 1, 80), pool);
  const Index task = of.on(of.timer_at(pool[0], 5, 0, 50), pool);
  EXPECT_EQ(of.bound_of(task), 50);  // one of two threads is free
  of.on(of.timer_at(pool[0], 1, kPeriod - 1, 31), pool);
  EXPECT_EQ(of.bound_of(task), 30 + 50);
}

TEST(ClusterEnds, CallbacksOfOneGroupInAPoolRunOneAfterTheOther)
{
  Cluster of;
  of.model.groups.push_back({"g", true});
  const std::vector<Index> pool = of.pool(50);
  const Index a = of.on(of.timer_at(pool[0], 9, 0, 100), pool);
  const Index b = of.on(of.timer_at(pool[0], 5, 0, 50), pool);
  EXPECT_EQ(of.bound_of(b), 50);
  of.model.tasks[a].group = of.model.tasks[b].group = 0;
  EXPECT_EQ(of.bound_of(b), 150);
}

// While the second run of a callback waits for the first one, the other thread begins a callback
// that is as urgent and was released later, and keeps the first thread from the second run.
TEST(ClusterEnds, OtherCallbacksBeginWhileOneWaitsForItsGroup)
{
  Cluster of;
  of.model.groups.push_back({"g", true});
  const std::vector<Index> pool = of.pool(50);
  const Index mate = of.on(of.timer_at(pool[0], 5, 0, 50), pool);
  const Index task = of.on(of.timer_at(pool[0], 5, 0, 50), pool);
  of.model.tasks[mate].group = of.model.tasks[task].group = 0;
  of.on(of.timer_at(pool[0], 5, 10, 100), pool);
  EXPECT_EQ(of.bound_of(task), 100);
  of.on(of.timer_at(pool[0], 9, 50, 30), pool);
  EXPECT_EQ(of.bound_of(task), 50 + 30 + 50);
}

TEST(ClusterEnds, AThreadOfAPoolWaitsForItsOwnCoreAlone)
{
  Cluster of;
  const std::vector<Index> pool = of.pool(50);
  of.timer_at(of.thread(0, 60), 0, 0, 100);
  const Index task = of.on(of.timer_at(pool[0], 5, 0, 50), pool);
  EXPECT_EQ(of.bound_of(task), 150);  // its thread on core 0 may be the one that is woken
}

TEST(ClusterEnds, WorkThatWasReleasedBeforeCountsUntilItsLatestEnd)
{
  Cluster of;
  of.timer_at(of.thread(0, 60), 0, kPeriod - 30, 100);
  of.timer_at(of.thread(1, 60), 0, 0, 100);
  const Index task = of.timer_at(of.wide(50), 0, 0, 50);
  EXPECT_EQ(of.bound_of(task), 70 + 50);
}

TEST(ClusterEnds, AChainThroughASetInAPoolTakesTheLongerInputAndItsWork)
{
  Cluster of;
  const std::vector<Index> pool = of.pool(50);
  std::vector<Index> inputs;
  for (const Ns time : {100, 80}) {
    const Index timer = of.on(of.timer_at(pool[0], 5, 0, 0), pool);
    inputs.push_back(of.on(of.sub(pool[0], 5, {timer}, time), pool));
  }
  const Index set = of.on(of.sub(pool[0], 5, {inputs[0], inputs[1]}, 30), pool);
  of.model.tasks[set].newest = true;
  const Index last = of.on(of.sub(pool[0], 5, {set}, 20), pool);
  of.chain({0, inputs[0], set, last});
  BoundsOptions options;
  options.jobs_only = true;
  const auto found = bounds(of.model, options);
  ASSERT_TRUE(found.ok() && found->chains.front().ok());
  EXPECT_EQ(found->chains.front()->bound, 100 + 30 + 20);
}

TEST(ClusterEnds, ALessUrgentThreadMayBeAtTheCeilingOnEachCore)
{
  Cluster of;
  const Index lower = of.timer_at(of.wide(40), 0, 0, 100);
  of.model.tasks[lower].middleware = 7;
  for (Thread & thread : of.model.threads) {
    thread.ceiling = 90;
  }
  const Index task = of.timer_at(of.wide(50), 0, 0, 50);
  of.timer_at(of.thread(1, 60), 0, 0, 200);
  EXPECT_EQ(
    of.bound_of(task), 50 + 2 * 7);  // at its release, and when the more urgent thread comes
}

TEST(ClusterEnds, TermsAddUp)
{
  Cluster of;
  of.timer_at(of.thread(0, 60), 0, 0, 100);
  of.timer_at(of.thread(1, 60), 0, 0, 40);
  const Index thread = of.wide(50);
  of.timer_at(thread, 9, 0, 10);
  const Index task = of.timer_at(thread, 5, 0, 50);
  of.chain({task});
  BoundsOptions options;
  options.jobs_only = options.explain = true;
  const auto found = bounds(of.model, options);
  ASSERT_TRUE(found.ok() && found->chains.front().ok());
  const SegmentBound & segment = found->chains.front()->segments.front();
  EXPECT_EQ(segment.response, 40 + 10 + 50);
  EXPECT_EQ(sum_of(segment.terms), segment.response);
  const auto busy = std::find_if(
    segment.terms.begin(), segment.terms.end(),
    [](const BoundTerm & term) { return term.kind == TermKind::cores_busy; });
  ASSERT_NE(busy, segment.terms.end());
  EXPECT_EQ(busy->time, 40);
  EXPECT_EQ(busy->threads, 2U);
}

TEST(ClusterEnds, TermsOfRandomSystemsAddUp)
{
  std::uint64_t parts = 0, busy = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Model model = test::clustered(test::phased_model(seed), seed);
    BoundsOptions options;
    options.jobs_only = options.explain = true;
    const auto found = bounds(model, options);
    ASSERT_TRUE(found.ok());
    for (const auto & chain : found->chains) {
      for (const SegmentBound & segment : chain ? chain->segments : std::vector<SegmentBound>{}) {
        ++parts;
        EXPECT_EQ(sum_of(segment.terms), segment.response) << seed;
        for (const BoundTerm & term : segment.terms) {
          EXPECT_TRUE(term.time > 0 || term.kind == TermKind::head_start) << seed;
          Ns work = 0;
          for (const BusyWork & one : term.busy) {
            work += one.time;
          }
          busy += term.busy.empty() ? 0 : 1;
          EXPECT_EQ(term.busy.empty() ? term.time : work / static_cast<Ns>(term.threads), term.time)
            << seed;
        }
      }
    }
  }
  EXPECT_GT(parts, 200U);
  EXPECT_GT(busy, 50U);
}

// A pool of two threads has three callbacks, and only two of them run at once.
TEST(ClusterEnds, TermsOfAPoolThatIsFullAddUp)
{
  Cluster of(3);
  const std::vector<Index> pool{of.wide(60), of.wide(60)};
  for (int i = 0; i < 3; ++i) {
    of.on(of.timer_at(pool[0], 5, 0, 100), pool);
  }
  of.timer_at(of.thread(2, 60), 0, 0, 100);
  const Index task = of.timer_at(of.wide(50), 5, 0, 50);
  of.chain({task});
  BoundsOptions options;
  options.jobs_only = options.explain = true;
  const auto found = bounds(of.model, options);
  ASSERT_TRUE(found.ok() && found->chains.front().ok());
  EXPECT_EQ(found->chains.front()->bound, 100 + 50);
  const BoundTerms & terms = found->chains.front()->segments.front().terms;
  const auto busy = std::find_if(terms.begin(), terms.end(), [](const BoundTerm & term) {
    return term.kind == TermKind::cores_busy;
  });
  ASSERT_NE(busy, terms.end());
  ASSERT_EQ(busy->busy.size(), 2U);
  EXPECT_EQ(busy->busy[0].tasks, (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(busy->busy[0].time, 200);
  EXPECT_EQ(busy->busy[1].time, 100);
}

TEST(ClusterEnds, TheLongestBusyTimeIsTheLargestThatWorkFills)
{
  std::mt19937_64 random(1);
  const auto pick = [&](Ns least, Ns most) {
    return std::uniform_int_distribution<Ns>(least, most)(random);
  };
  for (int round = 0; round < 2'000; ++round) {
    std::vector<Ns> work(static_cast<std::size_t>(pick(0, 8)));
    std::vector<Index> pools(static_cast<std::size_t>(pick(0, 2)));
    std::vector<Index> pool_of(work.size());
    for (Index & threads : pools) {
      threads = static_cast<Index>(pick(1, 3));
    }
    for (Index entity = 0; entity < work.size(); ++entity) {
      work[entity] = pick(0, 3) == 0 ? 0 : pick(1, 60);
      const auto pool = static_cast<Index>(pick(0, static_cast<Ns>(pools.size())));
      pool_of[entity] = pool == pools.size() ? kNone : pool;
    }
    pool_of.resize(work.size() / 2 + 1, kNone);  // those behind have no pool
    const auto rate = static_cast<Index>(pick(1, 4));
    const auto fills = [&](Ns time) {
      std::vector<Ns> of_pools(pools.size());
      Ns sum = 0;
      for (Index entity = 0; entity < work.size(); ++entity) {
        const Index pool = entity < pool_of.size() ? pool_of[entity] : kNone;
        (pool == kNone ? sum : of_pools[pool]) += std::min(work[entity], rate == 1 ? 60 : time);
      }
      for (Index pool = 0; pool < pools.size(); ++pool) {
        sum += rate == 1 ? of_pools[pool]
                         : std::min(of_pools[pool], time * static_cast<Ns>(pools[pool]));
      }
      return sum >= time * static_cast<Ns>(rate);
    };
    Ns longest = 0;
    while (fills(longest + 1)) {
      ++longest;
    }
    EXPECT_EQ(detail::longest_busy({work, pool_of, pools}, rate).time, longest) << round;
  }
}

// An earlier form needed as many passes over the works as a time has bits, and counted none.
TEST(ClusterEnds, TheLongestBusyTimeTakesFewPasses)
{
  std::mt19937_64 random(1);
  const auto draw = [&] { return std::uniform_int_distribution<Ns>(1, 1'000'000'000)(random); };
  std::int64_t passes = 0;
  for (int round = 0; round < 100; ++round) {
    std::vector<Ns> work(1'000);
    std::generate(work.begin(), work.end(), draw);
    const detail::BusyTime found = detail::longest_busy({work, {}, {}}, 4);
    EXPECT_GE(found.looks, 2'000);
    passes += found.looks / 1'000;
  }
  EXPECT_LE(passes, 300);
}

// Of the callbacks of a pool each waits for all others, in several passes.
TEST(ClusterEnds, PassesCountAsLooks)
{
  Cluster of;
  const std::vector<Index> pool = of.pool(50);
  const std::int64_t timers = 50;
  for (std::int64_t i = 0; i < timers; ++i) {
    of.on(of.timer_at(pool[0], 5, 0, 10), pool);
  }
  const detail::Flow flow(of.model);
  const auto graphs = detail::job_graphs(of.model, flow);
  ASSERT_EQ(graphs.size(), 1U);
  const detail::JobWindows windows(of.model, graphs.front(), {}, 100 * kPeriod, 100'000'000, {});
  ASSERT_TRUE(windows.solved()) << windows.refusal();
  // Per job and evaluation: one pass to find the work, at least two to share it among threads.
  EXPECT_GE(windows.looks(), 3 * timers * timers);
  const detail::JobWindows few(of.model, graphs.front(), {}, 100 * kPeriod, timers, {});
  EXPECT_EQ(
    few.refusal(),
    "the callbacks that share cores or messages with '/c0' have no windows that 50 terms of sums "
    "would find");
}

TEST(ClusterEnds, WhereWindowsGrowWithoutEndTheirAnalysisGivesTheReason)
{
  Cluster of;
  of.timer_at(of.thread(0, 60), 0, 0, 600);
  of.timer_at(of.thread(1, 60), 0, 0, 600);
  const Index wide = of.wide(50);
  const Index task = of.timer_at(wide, 0, 0, 900);
  const Index next = of.sub(wide, 0, {task}, 1);
  of.chain({task, next});
  EXPECT_EQ(
    of.refusal(task),
    "'/c2' has no bound: its jobs have no latest end, because work that may delay them fills their "
    "cores, or nearly so");
  const auto found = bounds(of.model);
  ASSERT_TRUE(found.ok());
  ASSERT_FALSE(found->chains.front().ok());
  EXPECT_EQ(
    found->chains.front().faults().front().text,
    "'/c3' has no bound: jobs of '/c2', which it waits for, have no latest end, because work that "
    "may delay them fills their cores, or nearly so");
}

TEST(ClusterEnds, WhereMessagesMayBeLostTheirAnalysisGivesTheReason)
{
  Cluster of;
  of.timer_at(of.thread(0, 60), 0, 0, 600);
  of.timer_at(of.thread(1, 60), 0, 0, 600);
  const Index task = of.timer_at(of.wide(50), 0, 0, 500);
  of.model.tasks[task].timer = false;
  of.model.epochs = {takt_core::Epoch::host};
  EXPECT_EQ(
    of.refusal(task),
    "messages of '/c2', which come from outside, may wait longer than their period");
}

TEST(ClusterEnds, RefusalsNameWhatTheCallbackIsAndTheExecutor)
{
  Cluster sequence;
  const Index task = sequence.timer_at(sequence.wide(50), 0, 0, 10);
  sequence.timer_at(sequence.wide(40), 0, 0, 10);
  sequence.model.tasks[task].sequence = 0;
  EXPECT_NE(
    sequence.refusal().find("'/c0' is in a sequence, and callbacks of its part may run on"),
    std::string::npos)
    << sequence.refusal();

  Cluster executors;
  executors.model.executors = {"front", "rear"};
  const std::vector<Index> pool{executors.wide(50), executors.wide(40)};
  executors.on(executors.timer_at(pool[0], 5, 0, 10), pool);
  executors.timer_at(executors.thread(0, 40), 5, 0, 10);
  EXPECT_NE(
    executors.refusal().find("threads 't0' of executor 'front' and 't1' of executor 'front'"),
    std::string::npos)
    << executors.refusal();
}

TEST(ClusterEnds, RefusalsNameTheThreads)
{
  Cluster overlapping;
  const std::vector<Index> pool = overlapping.pool(50);
  overlapping.on(overlapping.timer_at(pool[0], 5, 0, 10), pool);
  overlapping.timer_at(pool[0], 5, 0, 10);
  EXPECT_NE(
    overlapping.refusal().find("'/c0' and '/c1' share some of their threads, and not all"),
    std::string::npos)
    << overlapping.refusal();

  Cluster partly;
  const std::vector<Index> mixed{partly.wide(50), partly.thread(1, 50)};
  partly.on(partly.timer_at(mixed[0], 5, 0, 10), mixed);
  partly.timer_at(partly.thread(0, 40), 5, 0, 10);
  EXPECT_NE(partly.refusal().find("share some of their cores, and not all"), std::string::npos)
    << partly.refusal();

  Cluster reentrant;
  reentrant.model.groups.push_back({"g", false});
  const std::vector<Index> both = reentrant.pool(50);
  const Index task = reentrant.on(reentrant.timer_at(both[0], 5, 0, 10), both);
  reentrant.model.tasks[task].group = 0;
  reentrant.timer_at(reentrant.thread(0, 40), 5, 0, 10);
  EXPECT_NE(reentrant.refusal().find("'/c0' is in a reentrant group"), std::string::npos)
    << reentrant.refusal();
}

}  // namespace
}  // namespace takt_plan
