// Compares bounds of pools with the published bounds.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "published/pool_published.hpp"
#include "support/pool_example.hpp"
#include "takt_plan/pool_bounds.hpp"
#include "takt_plan/simulate.hpp"

namespace takt_bench
{
namespace
{

using namespace takt_plan;  // NOLINT: all of it is about its models
using takt_core::Order;
using takt_plan::test::kMs;
using takt_plan::test::PoolExample;
using takt_rt::Result;

PooledBounds bounds(const Model & model)
{
  auto result = pool_bounds(model);
  EXPECT_TRUE(result.ok()) << result.faults().front();
  return result ? *result : PooledBounds{};
}

/// The sentence of the refusal; if there is a bound, the bound.
std::string refusal(const Result<Ns> & bound)
{
  return bound ? "bound " + std::to_string(*bound) : to_string(bound.faults().front());
}

SimulationResult simulated(const Model & model, Ns duration)
{
  const auto simulation = simulation_model(model);
  EXPECT_TRUE(simulation.ok()) << simulation.faults().front();
  SimulationOptions options;
  options.duration = duration;
  options.phases = Phases::adversarial;
  options.runs = adversarial_runs(*simulation);
  const auto result = simulate(*simulation, options);
  EXPECT_TRUE(result.ok()) << result.faults().front();
  return *result;
}

struct CaseStudy
{
  Pool published;
  PoolExample ours;
};

/// The case study of RTAS 2023, which is in microseconds there. The first chain is the most urgent
/// one.
CaseStudy case_study(int threads, Order order)
{
  struct
  {
    Ticks period;
    std::vector<Ticks> times;
  } const chains[] = {
    {50'000, {3123, 3119}},
    {50'000, {3123, 4094, 4769, 5928}},
    {100'000, {11'097, 12'094, 12'088}},
    {200'000, {21'062, 41'005, 42'023, 22'069}}};
  CaseStudy study{{threads, {}}, PoolExample(threads, order)};
  int priority = 9;
  for (const auto & chain : chains) {
    PoolChain & published = study.published.chains.emplace_back();
    published.period = published.deadline = chain.period;
    std::vector<Index> path;
    for (const Ticks time : chain.times) {
      published.tasks.push_back({time, priority, {}});
      path.push_back(
        path.empty() ? study.ours.pooled_timer(priority, 1000 * chain.period, 1000 * time)
                     : study.ours.pooled_sub(priority, path.back(), 1000 * time));
    }
    study.ours.chain(std::move(path));
    --priority;
  }
  return study;
}

TEST(PoolBoundsBesidePublishedOnes, AreOnTheSafeSideOfThePublishedOnes)
{
  for (const int threads : {2, 4}) {
    for (const Order order : {Order::priority, Order::fifo}) {
      const CaseStudy study = case_study(threads, order);
      const auto published = pool_rtas23(
        study.published, order == Order::fifo ? PoolScheme::standard : PoolScheme::priority);
      ASSERT_TRUE(published.ok());
      const auto ours = bounds(study.ours.model);
      const SimulationResult seen = simulated(study.ours.model, 5'000 * kMs);
      for (Index chain = 0; chain < 4; ++chain) {
        const Ns worst = seen.chains[chain].responses.worst.time();
        EXPECT_GE(1000 * published->chains[chain], worst)
          << "the case study is not what breaks them";
        if (threads == 4) {
          ASSERT_TRUE(ours.chains[chain].ok()) << refusal(ours.chains[chain]);
        }
        if (ours.chains[chain].ok()) {
          EXPECT_GE(*ours.chains[chain], 1000 * published->chains[chain]);
        }
      }
    }
  }
}

TEST(PoolBoundsBesidePublishedOnes, OfTheCaseStudyWithFourThreadsAreThese)
{
  // In microseconds, by priority. Published: 12.3, 30.1, 57.9 and 171.5 ms. The difference comes
  // from blocking before each task, and because chains need not end by their deadlines here.
  const auto result = bounds(case_study(4, Order::priority).ours.model);
  std::vector<Ns> found;
  for (const Result<Ns> & chain : result.chains) {
    found.push_back(chain ? *chain / 1000 : 0);
  }
  EXPECT_EQ(found, (std::vector<Ns>{40'904, 140'132, 143'338, 248'169}));
}

TEST(PoolBoundsBesidePublishedOnes, HoldWhereThePublishedPrioritySchemeIsExceeded)
{
  // pool_published_test.cpp has the schedule. While a task of the long chain runs, a less urgent
  // task begins on the other thread. When the long chain's task ends, a more urgent task takes its
  // thread.
  constexpr int kTasks = 30, kUrgent = 7;
  constexpr Ns kRare = 100'000;
  PoolExample e(2);
  PoolChain long_chain{kRare, kRare, std::vector<PoolTask>(kTasks, PoolTask{100, 50, {}})};
  Pool pool{2, {std::move(long_chain)}};
  std::vector<Index> path;
  for (int i = 0; i < kTasks; ++i) {
    path.push_back(
      path.empty() ? e.pooled_timer(50, kRare, 100) : e.pooled_sub(50, path.back(), 100));
  }
  e.model.tasks[path.front()].release->offset = 0;
  const auto add = [&](int priority, Ns period, Ns time, Ns offset) {
    const Index task = e.pooled_timer(priority, period, time);
    e.model.tasks[task].release->offset = offset;
    pool.chains.push_back({period, period, {{time, priority, {}}}});
  };
  for (int i = 0; i < kUrgent; ++i) {
    add(90, 200 * kUrgent, 100, 200 * i + 100);
  }
  for (int i = 0; i < kTasks; ++i) {
    add(10, kRare, 110, 200 * i + 95);
  }
  const Index chain = e.chain(std::move(path));
  const auto published = pool_rtas23(pool, PoolScheme::priority);
  ASSERT_TRUE(published.ok());
  EXPECT_TRUE(published->assumption_holds);
  const auto simulation = simulation_model(e.model);
  ASSERT_TRUE(simulation.ok());
  SimulationOptions options;
  options.duration = kRare;
  const auto seen = simulate(*simulation, options);
  ASSERT_TRUE(seen.ok()) << seen.faults().front();
  const Ns worst = seen->chains[chain].responses.worst.time();
  EXPECT_GT(worst, published->chains[0]);
  const auto ours = bounds(e.model);
  ASSERT_TRUE(ours.chains[chain].ok()) << refusal(ours.chains[chain]);
  EXPECT_LE(worst, *ours.chains[chain]);
}

}  // namespace
}  // namespace takt_bench
