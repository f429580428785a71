// The knowledge of the planner `takt` during its search: clusters, their possible places, and the
// cost of judging so far.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__PLANNERS__TAKT__SEARCH_HPP_
#define TAKT_PLAN__SRC__PLANNERS__TAKT__SEARCH_HPP_

#include <vector>

#include "planners/clusters.hpp"
#include "planners/judging.hpp"
#include "planners/layout.hpp"
#include "planners/score.hpp"

namespace takt_plan::detail
{

enum class Fit
{
  first,  ///< the fullest core that has room
  worst,  ///< the emptiest core
  slack,  ///< the core where the smallest slack of the chains stays largest
  cut     ///< as `slack`; if the slack is too small, also tries to cut clusters in two
};

/// True if the search compares all places. Otherwise it takes the first good one.
constexpr bool compares(Fit fit)
{
  return fit == Fit::slack || fit == Fit::cut;
}

/// An unfinished layout, and its score.
struct Attempt
{
  Layout layout;
  Score score;
};

class Search
{
public:
  /// `wanted`: the share of its deadline that each chain should keep as slack. Keeps a reference to
  /// the problem.
  Search(const PlanProblem & problem, double wanted);

  const PlanProblem & problem() const noexcept { return problem_; }
  double wanted() const noexcept { return wanted_; }
  /// True if there are so many tasks or jobs that each attempt stops at the first place that is
  /// good enough.
  bool large() const noexcept { return large_ || judging_.many_jobs(); }
  const std::vector<Cluster> & clusters() const noexcept { return clusters_; }
  /// Per cluster: the clusters that start its callbacks.
  const std::vector<std::vector<Index>> & sources() const noexcept { return sources_; }

  // ---- the cost of judging ----

  /// Judges, and counts the cost. `touched`: see `score`.
  Score judged(const Layout & layout, const std::vector<Index> & touched)
  {
    return judging_.judged(layout, touched);
  }
  /// Judges a place that the search takes if the score is no worse than `known`. Counts the cost.
  /// With many jobs the score may be worse than that of `judged` (judging.hpp).
  Score judged_place(const Layout & layout, const std::vector<Index> & touched, const Score & known)
  {
    return judging_.judged(
      layout, touched, [&](const Score & found) { return found.no_worse_than(known); });
  }
  double spent() const noexcept { return judging_.spent(); }
  /// True if the search must end. The limit is lower once a plan misses no deadline and keeps the
  /// caps.
  bool tired() const;
  void found_fit(bool fits) noexcept { fits_ = fits; }
  /// True if the search must not judge any further place.
  bool exhausted() const;

  // ---- possible places ----

  double room(const Layout & layout, Index core) const;
  /// Of the cores that the unit may use, the core with most room.
  Index emptiest(const Layout & layout, Index unit) const;
  /// The cores that all units may use and that have room for the load, the best core first.
  std::vector<Index> candidates(
    const Layout & layout, const std::vector<Index> & units, double load, Fit fit) const;
  /// Places between clusters: first the place by deadline, then its neighbours.
  std::vector<Index> places(const std::vector<Block> & there, Ns deadline) const;
  void insert_by_deadline(
    Layout & layout, Index cluster, const std::vector<Index> & units, Index core) const;

  // ---- blocks ----

  double load_of(const std::vector<Index> & units) const;
  std::vector<Block> blocks(Index cluster, const std::vector<Index> & units) const;
  /// The same order of urgency, split into blocks of one cluster each.
  std::vector<Block> by_cluster(const std::vector<Block> & blocks) const;
  /// The same order of urgency, with one block for each unit.
  std::vector<Block> by_unit(const std::vector<Block> & blocks) const;
  static bool same(const std::vector<Block> & some, const std::vector<Block> & others);
  static std::vector<Index> clusters_on(const Layout & layout, Index core);

private:
  void find_sources();
  double share() const;
  static Index place_by_deadline(const std::vector<Block> & there, Ns deadline);

  const PlanProblem & problem_;
  const double wanted_;
  const bool large_;
  const double share_;  // the share of kMostSearch that this search may use
  const std::vector<Cluster> clusters_;
  std::vector<Index> cluster_of_;            // per unit
  std::vector<std::vector<Index>> sources_;  // per cluster
  bool fits_ = false;
  Judging judging_;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PLANNERS__TAKT__SEARCH_HPP_
