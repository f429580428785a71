// Chains that leave a pool for a thread of fixed OS priority and come back: no simulated response
// exceeds its bound.
#include <gtest/gtest.h>

#include <random>

#include "models/close_releases.hpp"
#include "support/campaign.hpp"
#include "support/overheads.hpp"
#include "support/random_pool_model.hpp"
#include "support/simulated_campaign.hpp"
#include "takt_plan/bounds.hpp"

namespace takt_plan
{
namespace
{

/// Adds a core with two threads. Some chains go on there, and then return to their pool.
Model with_detours(std::uint64_t seed)
{
  Model model = test::random_pool_model(seed);
  std::mt19937_64 random(seed * 31 + 7);
  const Index core = model.cores.size();
  model.cores.push_back({0, static_cast<int>(core)});
  const Index first = model.threads.size();
  for (const int priority : {60, 50}) {
    Thread thread = model.threads.front();
    thread.name = "detour" + std::to_string(priority);
    thread.priority = priority;
    thread.cores = {core};
    thread.order = takt_core::Order::priority;
    model.threads.push_back(std::move(thread));
  }
  const std::size_t chains = std::min<std::size_t>(model.chains.size(), 4);
  for (Index i = 0; i < chains; ++i) {
    Chain chain = model.chains[random() % model.chains.size()];
    const Index from = chain.path.back();
    Task detour = model.tasks[from];
    detour.id = "/detour" + std::to_string(i);
    detour.threads = {first + static_cast<Index>(random() % 2)};
    detour.priority = static_cast<int>(i);
    detour.group = kNone;
    detour.time = 1 + static_cast<Ns>(random() % 10);
    detour.release.reset();
    detour.timer = false;
    detour.all = false;
    detour.reads.clear();
    detour.triggers = {{from, static_cast<Ns>(random() % 2 == 0 ? 0 : 15), 0}};
    Task back = detour;
    back.id = "/back" + std::to_string(i);
    back.threads = model.tasks[from].threads;
    back.triggers = {{model.tasks.size(), 0, 0}};
    chain.name = "detour" + std::to_string(i);
    chain.path.push_back(model.tasks.size());
    chain.path.push_back(model.tasks.size() + 1);
    model.tasks.push_back(std::move(detour));
    model.tasks.push_back(std::move(back));
    model.chains.push_back(std::move(chain));
  }
  return model;
}

TEST(PoolCompositionSoundness, NoResponseIsAboveItsBound)
{
  test::SimulatedCampaign campaign;
  std::uint64_t detours = 0;
  for (std::uint64_t i = 0; i < test::rounds(300); ++i) {
    const std::uint64_t seed = test::seed_of(i);
    const Model model = with_detours(seed);
    const test::Overheads overheads = test::some_overheads(seed);
    BoundsOptions options;
    options.jobs.windows = false;  // the campaign also simulates phases that are not the offsets
    const auto found = bounds(test::with_overheads(model, overheads), options);
    ASSERT_TRUE(found.ok()) << found.faults().front();
    test::Bounds chains;
    for (Index chain = 0; chain < model.chains.size(); ++chain) {
      const auto & answer = found->chains[chain];
      chains.push_back(answer ? test::Bounds::value_type(answer->bound) : answer.faults());
      detours += answer && answer->analysis == Analysis::several ? 1 : 0;
    }
    test::simulate_and_compare(seed, model, overheads, found->tasks, chains, campaign);
  }
  EXPECT_EQ(campaign.violations, 0U) << campaign.first;
  EXPECT_EQ(campaign.overwritten, 0U);
  EXPECT_GT(campaign.bounds, campaign.refusals);
  EXPECT_GT(detours, 300U);
}

}  // namespace
}  // namespace takt_plan
