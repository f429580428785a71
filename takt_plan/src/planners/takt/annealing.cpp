#include "planners/takt/annealing.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>

#include "planners/takt/timer_phases.hpp"
#include "planners/takt/walker.hpp"

namespace takt_plan::detail
{
namespace
{

constexpr Index kWalkers = 2;
constexpr Index kPlansOfTurn = 10;  // of a walker, between looks at what the other has
// Of a walker, from hot to cold, for each unit and each group of timers; by simulation ten times as many.
constexpr Index kPlansEach = 5;
constexpr Index kLeastPlans = 150;
constexpr int kWalks = 2;      // more only while there is time
constexpr double kWarm = 0.3;  // heat of a walk by bounds, which begins with a good plan
// What may be spent on judging, in the unit of Score::cost: some ten seconds, and where phases are not known a few.
constexpr double kMostWalking = 2e8;
constexpr double kMostWithoutPhases = 2e7;
// A longer chain of the most important ones may be shortened.
constexpr double kShort = 1.03;

class Annealing
{
public:
  Annealing(const PlanProblem & problem, double wanted)
  : problem_(problem),
    wanted_(wanted),
    phases_(problem),
    clusters_(clusters(problem))
  {
    for (Index i = 0; i < kWalkers; ++i) {
      walkers_.push_back(std::make_unique<Walker>(
        problem_, problem.by_phases ? &phases_ : nullptr, clusters_, problem.seed * kWalkers + i));
    }
  }

  Layout run(const std::vector<Layout> & starts)
  {
    const Index plans =
      std::max(kPlansEach * (problem_.units.size() + phases_.groups().size()), kLeastPlans);
    for (Index i = 0; i < kWalkers; ++i) {
      walkers_[i]->start(starts[i % starts.size()], false);
    }
    for (int walk = 0; !done() && (walk < kWalks || problem_.time_is_up); ++walk) {
      const Layout from = walkers_.front()->layout(best().genome);
      for (Index i = 0; i < kWalkers; ++i) {
        // One from the best plan that there is, the others anew.
        walkers_[i]->start(walk > 0 && i == 0 ? from : starts[i % starts.size()], true);
      }
      walk_from(1, plans);
      for (auto & walker : walkers_) {
        walker->go_by_bounds();
      }
      walk_from(kWarm, plans);
    }
    return walkers_.front()->layout(best().genome);
  }

  double spent() const
  {
    return std::accumulate(
      walkers_.begin(), walkers_.end(), 0.0,
      [](double sum, const auto & walker) { return sum + walker->spent(); });
  }

private:
  void walk_from(double heat, Index plans)
  {
    for (Index judged = 0; judged < plans && !done(); judged += kPlansOfTurn) {
      turn(heat * (1 - static_cast<double>(judged) / static_cast<double>(plans)) + 1e-3);
    }
  }

  void turn(double heat)
  {
    std::vector<std::thread> threads;
    for (Index i = 1; i < kWalkers; ++i) {
      threads.emplace_back([this, i, heat] { walkers_[i]->walk(kPlansOfTurn, heat); });
    }
    walkers_.front()->walk(kPlansOfTurn, heat);
    for (std::thread & thread : threads) {
      thread.join();
    }
    if (problem_.progress) {
      const Walked & found = best();
      Index tried = 0;
      for (const auto & walker : walkers_) {
        tried += walker->tried();
      }
      problem_.progress(
        {tried, found.score.slacks.size() - found.score.missed.size(), found.score.slacks.size()});
    }
  }

  const Walked & best() const
  {
    return (*std::max_element(
              walkers_.begin(), walkers_.end(),
              [](const auto & a, const auto & b) { return b->best().better_than(a->best()); }))
      ->best();
  }

  bool done() const
  {
    return good_enough(problem_, wanted_, best().score) ||
           (problem_.time_is_up
              ? problem_.time_is_up()
              : spent() > (problem_.by_phases ? kMostWalking : kMostWithoutPhases));
  }

  const PlanProblem & problem_;
  const double wanted_;
  const TimerPhases phases_;
  const std::vector<Cluster> clusters_;
  std::vector<std::unique_ptr<Walker>> walkers_;
};

}  // namespace

Layout annealed(
  const PlanProblem & problem, double wanted, const std::vector<Layout> & starts, double & cost)
{
  Annealing annealing(problem, wanted);
  Layout result = annealing.run(starts);
  cost += annealing.spent();
  return result;
}

bool good_enough(const PlanProblem & problem, double wanted, const Score & score)
{
  return score.missed.empty() && score.unbounded.empty() && score.crowded == 0 &&
         score.slack >= wanted && stretch(problem, score) <= kShort;
}

}  // namespace takt_plan::detail
