// The terms of bounds: terms that a reader can add up, and sums of terms that equal the bounds of
// random systems. Bounds are the same with and without terms.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "support/campaign.hpp"
#include "support/example.hpp"
#include "support/mixed_model.hpp"
#include "support/overheads.hpp"
#include "support/random_model.hpp"
#include "support/random_pool_model.hpp"
#include "support/seen_terms.hpp"
#include "support/window_model.hpp"
#include "takt_plan/bounds.hpp"

namespace takt_plan
{
namespace
{

using takt_core::Order;
using takt_core::WindowTimers;
using test::Example;
using test::kMs;
using test::kTenth;
using test::SeenTerms;

std::string name_of(std::uint64_t seed)
{
  return "TAKT_TEST_SEED=" + std::to_string(seed) + " ";
}

/// The segments of a model's first chain.
std::vector<SegmentBound> segments(const Model & model)
{
  BoundsOptions options;
  options.explain = true;
  const auto found = bounds(model, options);
  EXPECT_TRUE(found.ok() && found->chains.front().ok());
  return found && found->chains.front().ok() ? found->chains.front()->segments
                                             : std::vector<SegmentBound>{};
}

std::string in_words(const BoundTerms & terms)
{
  std::string text;
  for (const BoundTerm & term : terms) {
    text += std::string(to_string(term.kind));
    for (const auto & [name, by] :
         {std::pair{" task ", term.task}, {" thread ", term.thread}, {" other ", term.other}}) {
      text += by == kNone ? "" : name + std::to_string(by);
    }
    text += ": " + std::to_string(term.time / kTenth) + "\n";
    for (const BusyWork & work : term.busy) {
      text += work.had_begun ? "- had begun" : "-";
      for (const Index task : work.tasks) {
        text += " " + std::to_string(task);
      }
      text += ": " + std::to_string(work.time / kTenth) + "\n";
    }
  }
  return text;
}

Index ordered(Example & example, Index core, int priority, Order order)
{
  const Index thread = example.thread(core, priority);
  example.model.threads[thread].order = order;
  return thread;
}

TEST(BoundTerms, OwnWorkAndItsOverheadAreTwo)
{
  Example example(1);
  const Index thread = example.thread(0, 50);
  const Index first = example.timer(thread, 1, 100 * kMs, 2 * kMs);
  const Index second = example.sub(thread, 1, {first}, 3 * kMs);
  const Index log = example.timer(thread, 0, 100 * kMs, 4 * kMs);
  const Index above = example.timer(example.thread(0, 60), 0, 50 * kMs, 1 * kMs);
  for (Task & task : example.model.tasks) {
    task.dispatch = kTenth;
    task.middleware = kTenth;
  }
  example.chain({first, second});
  const auto found = segments(example.model);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(
    in_words(found[0].terms), "work: 50\noverhead: 4\nblocking task " + std::to_string(log) +
                                ": 42\ninterference task " + std::to_string(above) + ": 12\n");
}

TEST(BoundTerms, EarlierActivationsInTheQueueHaveAHeadStart)
{
  Example example(1);
  const Index own = example.timer(example.thread(0, 50), 0, 100 * kMs, 62 * kMs);
  example.timer(example.thread(0, 60), 0, 70 * kMs, 26 * kMs);
  example.chain({own});
  // The window has five activations. The last one is the latest: 518 - 400 ms.
  EXPECT_EQ(
    in_words(segments(example.model)[0].terms),
    "work: 3100\ninterference task 1: 2080\nhead_start: -4000\n");
}

TEST(BoundTerms, AThreadOfAnotherProgramIsNamed)
{
  Example example(1);
  const Index task = example.timer(example.thread(0, 50), 0, 100 * kMs, 2 * kMs);
  example.model.others.push_back({"irq", 90, {0}, kTenth, 10 * kMs});
  example.chain({task});
  EXPECT_EQ(in_words(segments(example.model)[0].terms), "work: 20\ninterference other 0: 1\n");
  example.model.threads[0].order = Order::window;
  EXPECT_EQ(in_words(segments(example.model)[0].terms), "work: 20\ninterference other 0: 1\n");
}

TEST(BoundTerms, OnAWindowThreadOthersAndWhatIsMoreUrgentAreNamed)
{
  Example example(1);
  const Index thread = ordered(example, 0, 50, Order::window);
  const Index own = example.timer(thread, 0, 100 * kMs, 2 * kMs);
  example.timer(thread, 0, 100 * kMs, 3 * kMs);
  example.timer(example.thread(0, 60), 0, 100 * kMs, 1 * kMs);
  const Index less = example.timer(example.thread(0, 40), 0, 100 * kMs, 1 * kMs);
  example.model.threads[2].ceiling = 90;
  example.model.tasks[less].middleware = kTenth;
  example.model.tasks[own].dispatch = kTenth;
  example.chain({own});
  EXPECT_EQ(
    in_words(segments(example.model)[0].terms),
    "work: 20\noverhead: 1\nsame_thread task 1: 30\nceiling: 1\ninterference task 2: 10\n");
}

TEST(BoundTerms, TasksOfAWindowThreadThatStartEachOtherAreOnePart)
{
  Example example(2);
  const Index thread = ordered(example, 0, 50, Order::window);
  const Index first = example.timer(thread, 0, 100 * kMs, 2 * kMs);
  const Index second = example.sub(thread, 0, {first}, 3 * kMs);
  const Index other = example.timer(thread, 0, 100 * kMs, 1 * kMs);
  const Index last = example.sub(example.thread(1, 50), 0, {second}, 4 * kMs);
  example.chain({first, second, last});
  const auto found = segments(example.model);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].tasks, (std::vector<Index>{first, second}));
  EXPECT_EQ(
    in_words(found[0].terms), "work: 50\nsame_thread task " + std::to_string(other) + ": 10\n");
  EXPECT_EQ(found[1].released, 6 * kMs);
  EXPECT_EQ(in_words(found[1].terms), "work: 40\n");
}

TEST(BoundTerms, ADeadlineThreadWaitsForWhatItReserves)
{
  Example example(1);
  const Index thread = example.thread(0, 0);
  example.model.threads[thread].kind = ThreadClass::deadline;
  example.model.threads[thread].reservation = {5 * kMs, 10 * kMs, 10 * kMs, kTenth};
  const Index own = example.timer(thread, 1, 100 * kMs, 2 * kMs);
  example.timer(thread, 0, 100 * kMs, 1 * kMs);
  example.chain({own});
  // For 10 ms the thread gets no time; then 2 + 1, one due switch, and two replenishments.
  EXPECT_EQ(
    in_words(segments(example.model)[0].terms),
    "work: 20\nblocking task 1: 10\nswitches: 3\nreservation: 100\n");
}

TEST(BoundTerms, InAPoolTheWorkOfAllThreadsIsShown)
{
  Example example(2);
  const Index first = example.thread(0, 50);
  const Index second = example.thread(1, 50);
  const Index own = example.timer(first, 5, 100 * kMs, 2 * kMs);
  example.timer(first, 9, 100 * kMs, 4 * kMs);
  example.timer(first, 1, 100 * kMs, 7 * kMs);
  example.timer(first, 0, 100 * kMs, 6 * kMs);
  for (Task & task : example.model.tasks) {
    task.threads = {first, second};
  }
  example.chain({own});
  // Both threads had begun, and the more urgent work comes as well: (4 + 6 + 7) / 2.
  EXPECT_EQ(
    in_words(segments(example.model)[0].terms),
    "work: 20\nthreads_busy: 85\n- 1: 40\n- had begun: 130\n");
}

TEST(BoundTerms, InAPoolAMemberOfTheGroupParks)
{
  Example example(2);
  const Index first = example.thread(0, 50);
  const Index second = example.thread(1, 50);
  const Index own = example.timer(first, 5, 100 * kMs, 2 * kMs);
  const Index mate = example.timer(first, 9, 100 * kMs, 4 * kMs);
  example.model.groups.push_back({"g", true});
  for (const Index task : {own, mate}) {
    example.model.tasks[task].threads = {first, second};
    example.model.tasks[task].group = 0;
  }
  example.chain({own});
  EXPECT_EQ(in_words(segments(example.model)[0].terms), "work: 20\nparked task 1: 40\n");
}

void expect_seen(const SeenTerms & seen, Analysis analysis, const std::vector<TermKind> & kinds)
{
  for (const TermKind kind : kinds) {
    const auto found = seen.kinds.find({analysis, kind});
    EXPECT_GT(found == seen.kinds.end() ? 0 : found->second, 10U)
      << to_string(analysis) << " " << to_string(kind);
  }
}

TEST(BoundTermsCampaign, TermsAddUpOnThreadsOfAllKinds)
{
  SeenTerms seen;
  for (std::uint64_t i = 0; i < test::rounds(1000); ++i) {
    const std::uint64_t seed = test::seed() + i;
    const Model model = test::with_overheads(test::mixed_model(seed), test::some_overheads(seed));
    test::check_terms(name_of(seed), model, seen);
  }
  EXPECT_GT(seen.chains, 1000U);
  EXPECT_GT(seen.runs, 50U);
  using enum TermKind;
  expect_seen(
    seen, Analysis::priority,
    {work, overhead, blocking, ceiling, under_way, started_before, interference});
  expect_seen(
    seen, Analysis::window,
    {work, overhead, activations, blocking, ceiling, same_thread, interference, head_start});
  expect_seen(
    seen, Analysis::deadline,
    {work, overhead, activations, blocking, same_thread, reservation, switches, head_start});
}

TEST(BoundTermsCampaign, TermsAddUpInPools)
{
  SeenTerms seen;
  for (std::uint64_t i = 0; i < test::rounds(500); ++i) {
    const std::uint64_t seed = test::seed() + i;
    const Model model =
      test::with_overheads(test::random_pool_model(seed), test::some_overheads(seed));
    test::check_terms(name_of(seed), model, seen);
  }
  EXPECT_GT(seen.chains, 1000U);
  EXPECT_GT(seen.runs, 50U);
  using enum TermKind;
  expect_seen(seen, Analysis::pool, {work, overhead, activations, parked, threads_busy, waking});
}

TEST(BoundTermsCampaign, TermsAddUpOnWindowThreads)
{
  SeenTerms seen;
  for (std::uint64_t i = 0; i < test::rounds(100); ++i) {
    const std::uint64_t seed = test::seed() + i;
    for (const WindowTimers timers : {WindowTimers::snapshot, WindowTimers::immediate}) {
      test::check_terms(name_of(seed), test::window_model(seed, timers), seen);
      test::check_terms(name_of(seed), test::crowded_window_model(seed, timers), seen);
    }
  }
  EXPECT_GT(seen.chains, 500U);
  EXPECT_GT(seen.runs, 60U);
  using enum TermKind;
  expect_seen(seen, Analysis::window, {work, activations, blocking, same_thread, head_start});
}

/// Makes some tasks wait for sets of newest messages of two topics.
Model with_sets(Model model, std::uint64_t seed)
{
  std::mt19937_64 random(seed * 7919 + 5);
  for (Index index = 2; index < model.tasks.size(); ++index) {
    Task & task = model.tasks[index];
    task.time = task.time * 3 / 4;
    const Thread & thread = model.threads[task.threads.front()];
    const bool may = thread.kind == ThreadClass::fixed_priority && thread.order != Order::window;
    if (may && !task.release && task.triggers.size() == 1 && random() % 3 != 0) {
      task.triggers.push_back({static_cast<Index>(random() % index), 0, 1});
      task.newest = true;
      task.store = std::min<Ns>(task.cost(), static_cast<Ns>(random() % 4));
    }
  }
  return model;
}

TEST(BoundTermsCampaign, TermsAddUpThroughSetsOfNewestMessages)
{
  SeenTerms seen;
  std::uint64_t waited = 0;
  for (std::uint64_t i = 0; i < test::rounds(1000); ++i) {
    const std::uint64_t seed = test::seed() + i;
    Model model = i % 2 == 0 ? test::random_model(seed) : test::mixed_model(seed);
    model = with_sets(test::with_overheads(model, test::some_overheads(seed / 2)), seed);
    test::check_terms(name_of(seed), model, seen);
    const auto found = bounds(model);
    for (const auto & chain : found->chains) {
      for (const SegmentBound & segment : chain ? chain->segments : std::vector<SegmentBound>{}) {
        waited += segment.waiting > 0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(seen.chains, 500U);
  EXPECT_GT(waited, 100U);
}

}  // namespace
}  // namespace takt_plan
