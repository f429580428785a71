// Compares the published PiCAS analysis with published numbers, and tests its refusals.
#include "published/picas_published.hpp"

#include <gtest/gtest.h>

#include "support/example.hpp"
#include "support/picas_case_study.hpp"

namespace takt_bench
{
namespace
{

using namespace takt_plan;  // NOLINT: all of it is about its models

using takt_plan::test::Example;
using takt_plan::test::kMs;
using takt_plan::test::kTenth;
using takt_plan::test::picas_case_study;

struct Golden
{
  Ns sum, bound;  // in tenths of a millisecond
};

TEST(PicasPublished, ReproducesTheCaseStudyToTheLastDigit)
{
  const Golden golden[] = {{184, 184}, {756, 756},   {631, 631},  {451, 451},
                           {479, 479}, {3780, 3780}, {1282, 2482}};
  const auto chains = picas_published(picas_case_study(true));
  ASSERT_TRUE(chains.ok()) << chains.faults().front();
  ASSERT_EQ(chains->size(), 12U);
  for (Index i = 0; i < std::size(golden); ++i) {
    EXPECT_EQ((*chains)[i].sum, golden[i].sum * kTenth) << "chain " << i + 1;
    EXPECT_EQ((*chains)[i].bound, golden[i].bound * kTenth) << "chain " << i + 1;
  }
}

TEST(PicasPublished, CountsAnotherChainOnceIfItsTimerIsBelow)
{
  Example example(1);
  const Index high = example.thread(0, 90);
  const Index low = example.thread(0, 80);
  // The timer of the first chain is below the second chain, so only one run of its second task can
  // interfere.
  const Index a = example.timer(low, 1, 10 * kMs, kMs);
  example.chain({a, example.sub(high, 4, {a}, kMs)});
  const Index b = example.timer(low, 2, 100 * kMs, kMs);
  example.chain({b, example.sub(low, 3, {b}, 20 * kMs)});
  const auto chains = picas_published(example.model);
  ASSERT_TRUE(chains.ok());
  EXPECT_EQ((*chains)[1].bound, (21 + 1 + 1) * kMs)
    << "own, blocking by the timer, one interference";
}

TEST(PicasPublished, AddsOnePeriodBeyondThePeriod)
{
  Example example(1);
  const Index thread = example.thread(0, 90);
  example.chain({example.timer(thread, 2, 10 * kMs, 6 * kMs)});
  example.chain({example.timer(thread, 1, 20 * kMs, 9 * kMs)});
  const auto chains = picas_published(example.model);
  ASSERT_TRUE(chains.ok());
  EXPECT_EQ((*chains)[0].sum, 15 * kMs);
  EXPECT_EQ((*chains)[0].bound, 25 * kMs);
}

TEST(PicasPublished, GivesNoNumberWhereInterferenceFillsTheCore)
{
  Example example(1);
  const Index thread = example.thread(0, 90);
  example.chain({example.timer(thread, 2, 10 * kMs, 10 * kMs)});
  example.chain({example.timer(thread, 1, 10 * kMs, kMs)});
  const auto chains = picas_published(example.model);
  ASSERT_TRUE(chains.ok());
  EXPECT_EQ((*chains)[1].bound, kUnbounded);
}

TEST(PicasPublished, RefusesWhatItDoesNotKnow)
{
  const auto refused = [](auto change) {
    Model model = picas_case_study(true);
    change(model);
    return !picas_published(model).ok();
  };
  EXPECT_FALSE(refused([](Model &) {}));
  EXPECT_TRUE(refused([](Model & m) { m.chains.pop_back(); }));
  EXPECT_TRUE(refused([](Model & m) { m.threads[0].kind = ThreadClass::fair; }));
  EXPECT_TRUE(refused([](Model & m) { m.threads[0].cores = {0, 1}; }));
  EXPECT_TRUE(refused([](Model & m) { m.threads[0].order = takt_core::Order::window; }));
  EXPECT_TRUE(refused([](Model & m) { m.tasks[1].triggers[0].delay = 1; }));
  EXPECT_TRUE(refused([](Model & m) { m.others.push_back({"irq", 99, {0}, 1, 1000}); }));
  EXPECT_TRUE(refused([](Model & m) { m = picas_case_study(false); })) << "a task in two chains";
}

}  // namespace
}  // namespace takt_bench
