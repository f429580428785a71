// In systems whose callbacks wait for others or sleep, no simulated response exceeds its bound. If
// the waits are omitted, some do.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "models/close_releases.hpp"
#include "support/mixed_model.hpp"
#include "support/simulated_campaign.hpp"
#include "takt_plan/bounds.hpp"

namespace takt_plan
{
namespace
{

using test::Overheads;
using test::SimulatedCampaign;

/// Adds a callback on this thread that only calls of other callbacks start.
Index add_called(Model & model, Index thread, std::mt19937_64 & random)
{
  Task task;
  task.id = "/called_" + std::to_string(model.tasks.size());
  task.host = model.threads[thread].host;
  task.executor = model.threads[thread].executor;
  task.threads = {thread};
  task.priority = static_cast<int>(random() % 20);
  task.time = 1 + static_cast<Ns>(random() % 5);
  model.tasks.push_back(std::move(task));
  return model.tasks.size() - 1;
}

/// Adds a thread for them that is more urgent than most.
Index add_thread(Model & model, const Task & of, std::mt19937_64 & random)
{
  std::vector<Index> cores;
  for (Index core = 0; core < model.cores.size(); ++core) {
    if (model.cores[core].host == of.host) {
      cores.push_back(core);
    }
  }
  Thread thread;
  thread.name = "called_" + std::to_string(model.threads.size());
  thread.host = of.host;
  thread.executor = of.executor;
  thread.kind = ThreadClass::fixed_priority;
  thread.priority = 60 + static_cast<int>(random() % 30);
  thread.cores = {cores[random() % cores.size()]};
  thread.order = takt_core::Order::priority;
  model.threads.push_back(std::move(thread));
  return model.threads.size() - 1;
}

void add_call(Model & model, Index from, Index to, Ns delay)
{
  Task & task = model.tasks[to];
  model.tasks[from].waits_for.push_back(to);
  task.triggers.push_back({from, delay, task.triggers.size(), true});
}

/// A mixed model in which some callbacks wait for new ones. A thread with a waiting callback has no
/// awaited callback; otherwise they might wait for ever.
Model waiting_model(std::uint64_t seed)
{
  Model model = test::mixed_model(seed);
  std::mt19937_64 random(seed);
  std::vector<char> waits(model.threads.size(), 0);
  std::vector<Index> waiting;
  for (Index task = 0; task < model.tasks.size(); ++task) {
    const Task & one = model.tasks[task];
    if (random() % 3 == 0 && one.threads.size() == 1 && !one.newest && !one.all) {
      waiting.push_back(task);
      waits[one.threads.front()] = 1;
    }
  }
  std::vector<Index> free;
  for (Index thread = 0; thread < model.threads.size(); ++thread) {
    if (waits[thread] == 0) {
      free.push_back(thread);
    }
  }
  for (const Index task : waiting) {
    std::vector<Index> threads;
    for (const Index thread : free) {
      if (model.threads[thread].host == model.tasks[task].host) {
        threads.push_back(thread);
      }
    }
    if (threads.empty() || random() % 4 != 0) {
      threads = {add_thread(model, model.tasks[task], random)};
    }
    for (std::uint64_t calls = 1 + random() % 2; calls > 0; --calls) {
      const Index called = add_called(model, threads[random() % threads.size()], random);
      add_call(model, task, called, static_cast<Ns>(random() % 3 == 0 ? random() % 4 : 0));
    }
  }
  return model;
}

/// A mixed model in which some callbacks sleep, also callbacks with sets of messages.
Model sleeping_model(std::uint64_t seed)
{
  Model model = test::mixed_model(seed);
  std::mt19937_64 random(seed);
  for (Task & task : model.tasks) {
    if (random() % 4 == 0) {
      task.sleep = 1 + static_cast<Ns>(random() % 6);
    }
  }
  return model;
}

struct Seen : SimulatedCampaign
{
  std::uint64_t waits = 0;  ///< waits with bounds
};

void run(std::uint64_t seed, const Model & model, bool with_waits, Seen & campaign)
{
  const Overheads overheads =
    test::some_overheads_or(seed % 2 == 0 ? Overheads{} : Overheads{1, 1}, seed);
  Model analysed = test::with_overheads(model, overheads);
  for (Task & task : analysed.tasks) {
    // The callback leaves its core and comes back for each answer.
    const std::size_t waits = task.waits_for.size() + (task.sleep > 0 ? 1 : 0);
    task.dispatch += static_cast<Ns>(2 * waits) * overheads.context_switch;
    if (!with_waits) {
      task.waits_for.clear();
      task.sleep = 0;
    }
  }
  const auto found = bounds(analysed);
  ASSERT_TRUE(found.ok()) << found.faults().front();
  for (const Ns wait : found->waits) {
    campaign.waits += wait > 0 ? 1 : 0;
  }
  test::Bounds chains;
  for (const auto & chain : found->chains) {
    chains.push_back(chain ? test::Bounds::value_type(chain->bound) : chain.faults());
  }
  test::simulate_and_compare(seed, model, overheads, found->tasks, chains, campaign);
}

TEST(WaitsSoundness, NoResponseIsAboveItsBound)
{
  Seen result;
  for (std::uint64_t i = 0; i < test::rounds(300); ++i) {
    run(test::seed_of(i), waiting_model(test::seed_of(i)), true, result);
  }
  EXPECT_EQ(result.violations, 0U) << result.first;
  EXPECT_GT(result.waits, 40U);
  EXPECT_GT(result.tightest, 0.9);
}

TEST(WaitsSoundness, WithoutWaitsSomeAre)
{
  Seen result;
  for (std::uint64_t i = 0; i < test::rounds(100); ++i) {
    run(test::seed() + i, waiting_model(test::seed() + i), false, result);
  }
  EXPECT_GT(result.violations, 10U);
}

TEST(WaitsSoundness, NoResponseOfASystemWithSleepsIsAboveItsBound)
{
  Seen result;
  for (std::uint64_t i = 0; i < test::rounds(150); ++i) {
    run(test::seed_of(i), sleeping_model(test::seed_of(i)), true, result);
  }
  EXPECT_EQ(result.violations, 0U) << result.first;
  EXPECT_GT(result.waits, 20U);
}

TEST(WaitsSoundness, WithoutSleepsSomeAre)
{
  Seen result;
  for (std::uint64_t i = 0; i < test::rounds(50); ++i) {
    run(test::seed() + i, sleeping_model(test::seed() + i), false, result);
  }
  EXPECT_GT(result.violations, 5U);
}

}  // namespace
}  // namespace takt_plan
