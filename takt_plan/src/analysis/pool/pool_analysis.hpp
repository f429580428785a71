// Pools among other kinds of threads: pool_equations.hpp as a local analysis.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__POOL_ANALYSIS_HPP_
#define TAKT_PLAN__SRC__POOL_ANALYSIS_HPP_

#include <string>
#include <vector>

#include "analysis/local_analysis.hpp"
#include "analysis/pool/pool_solver.hpp"

namespace takt_plan::detail
{

/// Tasks that may run on several threads, and those that share threads or exclusive groups with
/// them, directly or not.
std::vector<Index> in_pools(const Model & model);
/// Marks the threads of these tasks, one entry for each thread of the model.
std::vector<char> threads_of(const Model & model, const std::vector<Index> & tasks);

class PoolAnalysis final : public LocalAnalysis
{
public:
  /// `tasks` must include all tasks that share threads or exclusive groups with them. Keeps
  /// references to the model and the flow.
  PoolAnalysis(
    const Model & model, const Flow & flow, std::vector<Index> tasks,
    const BoundsOptions & options);

  std::string refusal(Index task) const override { return refusals_[task]; }
  const std::vector<Ns> & responses(const Lateness & lateness) override;
  Ns end(Index stream, Ns released, Ns response) const override;
  BoundTerms terms(Index task) override;
  std::vector<LocalPart> parts(Index stream) override;
  std::string reason(Index task) const override;

private:
  std::vector<PooledTask> pooled_tasks() const;
  Index after(Index task) const;
  BoundTerms with_own_work(const PoolParts & parts) const;

  const Model & model_;
  const Flow & flow_;
  const Ns horizon_;
  const std::vector<std::string> refusals_;  // one per task of the model
  std::vector<Index> position_;              // of each task among those covered
  std::vector<Index> source_;                // of each stream among those of its task
  PoolSolver solver_;
  std::vector<Ns> released_;  // one per stream, as the solver has them
  std::vector<Ns> responses_;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__POOL_ANALYSIS_HPP_
