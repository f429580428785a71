// Callbacks that work on sets of newest messages: their costs, the waits of messages, and simulated
// responses that do not exceed the bounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "support/campaign.hpp"
#include "support/example.hpp"
#include "support/random_model.hpp"
#include "takt_plan/bounds.hpp"
#include "takt_plan/load_plan.hpp"
#include "takt_plan/priority_bounds.hpp"
#include "takt_plan/simulate.hpp"
#include "takt_plan/simulation_model.hpp"

namespace takt_plan
{
namespace
{

using test::Example;

/// Two timers and a callback that works on the newest message of each.
struct Pair
{
  explicit Pair(Ns first_period, Ns second_period) : example(1)
  {
    const Index thread = example.thread(0, 50);
    first = example.timer(thread, 3, first_period, 1);
    second = example.timer(thread, 2, second_period, 2);
    fusion = example.sub(thread, 1, {first, second}, 10);
    Task & task = example.model.tasks[fusion];
    task.newest = true;
    task.triggers[1].topic = 1;
    after = example.sub(thread, 0, {fusion}, 5);
    example.chain({first, fusion, after});
    example.chain({second, fusion, after});
  }

  Ns bound(Index chain, bool courses = true) const
  {
    BoundsOptions options;
    options.jobs.courses = courses;
    return bounds(example.model, options)->chains[chain]->bound;
  }

  Example example;
  Index first = 0, second = 0, fusion = 0, after = 0;
};

TEST(MessageSet, InStepNobodyWaitsForTheNextPeriod)
{
  Pair pair(100, 100);
  for (const Index timer : {pair.first, pair.second}) {
    pair.example.model.tasks[timer].release->offset = 0;
  }
  EXPECT_EQ(pair.bound(0), pair.bound(1));
  EXPECT_EQ(pair.bound(0), 18) << "two timers, the set and what it starts, each once";
}

TEST(MessageSet, AChainThroughASetAloneOnItsCoreTakesItsWork)
{
  Example example(1);
  const Index thread = example.thread(0, 50);
  const Index front = example.timer(thread, 4, 1000, 0), rear = example.timer(thread, 4, 1000, 0);
  for (const Index timer : {front, rear}) {
    example.model.tasks[timer].release->offset = 0;
  }
  const Index set = example.sub(thread, 3, {front, rear}, 100);
  example.model.tasks[set].newest = true;
  example.model.tasks[set].triggers[1].topic = 1;
  const Index first = example.sub(thread, 2, {set}, 100);
  const Index last = example.sub(thread, 1, {first}, 100);
  example.chain({front, set, first, last});
  const auto bounds = priority_bounds(example.model);
  EXPECT_EQ(bounds->chains[0]->bound, 300);
  ASSERT_EQ(bounds->chains[0]->segments.size(), 1U) << "it goes on through the set";
}

TEST(MessageSet, TheOtherTopicCompletesASetLater)
{
  Example example(2);
  const Index thread = example.thread(0, 50), other = example.thread(1, 50);
  const Index front = example.timer(thread, 4, 1000, 10);
  const Index rear = example.timer(other, 4, 1000, 150);
  for (const Index timer : {front, rear}) {
    example.model.tasks[timer].release->offset = 0;
  }
  const Index set = example.sub(thread, 3, {front, rear}, 100);
  example.model.tasks[set].newest = true;
  example.model.tasks[set].triggers[1].topic = 1;
  const Index last = example.sub(thread, 1, {set}, 200);
  example.chain({front, set, last});
  example.chain({rear, set, last});
  const auto bounds = priority_bounds(example.model);
  EXPECT_GE(bounds->chains[0]->bound, 150 + 100 + 200);
  EXPECT_LE(bounds->chains[0]->bound, 150 + 10 + 100 + 200);
  EXPECT_EQ(bounds->chains[0]->bound, bounds->chains[1]->bound);
  const SegmentBound & own = bounds->chains[0]->segments.front();
  EXPECT_EQ(own.released + own.response + own.waiting, bounds->chains[0]->bound);
  EXPECT_GT(own.waiting, 0) << "for the other topic";
}

TEST(MessageSet, ASegmentGoesOnThroughSeveralSets)
{
  Example example(1);
  const Index thread = example.thread(0, 50);
  const auto set = [&](Index a, Index b, Ns time) {
    const Index task = example.sub(thread, 3, {a, b}, time);
    example.model.tasks[task].newest = true;
    example.model.tasks[task].triggers[1].topic = 1;
    return task;
  };
  std::vector<Index> timers;
  for (int i = 0; i < 3; ++i) {
    timers.push_back(example.timer(thread, 4, 1000, 0));
  }
  const Index first = set(timers[0], timers[1], 100);
  const Index second = set(first, timers[2], 100);
  const Index last = example.sub(thread, 1, {second}, 100);
  example.chain({timers[0], first, second, last});
  const auto bounds = priority_bounds(example.model);
  ASSERT_TRUE(bounds->chains[0].ok()) << bounds->chains[0].faults().front();
  EXPECT_EQ(bounds->chains[0]->segments.size(), 1U);
  EXPECT_LE(bounds->chains[0]->bound, 2 * 1000 + 4 * 300) << "a period's wait for each set";
}

/// Two timers of a set, and one of a second set, which waits for the first one, too.
struct TwoSets
{
  TwoSets(Ns first, Ns second, Ns third) : example(1)
  {
    const Index thread = example.thread(0, 50);
    const auto set = [&](Index a, Index b) {
      const Index task = example.sub(thread, 3, {a, b}, 10);
      example.model.tasks[task].newest = true;
      example.model.tasks[task].triggers[1].topic = 1;
      return task;
    };
    for (const Ns period : {first, second, third}) {
      timers.push_back(example.timer(thread, 4, period, 0));
    }
    const Index one = set(timers[0], timers[1]);
    const Index two = set(one, timers[2]);
    const Index last = example.sub(thread, 1, {two}, 10);
    example.chain({timers[0], one, two, last});
    example.chain({timers[1], one, two, last});
  }

  Ns bound(Index chain) const { return priority_bounds(example.model)->chains[chain]->bound; }

  /// The longest response of the first chain from the start on, with these offsets.
  Ns seen(Ns second, Ns third) const
  {
    Model model = example.model;
    model.tasks[timers[0]].release->offset = 0;
    model.tasks[timers[1]].release->offset = second;
    model.tasks[timers[2]].release->offset = third;
    SimulationOptions options;
    options.phases = Phases::fixed;
    options.duration = 10'000;
    const auto result = simulate(*simulation_model(model), options);
    return result->chains[0].responses.worst.time();
  }

  Example example;
  std::vector<Index> timers;
};

// The slow message finds the fast ones, except for the first one after the start. And the fast
// timers begin soon after the start, so that the first message does not wait for one after the
// other.
TEST(MessageSet, TheWaitsForTwoSetsDoNotAddUpWhereTheirOtherTopicsAreFast)
{
  const TwoSets sets(1000, 400, 400);
  EXPECT_EQ(sets.seen(399, 399), 399 + 30);
  EXPECT_GE(sets.bound(0), 400 + 30);
  EXPECT_LE(sets.bound(0), 400 + 80);
}

TEST(MessageSet, TopicsOfOnePeriodWaitForAPeriodTogetherInTwoSets)
{
  const TwoSets sets(1000, 1000, 1000);
  EXPECT_EQ(sets.seen(999, 500), 999 + 30);
  EXPECT_GE(sets.bound(0), 1000 + 30);
  EXPECT_LE(sets.bound(0), 1000 + 120);
  EXPECT_LE(sets.bound(1), 2000 + 120);
}

TEST(MessageSet, BehindByAnOffsetTheFirstWaitsThatLong)
{
  Pair pair(100, 100);
  pair.example.model.tasks[pair.first].release->offset = 5;
  pair.example.model.tasks[pair.second].release->offset = 45;
  EXPECT_EQ(pair.bound(0) - pair.bound(1), 40);
}

TEST(MessageSet, WithoutKnownOffsetsAMessageWaitsUntilItIsReplaced)
{
  Pair pair(100, 100);
  // The other message completes the set just before the next message of the first topic would.
  EXPECT_EQ(pair.bound(0, false), 100 + 18);
  EXPECT_EQ(pair.bound(0), 99 + 18) << "by all phases, in whole nanoseconds";
}

TEST(MessageSet, AMessageWaitsForTheOtherTopicsTimer)
{
  Pair pair(1000, 100);
  EXPECT_GT(pair.bound(0), 100);
  EXPECT_LT(pair.bound(0), 300) << "the fast one comes soon";
  EXPECT_LT(pair.bound(1), 300) << "or it is replaced by the next fast one";
}

TEST(MessageSet, ATimerThatSkipsPeriodsCompletesASetAllTheSame)
{
  Pair pair(1000, 20);
  pair.example.timer(0, 9, 100, 30);
  EXPECT_LT(pair.bound(0), 120) << "a period after it has begun, however late that was";
}

TEST(MessageSet, ItWorksAsOftenAsItsSlowestTopic)
{
  Pair pair(100, 50);
  // 1 + 10 + 5 every 100 and 2 every 50 are 20 %. If the callback worked on each message, it would
  // be 50 %.
  Example & example = pair.example;
  const Index load = example.timer(0, 9, 100, 70);
  example.chain({load});
  EXPECT_TRUE(bounds(example.model)->chains[0].ok());
  example.model.tasks[load].time = 82;
  EXPECT_FALSE(bounds(example.model)->chains[0].ok());
}

/// A set of a timer of 100 and a faster one, and a less urgent callback that a few sets may delay.
struct Delayed
{
  explicit Delayed(Ns fast_period)
  {
    const Index timers = example.thread(0, 60);
    slow = example.timer(timers, 3, 100, 1);
    fast = example.timer(timers, 2, fast_period, 2);
    const Index thread = example.thread(0, 50);
    fusion = example.sub(thread, 1, {slow, fast}, 10);
    Task & task = example.model.tasks[fusion];
    task.newest = true;
    task.triggers[1].topic = 1;
    example.sub(thread, 0, {fusion}, 5);
    delayed = example.timer(example.thread(0, 40), 0, 1000, 110);
    example.chain({delayed});
  }

  Ns bound() const { return bounds(example.model)->chains[0]->bound; }

  /// The fast timer begins almost a period after the slow one, and its message completes the first
  /// set late.
  Ns simulated()
  {
    const Ns late = example.model.tasks[fast].release->period - 1;
    example.model.tasks[slow].release->offset = 0;
    example.model.tasks[fast].release->offset = late;
    example.model.tasks[delayed].release->offset = late;
    SimulationOptions options;
    options.duration = 1000;
    return simulate(*simulation_model(example.model), options)->chains[0].responses.worst.time();
  }

  Example example{1};
  Index slow = 0, fast = 0, fusion = 0, delayed = 0;
};

TEST(MessageSet, WorkComesSoonAfterTheSlowestTopicWhereTheOtherTopicIsFast)
{
  Delayed model(20);
  const Ns bound = model.bound();
  EXPECT_EQ(bound, 158) << "two sets: the work of three would be 15 more";
  EXPECT_EQ(model.simulated(), bound - 1) << "the slow timer comes only once";
}

// The bound rests on the fast topic: with a period of 70 it needs less time, but it brings a third
// set.
TEST(MessageSet, ASlowerOtherTopicMakesMoreSetsInTheSameTime)
{
  EXPECT_GT(Delayed(70).simulated(), Delayed(20).bound());
  EXPECT_LE(Delayed(70).simulated(), Delayed(70).bound());
}

TEST(MessageSet, MessagesFromOutsideOfTheModelMayNeverComplete)
{
  Pair pair(100, 100);
  pair.example.model.tasks[pair.second].timer = false;
  EXPECT_TRUE(bounds(pair.example.model)->chains[0].ok()) << "a timer's is replaced by its next";
  EXPECT_TRUE(bounds(pair.example.model)->chains[1].ok()) << "a timer's is sure to come";
  pair.example.model.tasks[pair.first].timer = false;
  const auto found = bounds(pair.example.model);
  for (const auto & chain : found->chains) {
    ASSERT_FALSE(chain.ok());
    EXPECT_NE(
      to_string(chain.faults().front()).find("waits for the other messages of a set"),
      std::string::npos)
      << chain.faults().front();
  }
}

TEST(MessageSet, AFirstReleaseAfterMoreThanAPeriodIsWaitedFor)
{
  Pair pair(1000, 100);
  pair.example.model.tasks[pair.first].release->offset = 0;
  pair.example.model.tasks[pair.second].release->offset = 550;
  EXPECT_GT(pair.bound(0), 550);
}

TEST(MessageSet, OnlyTimersOfOneProcessAreInStep)
{
  Pair pair(100, 100);
  for (const Index timer : {pair.first, pair.second}) {
    pair.example.model.tasks[timer].release->offset = 0;
  }
  pair.example.model.executors.push_back("other");
  pair.example.model.threads.push_back(pair.example.model.threads.front());
  pair.example.model.threads.back().executor = 1;
  pair.example.model.threads.back().cores = {1};
  pair.example.model.cores.push_back({0, 1});
  pair.example.model.tasks[pair.second].executor = 1;
  pair.example.model.tasks[pair.second].threads = {1};
  EXPECT_GT(pair.bound(0), 100) << "nobody knows when the other one starts";
}

// ---- against simulation ----

/// Two sets that are complete shortly after each other release more work than the stream by which
/// the analysis counts.
TEST(MessageSetSoundness, AChainThatEntersByAnotherTopicMeetsWhatQueuesBehindTheSet)
{
  const auto plan = parse_plan(
    "version: 1\nhosts: {h: {cores: 3}}\ncallbacks:\n"
    "  - {id: \"/n0:timer(7ms)\", time: 0s, period: 7ms, publishes: /t0}\n"
    "  - {id: \"/n1:timer(11ms)\", time: {worst: 232us, best: 0s}, period: 11ms, jitter: 3323us, "
    "publishes: /t1}\n"
    "  - {id: [\"/n2:sub(/t0)\", \"/n2:sub(/t1)\"], time: {worst: 5267us, best: 0s}, triggers: "
    "[/t0, /t1], depth: 100, trigger: newest, publishes: /t2}\n"
    "  - {id: [\"/n3:sub(/t2)\", \"/n3:sub(/t0)\"], time: 0s, triggers: [/t2, /t0], depth: 100, "
    "trigger: newest, publishes: /t3}\n"
    "  - {id: \"/n4:sub(/t3)\", time: {worst: 10450us, best: 0s}, triggers: /t3, depth: 100}\n"
    "chains: {c: {path: [\"/n0:timer(7ms)\", \"/n3:sub(/t0)\", \"/n4:sub(/t3)\"]}}\n",
    "version: 1\nexecutors:\n  main:\n    order: fifo\n    middleware_ceiling: off\n    threads:\n"
    "      m0: {policy: fifo, priority: 50, cores: [0]}\n"
    "      m1: {policy: fifo, priority: 60, cores: [0]}\n"
    "      m2: {policy: fifo, priority: 50, cores: [1]}\n"
    "      m3: {policy: fifo, priority: 50, cores: [2]}\n    default: m0\n    callbacks:\n"
    "      - {match: [\"/n1:**\", \"/n2:**\"], threads: m1}\n"
    "      - {match: \"/n3:**\", threads: m3}\n      - {match: \"/n4:**\", threads: m2}\n");
  ASSERT_TRUE(plan.ok()) << plan.faults().front();
  const auto found = bounds(plan->model);
  ASSERT_TRUE(found->chains[0].ok()) << found->chains[0].faults().front();
  SimulationOptions options;
  options.phases = Phases::random;
  options.duration = 300'000'000;
  options.runs = 300;
  const auto seen = simulate(simulation_model(*plan), options);
  ASSERT_TRUE(seen.ok());
  EXPECT_LE(seen->chains[0].responses.worst.time(), found->chains[0]->bound);
  // A sum that assumes the work after the set in time would be too small: the simulated response
  // exceeds it.
  EXPECT_GT(seen->chains[0].responses.worst.time(), 22'949'000);
}

TEST(MessageSetSoundness, AMessageThatWaitsForASetWhenReleasesEndHasNoResponse)
{
  // After 400, the next message would replace the fast timer's last message, but there is none. The
  // message of the slow timer is under way when releases end.
  Example example(1);
  const Index urgent = example.thread(0, 90), late = example.thread(0, 60);
  const Index fast = example.timer(urgent, 1, 400, 0), slow = example.timer(urgent, 1, 1200, 0);
  example.model.tasks[fast].release->offset = 0;
  example.model.tasks[slow].release->offset = 1069;
  const Index first = example.sub(late, 1, {slow}, 80);
  const Index second = example.sub(late, 1, {first}, 90);
  const Index set = example.sub(urgent, 1, {second, fast}, 0);
  example.model.tasks[set].newest = true;
  example.model.tasks[set].triggers[1].topic = 1;
  example.chain({fast, set});
  const auto found = bounds(example.model);
  ASSERT_TRUE(found->chains[0].ok()) << found->chains[0].faults().front();
  auto simulation = simulation_model(example.model);
  ASSERT_TRUE(simulation.ok());
  SimulationOptions options;
  options.duration = 60'000;
  const auto seen = simulate(*simulation, options);
  ASSERT_TRUE(seen.ok());
  EXPECT_GT(seen->chains[0].responses.count, 0U);
  EXPECT_LE(seen->chains[0].responses.worst.time(), found->chains[0]->bound);
}

/// Random models with sets. Some have timers of one period with offsets.
Model model_with_sets(std::uint64_t seed, bool offsets)
{
  Model model = test::random_model(seed);
  std::mt19937_64 random(seed * 7919 + 1);
  const auto below = [&](std::uint64_t n) { return static_cast<Index>(random() % n); };
  const bool one_period = offsets && random() % 2 == 0;
  for (Task & task : model.tasks) {
    task.time = task.time * 3 / 4;
    task.all = false;
    if (task.release) {
      task.release->jitter = offsets || random() % 2 == 0 ? 0 : task.release->jitter / 6;
      task.release->period = one_period ? 2000 : task.release->period;
      if (offsets) {
        task.release->offset =
          random() % 2 == 0
            ? 0
            : static_cast<Ns>(
                random() % static_cast<std::uint64_t>(one_period ? 200 : task.release->period));
      }
    }
  }
  const std::vector<Chain> before = model.chains;
  for (Index index = 0; index < model.tasks.size(); ++index) {
    Task & task = model.tasks[index];
    if (task.release || task.triggers.size() != 1 || random() % 2 == 0) {
      continue;
    }
    const Index other = below(index);
    task.triggers.push_back({other, static_cast<Ns>(random() % 3 == 0 ? 20 : 0), 1});
    task.newest = true;
    for (const Chain & to : before) {
      for (const Chain & on : before) {
        const auto here = std::find(on.path.begin(), on.path.end(), index);
        if (to.path.back() == other && here != on.path.end() && model.chains.size() < 60) {
          Chain chain = to;
          chain.name = "by_" + std::to_string(model.chains.size());
          chain.path.insert(chain.path.end(), here, on.path.end());
          model.chains.push_back(std::move(chain));
        }
      }
    }
  }
  return model;
}

struct Seen
{
  std::uint64_t jobs = 0, bounds = 0, refusals = 0, violations = 0, through_sets = 0;
  double tightest = 0;
  std::string first;
};

void run(std::uint64_t seed, const PriorityTerms & terms, Seen & seen)
{
  const bool offsets = seed % 2 == 0;
  const Model model = model_with_sets(seed, offsets);
  PriorityOptions options;
  options.terms = terms;
  const auto bounds = priority_bounds(model, options);
  ASSERT_TRUE(bounds.ok()) << bounds.faults().front();
  auto simulation = simulation_model(model);
  ASSERT_TRUE(simulation.ok()) << simulation.faults().front();
  for (SimulatedTask & task : simulation->tasks) {
    task.best = 0;
  }
  const auto compare = [&](const std::string & what, Ns bound, Ns observed) {
    seen.tightest =
      std::max(seen.tightest, static_cast<double>(observed) / static_cast<double>(bound + 1));
    if (observed > bound && seen.violations++ == 0) {
      seen.first = "TAKT_TEST_SEED=" + std::to_string(seed) + " " + what + ": bound " +
                   std::to_string(bound) + ", observed " + std::to_string(observed);
    }
  };
  for (std::uint64_t i = 0; i < 6; ++i) {
    SimulationOptions how;
    how.duration = 60'000;
    how.seed = seed * 16 + i;
    how.phases = offsets ? Phases::fixed : i < 3 ? Phases::adversarial : Phases::random;
    how.execution = i % 2 == 0 ? Execution::worst : Execution::uniform;
    how.runs = offsets ? 1 : i < 3 ? adversarial_runs(*simulation) : 3;
    const auto result = simulate(*simulation, how);
    ASSERT_TRUE(result.ok()) << result.faults().front();
    seen.jobs += result->jobs;
    for (Index t = 0; t < model.tasks.size(); ++t) {
      if (bounds->tasks[t]) {
        compare(model.tasks[t].id, *bounds->tasks[t], result->tasks[t].from_source);
      }
    }
    for (Index c = 0; c < model.chains.size(); ++c) {
      const auto & bound = bounds->chains[c];
      ++(bound ? seen.bounds : seen.refusals);
      const auto & path = model.chains[c].path;
      const bool through =
        std::any_of(path.begin(), path.end(), [&](Index task) { return model.tasks[task].newest; });
      const Responses & responses = result->chains[c].responses;
      if (bound && responses.count > 0) {
        seen.through_sets += through ? 1 : 0;
        compare(model.chains[c].name, bound->bound, responses.worst.time());
      }
    }
  }
}

TEST(MessageSetSoundness, NoResponseIsAboveItsBound)
{
  Seen seen;
  for (std::uint64_t i = 0; i < test::rounds(400); ++i) {
    run(test::seed() + i, {}, seen);
  }
  EXPECT_EQ(seen.violations, 0U) << seen.first;
  EXPECT_GT(seen.jobs, 500'000U);
  EXPECT_GT(seen.bounds, seen.refusals);
  EXPECT_GT(seen.through_sets, 2'000U);
  EXPECT_GT(seen.tightest, 0.95);
}

void expect_needed(bool PriorityTerms::*term)
{
  PriorityTerms terms;
  terms.*term = false;
  Seen seen;
  for (std::uint64_t i = 1; i <= 500 && seen.violations == 0; ++i) {
    run(i, terms, seen);
  }
  EXPECT_GT(seen.violations, 0U);
}

TEST(MessageSetSoundness, WaitingIsNeeded)
{
  expect_needed(&PriorityTerms::sets);
}

TEST(MessageSetSoundness, AllOrdersOfArrivalAreNeeded)
{
  expect_needed(&PriorityTerms::orders);
}

}  // namespace
}  // namespace takt_plan
