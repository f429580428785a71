// `takt`: chooses the core of each chain by the analysis.
#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "planners/planners.hpp"
#include "planners/takt/filling.hpp"
#include "planners/takt/improvement.hpp"

namespace takt_plan::detail
{
namespace
{

class Plans
{
public:
  Plans(const PlanProblem & problem, double wanted) : search_(problem, wanted) {}

  std::vector<Layout> best()
  {
    std::optional<Attempt> best;
    for (const auto & [order, fit] : attempts({Fit::worst, Fit::slack, Fit::first})) {
      if (best && compares(fit) && search_.large()) {
        continue;
      }
      take_if_better(filling_.place_all(order, fit), best);
      search_.found_fit(fits(best->score));
      if (search_.tired() || (search_.large() && complete(best->score))) {
        break;
      }
    }
    improvement_.improve(*best);
    search_.found_fit(fits(best->score));
    const bool fitting = fits(best->score);
    std::vector<Layout> result{std::move(best->layout)};
    if (enough(best->score)) {
      return result;
    }
    // Try cuts last: a cut may gain slack for one chain and take it from the next.
    std::optional<Attempt> cut;
    for (const auto & [order, fit] : attempts({Fit::cut})) {
      if (search_.large() || search_.tired() || (cut && enough(cut->score))) {
        break;
      }
      Attempt attempt = filling_.place_all(order, fit);
      if (!fitting || complete(attempt.score)) {
        improvement_.improve(attempt);
      }
      take_if_better(std::move(attempt), cut);
    }
    if (cut) {
      result.push_back(std::move(cut->layout));
    }
    return result;
  }

  /// Improves a layout of another search by moves that are better here.
  Layout improved_here(const Layout & other)
  {
    Attempt attempt{Layout(search_.problem()), {}};
    for (Index core = 0; core < other.cores(); ++core) {
      attempt.layout.set(core, search_.by_cluster(other.on(core)));
    }
    attempt.score = search_.judged(attempt.layout, {});
    improvement_.improve(attempt);
    return std::move(attempt.layout);
  }

  double spent() const noexcept { return search_.spent(); }

private:
  using Order = std::vector<Index>;

  static bool complete(const Score & found)
  {
    return found.missed.empty() && found.unbounded.empty();
  }

  static bool fits(const Score & found) { return complete(found) && found.crowded == 0; }

  bool enough(const Score & found) const
  {
    return complete(found) && found.slack >= search_.wanted();
  }

  static void take_if_better(Attempt attempt, std::optional<Attempt> & best)
  {
    if (!best || attempt.score.better_than(best->score)) {
      best = std::move(attempt);
    }
  }

  std::vector<std::pair<Order, Fit>> attempts(const std::vector<Fit> & fits) const
  {
    Order by_rank(search_.clusters().size());
    std::iota(by_rank.begin(), by_rank.end(), Index{0});
    const auto sorted = [&](const auto & before) {
      Order order = by_rank;
      std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
        return before(search_.clusters()[a], search_.clusters()[b]);
      });
      return order;
    };
    const Order by_load =
      sorted([](const Cluster & a, const Cluster & b) { return a.utilization > b.utilization; });
    const Order by_deadline =
      sorted([](const Cluster & a, const Cluster & b) { return a.deadline < b.deadline; });
    std::vector<std::pair<Order, Fit>> result;
    for (const Fit fit : fits) {
      if (compares(fit) && search_.large()) {
        continue;
      }
      for (const Order & order :
           {std::cref(std::as_const(by_rank)), std::cref(by_load), std::cref(by_deadline)}) {
        result.emplace_back(order, fit);
      }
    }
    return result;
  }

  Search search_;
  const Filling filling_{search_};
  const Improvement improvement_{search_};
};

}  // namespace

std::vector<Layout> plan_takt(const PlanProblem & problem, double wanted, double & cost)
{
  Plans plans(problem, wanted);
  std::vector<Layout> best = plans.best();
  cost += plans.spent();
  return best;
}

Layout improved(const PlanProblem & problem, double wanted, const Layout & other, double & cost)
{
  Plans plans(problem, wanted);
  Layout layout = plans.improved_here(other);
  cost += plans.spent();
  return layout;
}

}  // namespace takt_plan::detail
