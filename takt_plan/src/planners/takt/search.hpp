// What the search of the planner `takt` knows: what is placed together, where it may stand, and what judging
// has cost so far.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__PLANNERS__TAKT__SEARCH_HPP_
#define TAKT_PLAN__SRC__PLANNERS__TAKT__SEARCH_HPP_

#include <vector>

#include "planners/clusters.hpp"
#include "planners/layout.hpp"
#include "planners/score.hpp"

namespace takt_plan::detail
{

enum class Fit
{
  first,  ///< the fullest core on which it fits
  worst,  ///< the emptiest one
  slack,  ///< the one that leaves the largest smallest slack
  cut     ///< the same; and of less than is wanted, cut in two where that leaves more
};

/// Whether all places are compared, not the first one taken that will do.
constexpr bool compares(Fit fit)
{
  return fit == Fit::slack || fit == Fit::cut;
}

/// One layout while it is made, with what it misses already.
struct Attempt
{
  Layout layout;
  Score score;
};

class Search
{
public:
  /// `wanted`: the share of its deadline that each chain should have to spare. Keeps a reference to the
  /// problem.
  Search(const PlanProblem & problem, double wanted);

  const PlanProblem & problem() const noexcept { return problem_; }
  double wanted() const noexcept { return wanted_; }
  /// So many tasks that each attempt stops at the first place that is good enough.
  bool large() const noexcept { return large_; }
  const std::vector<Cluster> & clusters() const noexcept { return clusters_; }
  /// Per cluster: those that start its callbacks.
  const std::vector<std::vector<Index>> & sources() const noexcept { return sources_; }

  // ---- what judging costs ----

  /// Counts what it costs. `touched`: as in `score`.
  Score judged(const Layout & layout, const std::vector<Index> & touched);
  double spent() const noexcept { return spent_; }
  /// Enough is spent: what is there is taken. `found_fit`: sooner where a plan is there that misses
  /// nothing and keeps the caps.
  bool tired() const;
  void found_fit(bool fits) noexcept { fits_ = fits; }
  /// So much is spent that nothing is judged any more.
  bool exhausted() const;

  // ---- where something may stand ----

  double room(const Layout & layout, Index core) const;
  /// The core of the unit with most room.
  Index emptiest(const Layout & layout, Index unit) const;
  /// Of the cores, those with room for the load; the ones to try first in front.
  std::vector<Index> candidates(
    const Layout & layout, const std::vector<Index> & units, double load, Fit fit) const;
  /// Places between clusters: the one by deadline first, then those around it.
  std::vector<Index> places(const std::vector<Block> & there, Ns deadline) const;
  void insert_by_deadline(
    Layout & layout, Index cluster, const std::vector<Index> & units, Index core) const;

  // ---- blocks ----

  double load_of(const std::vector<Index> & units) const;
  std::vector<Block> blocks(Index cluster, const std::vector<Index> & units) const;
  /// The same order of urgency, with blocks of one cluster each.
  std::vector<Block> by_cluster(const std::vector<Block> & blocks) const;
  /// The same order of urgency, one block for each unit.
  std::vector<Block> by_unit(const std::vector<Block> & blocks) const;
  static bool same(const std::vector<Block> & some, const std::vector<Block> & others);
  static std::vector<Index> clusters_on(const Layout & layout, Index core);

private:
  void find_sources();
  static Index place_by_deadline(const std::vector<Block> & there, Ns deadline);

  const PlanProblem & problem_;
  const double wanted_;
  const bool large_;
  const double share_;  // of what may be spent
  const std::vector<Cluster> clusters_;
  std::vector<Index> cluster_of_;            // per unit
  std::vector<std::vector<Index>> sources_;  // per cluster
  bool fits_ = false;
  double spent_ = 0;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PLANNERS__TAKT__SEARCH_HPP_
