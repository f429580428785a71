// Places clusters on cores, one after the other.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__PLANNERS__TAKT__FILLING_HPP_
#define TAKT_PLAN__SRC__PLANNERS__TAKT__FILLING_HPP_

#include <optional>
#include <utility>
#include <vector>

#include "planners/takt/search.hpp"

namespace takt_plan::detail
{

class Filling
{
public:
  /// Keeps a reference to `search`.
  explicit Filling(Search & search)
  : search_(search),
    problem_(search.problem()),
    clusters_(search.clusters())
  {
  }

  /// Places all clusters in this order. But before a cluster it places the clusters that start its
  /// callbacks.
  Attempt place_all(const std::vector<Index> & order, Fit fit) const;

private:
  /// A place where a cluster harms no other chain.
  struct Spot
  {
    Index core = kNone;
    Index place = 0;
    std::vector<Block> blocks;  ///< the blocks to insert there
    double slack = 0;           ///< the smallest slack on the core with the cluster
  };
  using Cut = std::pair<std::vector<Index>, std::vector<Index>>;

  void place_with_sources(Index first, Fit fit, std::vector<char> & seen, Attempt & attempt) const;
  void place(Index cluster, Fit fit, Attempt & attempt) const;
  std::optional<Spot> whole(Attempt & attempt, Index cluster, Fit fit) const;
  bool split(Attempt & attempt, Index cluster, Fit fit) const;
  bool split_better(Attempt & attempt, Index cluster, double whole) const;
  std::vector<Cut> cuts(Index cluster) const;
  std::optional<Spot> on_core(
    Layout & layout, Index cluster, const std::vector<Index> & units, Index core,
    const Score & known) const;
  std::optional<double> on_two(
    Layout & layout, Index cluster, const std::vector<Index> & first,
    const std::vector<Index> & second, Fit fit, const Score & known) const;
  std::vector<Index> cores_of(Index cluster, const Layout & layout) const;

  // ---- clusters that fit nowhere within their deadlines (filling_late.cpp) ----

  void make_do(Index cluster, Attempt & attempt) const;
  void scatter(Index cluster, Layout & layout, const Score & forgiving) const;
  void forgive(Index cluster, Score & known) const;

  Search & search_;
  const PlanProblem & problem_;
  const std::vector<Cluster> & clusters_;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PLANNERS__TAKT__FILLING_HPP_
