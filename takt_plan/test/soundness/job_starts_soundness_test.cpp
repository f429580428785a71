// Processes of one epoch start at any time. After their sets have settled, no simulated response
// exceeds its bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include "models/close_releases.hpp"
#include "support/campaign.hpp"
#include "support/example.hpp"
#include "support/overheads.hpp"
#include "support/phased_model.hpp"
#include "support/started_model.hpp"
#include "takt_plan/bounds.hpp"
#include "takt_plan/simulate.hpp"
#include "takt_plan/simulation_observer.hpp"

namespace takt_plan
{
namespace
{

constexpr Ns kStarts = 6'000;     // the last process has started by then, and its timers have run
constexpr Ns kHyperperiods = 10;  // examined after that

/// The first release of each timer is the first one on its grid after its start. The start is that
/// of the process, or the timer's own, as if the messages before it were lost. Timers that are
/// always released together start together.
template <typename Random>
Model started(Model model, bool apart, Random & random)
{
  std::map<std::tuple<Index, Ns, Ns>, Ns> starts;
  for (Task & task : model.tasks) {
    if (task.release) {
      const Ns period = task.release->period;
      const Ns offset = *task.release->offset;
      const auto [found, fresh] = starts.try_emplace(
        {task.timer ? task.executor : kNone, apart ? period : 0, apart ? offset : 0},
        std::uniform_int_distribution<Ns>(0, kStarts)(random));
      const Ns later = std::max<Ns>(0, found->second - offset);
      *task.release->offset += (later + period - 1) / period * period;
    }
  }
  return model;
}

/// The longest response of each chain, for responses that begin after all sets have settled, and
/// end while timers go on: at the end, no next message replaces the last message of a set that
/// waits for another one.
class Settled : public SimulationObserver
{
public:
  Settled(const Model & model, Ns from, Ns to)
  : longest(model.chains.size(), -1),
    from_(from),
    to_(to)
  {
  }

  void on_chain_end(Index chain, Ns release, Ns end) override
  {
    if (release >= from_ && release < to_) {
      longest[chain] = std::max(longest[chain], end - release);
    }
  }

  std::vector<Ns> longest;

private:
  Ns from_, to_;
};

struct Found
{
  std::uint64_t bounds = 0, violations = 0;
  double tightest = 0;
  std::string first;
};

/// Compares the simulation of `now` with the bounds of `model`.
void compare(
  const Model & model, const Model & now, const Bounds & bounds, std::uint64_t seed,
  Execution execution, Found & found, const test::Overheads & overheads = {})
{
  auto simulation = simulation_model(now);
  ASSERT_TRUE(simulation.ok()) << simulation.faults().front();
  test::vary(overheads, *simulation);
  const Ns hyperperiod = test::hyperperiod_of(model);
  const Ns from = test::settled_from(test::analysed_model(model, overheads), kStarts);
  SimulationOptions how;
  how.seed = seed * 100;
  how.duration = from + (kHyperperiods + 2) * hyperperiod;
  how.execution = execution;
  Settled settled(model, from, from + kHyperperiods * hyperperiod);
  ASSERT_TRUE(watch(*simulation, how, 0, settled).ok());
  for (Index chain = 0; chain < model.chains.size(); ++chain) {
    const auto & bound = bounds.chains[chain];
    const Ns longest = settled.longest[chain];
    if (!bound || longest < 0) {
      continue;
    }
    ++found.bounds;
    found.tightest =
      std::max(found.tightest, static_cast<double>(longest) / static_cast<double>(bound->bound));
    if (longest > bound->bound && found.violations++ == 0) {
      found.first = "TAKT_TEST_SEED=" + std::to_string(seed) + " " + model.chains[chain].name +
                    ": bound " + std::to_string(bound->bound) + ", seen " + std::to_string(longest);
    }
  }
}

void run(std::uint64_t seed, const JobTerms & terms, Found & found)
{
  const Model model = test::some_processes(seed);
  BoundsOptions options;
  options.jobs = terms;
  const test::Overheads overheads = test::some_overheads_or({}, seed);
  const Model analysed = test::analysed_model(model, overheads);
  const auto limits = bounds(analysed, options);
  if (!limits || test::load_of(analysed) > test::kMostLoad) {
    return;
  }
  std::mt19937_64 random(seed);
  for (int i = 0; i < 4; ++i) {
    const Model now = started(model, i >= 2, random);
    const Execution execution = i % 2 == 0 ? Execution::worst : Execution::uniform;
    compare(model, now, *limits, seed, execution, found, overheads);
  }
}

/// Processes on hosts whose clocks are wrong by up to `uncertainty` in either direction. `counted`:
/// the bounds know it.
void run_apart(std::uint64_t seed, bool counted, Found & found)
{
  Model model = test::some_processes(seed);
  std::mt19937_64 random(seed);
  const Ns uncertainty = std::uniform_int_distribution<Ns>(1, 60)(random);
  std::vector<Ns> early(model.executors.size());
  for (Ns & one : early) {
    one = std::uniform_int_distribution<Ns>(0, 1)(random) * 2 * uncertainty;
  }
  const Model exact = model;
  for (Task & task : model.tasks) {
    if (task.release && counted) {
      task.release->jitter = 2 * uncertainty;  // as Placement sets it
    }
  }
  const test::Overheads overheads = test::some_overheads_or({}, seed);
  const Model analysed = test::analysed_model(model, overheads);
  const auto limits = bounds(analysed);
  if (!limits || test::load_of(analysed) > test::kMostLoad) {
    return;
  }
  for (int i = 0; i < 2; ++i) {
    Model now = started(exact, false, random);
    for (Task & task : now.tasks) {
      if (task.release) {
        *task.release->offset += early[task.executor];
      }
    }
    const Execution execution = i == 0 ? Execution::worst : Execution::uniform;
    compare(model, now, *limits, seed, execution, found, overheads);
  }
}

TEST(JobStartsSoundness, NoResponseIsAboveItsBoundWheneverProcessesStart)
{
  Found found;
  for (std::uint64_t i = 0; i < test::rounds(150); ++i) {
    run(test::seed_of(i), {}, found);
  }
  EXPECT_EQ(found.violations, 0U) << found.first;
  EXPECT_GT(found.bounds, 500U);
  EXPECT_GT(found.tightest, 0.999) << "worst times reach some bounds";
}

/// Two sets on one core, on threads of two priorities. The less urgent set starts a callback on the
/// other thread.
Model two_sets()
{
  test::Example example(2);
  const Index urgent = example.thread(0, 40);
  const Index less = example.thread(0, 10);
  const Index fast = example.timer(urgent, 3, 400, 21);
  const Index often = example.timer(urgent, 2, 400, 66);
  const Index slow = example.timer(less, 3, 600, 19);
  const Index first = example.sub(less, 5, {slow, fast}, 118);
  const Index next = example.sub(urgent, 0, {first}, 74, 144);
  const Index second = example.sub(urgent, 1, {next, often}, 47);
  Model model = std::move(example.model);
  model.epochs = {takt_core::Epoch::host};
  model.tasks[fast].release->offset = 208;
  model.tasks[often].release->offset = 0;
  model.tasks[slow].release->offset = 300;
  for (const Index set : {first, second}) {
    model.tasks[set].newest = true;
  }
  model.tasks[first].store = model.tasks[first].middleware = 18;
  model.tasks[second].store = model.tasks[second].middleware = 17;
  model.chains.push_back({"slow", {slow, first, next}});
  return model;
}

// After some starts, the work of one set delays the messages of the next set so much that it is
// late again, for good.
TEST(JobStartsSoundness, WorkThatAStartLeavesMayKeepItselfUp)
{
  const Model model = two_sets();
  ASSERT_LT(test::load_of(model), test::kMostLoad);
  auto limits = bounds(model);
  ASSERT_TRUE(limits.ok());
  Found found;
  std::mt19937_64 random(1);
  for (int i = 0; i < 20; ++i) {
    compare(model, started(model, true, random), *limits, 1, Execution::worst, found);
  }
  EXPECT_EQ(found.violations, 0U) << found.first;
  // The random starts include such a start.
  limits->chains[0] = ChainAnswer{Analysis::jobs, 500, {}};
  for (int i = 0; i < 20; ++i) {
    compare(model, started(model, true, random), *limits, 1, Execution::worst, found);
  }
  EXPECT_GT(found.violations, 0U);
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

TEST(JobStartsSoundness, NoResponseIsAboveItsBoundWhileClocksOfHostsAreWithinTheirUncertainty)
{
  Found found;
  for (std::uint64_t i = 0; i < test::rounds(100); ++i) {
    run_apart(test::seed_of(i), true, found);
  }
  EXPECT_EQ(found.violations, 0U) << found.first;
  EXPECT_GT(found.bounds, 200U);
}

TEST(JobStartsSoundness, TheUncertaintyOfClocksIsNeeded)
{
  Found found;
  for (std::uint64_t i = 0; i < 1000 && found.violations == 0; ++i) {
    run_apart(test::seed() + i, false, found);
  }
  EXPECT_GT(found.violations, 0U);
}

}  // namespace
}  // namespace takt_plan
