// Processes of one epoch that start in any order: once sets have settled, no simulated response is above its bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "analysis/jobs/job_bounds.hpp"
#include "support/campaign.hpp"
#include "support/random_model.hpp"
#include "takt_plan/simulate.hpp"
#include "takt_plan/simulation_observer.hpp"

namespace takt_plan
{
namespace
{

constexpr Ns kStarts = 6'000;  // the last process starts by then, and its timers have run
constexpr Ns kDuration = 150'000;

/// A random system of two processes on one epoch, with sets that wait for messages of both.
Model two_processes(std::uint64_t seed)
{
  Model model = test::random_model(seed);
  std::mt19937_64 random(seed);
  const auto pick = [&](Ns least, Ns most) {
    return std::uniform_int_distribution<Ns>(least, most)(random);
  };
  model.executors = {"one", "other"};
  model.epochs = {takt_core::Epoch::host, takt_core::Epoch::host};
  for (Thread & thread : model.threads) {
    thread.executor = static_cast<Index>(pick(0, 1));
  }
  const Ns period =
    pick(0, 1) == 0 ? 0 : 1000;  // of all timers: sets that keep their order for ever
  for (Index index = 0; index < model.tasks.size(); ++index) {
    Task & task = model.tasks[index];
    task.executor = model.threads[task.threads.front()].executor;
    const Index other = static_cast<Index>(pick(0, static_cast<Ns>(index)));
    if (task.triggers.size() == 1 && other < index && pick(0, 1) == 0) {
      task.triggers.push_back({other, 0, 1});
    }
    if (task.release) {
      task.timer = true;
      task.release->jitter = 0;
      task.release->period = period == 0 ? task.release->period : period;
      task.release->offset = pick(0, task.release->period / 50 - 1) * 50;
    } else if (task.triggers.size() == 2 && task.triggers[0].from != task.triggers[1].from) {
      task.all = false;
      task.newest = true;
      task.store = task.middleware = pick(0, task.time);
    }
  }
  return model;
}

/// The other process starts later by any time: the first release of each of its timers is the first one on its grid.
Model started_late(Model model, Ns start)
{
  for (Task & task : model.tasks) {
    if (task.release && task.executor == 1 && *task.release->offset < start) {
      const Ns period = task.release->period;
      *task.release->offset += (start - *task.release->offset + period - 1) / period * period;
    }
  }
  return model;
}

/// The longest response of each chain that begins once everything has settled.
class Settled : public SimulationObserver
{
public:
  Settled(const Model & model, Ns from) : longest(model.chains.size(), -1), from_(from) {}

  void on_chain_end(Index chain, Ns release, Ns end) override
  {
    if (release >= from_) {
      longest[chain] = std::max(longest[chain], end - release);
    }
  }

  std::vector<Ns> longest;

private:
  Ns from_;
};

struct Found
{
  std::uint64_t bounds = 0, responses = 0, violations = 0;
  double tightest = 0;
  std::string first;
};

void run(std::uint64_t seed, const JobTerms & terms, Found & found)
{
  const Model model = two_processes(seed);
  BoundsOptions options;
  options.jobs = terms;
  double looks = 0;
  const PriorityBounds bounds =
    detail::job_bounds(model, detail::Flow(model), options, 0, looks, std::int64_t{100'000'000});
  Ns hyperperiod = 1;
  for (const Task & task : model.tasks) {
    hyperperiod = task.release ? std::lcm(hyperperiod, task.release->period) : hyperperiod;
  }
  std::mt19937_64 random(seed);
  for (int i = 0; i < 4; ++i) {
    const Ns start = std::uniform_int_distribution<Ns>(0, kStarts)(random);
    auto simulation = simulation_model(started_late(model, start));
    ASSERT_TRUE(simulation.ok()) << simulation.faults().front();
    for (SimulatedTask & task : simulation->tasks) {
      task.best = 0;
    }
    SimulationOptions how;
    how.seed = seed * 100;
    how.duration = kDuration;
    how.execution = i % 2 == 0 ? Execution::worst : Execution::uniform;
    Settled settled(model, kStarts + 4 * hyperperiod);
    ASSERT_TRUE(watch(*simulation, how, 0, settled).ok());
    for (Index chain = 0; chain < model.chains.size(); ++chain) {
      const auto & bound = bounds.chains[chain];
      if (!bound || settled.longest[chain] < 0) {
        continue;
      }
      ++found.bounds;
      found.responses += settled.longest[chain] >= 0;
      const Ns longest = settled.longest[chain];
      found.tightest =
        std::max(found.tightest, static_cast<double>(longest) / static_cast<double>(bound->bound));
      if (longest > bound->bound && found.violations++ == 0) {
        found.first = "TAKT_TEST_SEED=" + std::to_string(seed) + " " + model.chains[chain].name +
                      ", start " + std::to_string(start) + ": bound " +
                      std::to_string(bound->bound) + ", seen " + std::to_string(longest);
      }
    }
  }
}

TEST(JobStartsSoundness, NoResponseIsAboveItsBoundInWhicheverOrderProcessesStart)
{
  Found found;
  for (std::uint64_t i = 0; i < test::rounds(150); ++i) {
    run(test::seed() + i, {}, found);
  }
  EXPECT_EQ(found.violations, 0U) << found.first;
  EXPECT_GT(found.bounds, 500U);
  EXPECT_GT(found.tightest, 0.999) << "worst times reach some bounds";
}

TEST(JobStartsSoundness, OrdersOfStartsAreNeeded)
{
  JobTerms terms;
  terms.starts = false;
  Found found;
  for (std::uint64_t i = 0; i < 1000 && found.violations == 0; ++i) {
    run(test::seed() + i, terms, found);
  }
  EXPECT_GT(found.violations, 0U);
}

}  // namespace
}  // namespace takt_plan
