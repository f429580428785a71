#include "planners/takt/annealing.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include "planners/takt/timer_phases.hpp"
#include "planners/takt/walker.hpp"

namespace takt_plan::detail
{
namespace
{

constexpr Index kWalkers = 2;
constexpr std::uint64_t kTurns = 1'000'003;  // distance between the seeds of two turns
constexpr Index kPlansOfTurn = 10;           // plans that each walker judges between two exchanges
// In a walk each walker judges this many plans for each unit and each group of timers.
constexpr Index kPlansEach = 40;
constexpr Index kPlansForThreads = 100;  // the same, in a walk for few threads
constexpr Index kLeastPlans = 150;
// A walk without a proven chain ends after this many plans.
constexpr Index kPlansOfHope = 400;
constexpr double kCool = 0.1;  // heat of a walk for few threads, which begins with a good plan
constexpr int kWalks = 2;      // more only with a time limit, until it is reached
// Limits of the cost of judging, in the unit of Score::cost; two cores take about a second for 1e7.
// kMostWalking: all walks of a plan together. kMostForThreads: one walk for few threads.
// kMostWithoutPhases: one walk if phases are unknown.
constexpr double kMostWalking = 2.5e8;
constexpr double kMostForThreads = 7e7;
constexpr double kLeastForThreads = 2e7;  // of such a walk after a walk that cost much
// After this cost a walk ends with a plan that keeps all deadlines and short chains, and no further
// walk begins.
constexpr double kMostWhenProven = 4e7;
// The walks without room for late releases have at least this part of kMostWalking.
constexpr double kShareOfSecond = 0.4;
constexpr double kMostWithoutPhases = 2e7;
// If the most important chains take more than this multiple of their own work, a walk tries to
// shorten them. The merging of threads may use up the rest, up to kShort.
constexpr double kShorter = 1.03;

bool keeps_deadlines(const Score & score)
{
  return score.missed.empty() && score.unbounded.empty() && score.late_timers == 0 &&
         score.crowded == 0;
}

class Annealing
{
public:
  /// `before`: the cost of earlier walks.
  Annealing(const PlanProblem & problem, double wanted, std::uint64_t turn, double before)
  : problem_(problem),
    wanted_(wanted),
    before_(before),
    phases_(problem),
    clusters_(clusters(problem))
  {
    for (Index i = 0; i < kWalkers; ++i) {
      walkers_.push_back(std::make_unique<Walker>(
        problem_, problem.chooses_offsets ? &phases_ : nullptr, clusters_,
        (problem.seed + kTurns * turn) * kWalkers + i));
    }
  }

  Layout run(const std::vector<Layout> & starts)
  {
    const Index plans =
      std::max(kPlansEach * (problem_.units.size() + phases_.groups().size()), kLeastPlans);
    for (int walk = 0; walk < kWalks || problem_.time_used; ++walk) {
      for (Index i = 0; i < kWalkers; ++i) {
        walkers_[i]->start(starts[(i + static_cast<Index>(walk)) % starts.size()]);
      }
      if (done()) {
        break;
      }
      walk_from(1, plans);
    }
    return walkers_.front()->layout(best().genome);
  }

  Layout run_for_few_threads(const Layout & start, const Kept & kept)
  {
    few_ = kept;
    for (auto & walker : walkers_) {
      walker->start_with_few_threads(start, kept);
    }
    walk_from(kCool, kPlansForThreads * (problem_.units.size() + phases_.groups().size()));
    const Walked & found = best_with_few_threads();
    return found.keeps ? walkers_.front()->layout(found.genome) : start;
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
      const Walked & now = few_ ? best_with_few_threads() : best();
      const Index tried = plans_tried();
      problem_.progress(
        {tried - told_, now.score.slacks.size() - now.score.missed.size(),
         now.score.slacks.size()});
      told_ = tried;
    }
    if (problem_.found && !few_ && best().score.met > met_) {
      met_ = best().score.met;
      problem_.found(walkers_.front()->layout(best().genome));
    }
  }

  Index plans_tried() const
  {
    return std::accumulate(
      walkers_.begin(), walkers_.end(), Index{0},
      [](Index sum, const auto & walker) { return sum + walker->tried(); });
  }

  const Walked & best() const
  {
    return (*std::max_element(
              walkers_.begin(), walkers_.end(),
              [](const auto & a, const auto & b) { return b->best().better_than(a->best()); }))
      ->best();
  }

  const Walked & best_with_few_threads() const
  {
    return (*std::min_element(
              walkers_.begin(), walkers_.end(),
              [](const auto & a, const auto & b) {
                return a->best().better_with_few_threads_than(b->best());
              }))
      ->best();
  }

  bool found() const
  {
    if (few_) {
      return best_with_few_threads().keeps && best_with_few_threads().threads <= few_->threads;
    }
    return good_enough(problem_, wanted_, best().score);
  }

  // True if job windows give no bound for any plan: the kind of system has no windows that end, or
  // the system is too full.
  bool hopeless() const
  {
    return problem_.by_phases && plans_tried() >= kPlansOfHope && !best().score.missed.empty() &&
           best().score.missed.size() == best().score.slacks.size();
  }

  bool done() const
  {
    if (found() || hopeless()) {
      return true;
    }
    if (problem_.time_used) {
      return problem_.time_is_up();
    }
    if (!problem_.chooses_offsets) {
      return spent() > kMostWithoutPhases;
    }
    const double left = kMostWalking - before_;
    const double for_threads =
      too_long_for_more(problem_, before_) ? kLeastForThreads : kMostForThreads;
    return spent() > (few_ ? std::min(left, for_threads) : left) ||
           (!few_ && too_long_for_more(problem_, before_ + spent()) && proven());
  }

  // True if the best plan keeps all deadlines, and merging threads can keep its most important
  // chains short.
  bool proven() const
  {
    const Score & score = best().score;
    return keeps_deadlines(score) && score.tight <= 0 && stretch(problem_, score) <= kShort;
  }

  const PlanProblem & problem_;
  const double wanted_;
  const double before_;
  const TimerPhases phases_;
  const std::vector<Cluster> clusters_;
  std::vector<std::unique_ptr<Walker>> walkers_;
  std::optional<Kept> few_;  // set if few threads are wanted
  Index told_ = 0;           // the plans that `progress` knows
  std::vector<bool> met_;    // the deadlines that the best plan of all walkers meets
};

}  // namespace

Layout annealed(
  const PlanProblem & problem, double wanted, const std::vector<Layout> & starts,
  std::uint64_t turn, double & cost)
{
  Annealing annealing(problem, wanted, turn, cost);
  Layout result = annealing.run(starts);
  cost += annealing.spent();
  return result;
}

Layout with_few_threads(
  const PlanProblem & problem, const Layout & start, const Kept & kept, std::uint64_t turn,
  double & cost)
{
  Annealing annealing(problem, 0, turn, cost);
  Layout result = annealing.run_for_few_threads(start, kept);
  cost += annealing.spent();
  return result;
}

bool too_long_for_more(const PlanProblem & problem, double cost)
{
  return !problem.time_used && cost > kMostWhenProven;
}

double cost_before_second(double cost)
{
  return std::min(cost, (1 - kShareOfSecond) * kMostWalking);
}

bool good_enough(const PlanProblem & problem, double wanted, const Score & score)
{
  if (!keeps_deadlines(score)) {
    return false;
  }
  return problem.enough_when_proven ||
         (score.tight <= 0 && score.slack >= wanted && stretch(problem, score) <= kShorter);
}

}  // namespace takt_plan::detail
