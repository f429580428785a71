#include "analysis/local_analysis.hpp"

#include <numeric>
#include <utility>

#include "analysis/pool/pool_analysis.hpp"
#include "analysis/thread_analysis.hpp"

namespace takt_plan::detail
{

LocalAnalysis::LocalAnalysis(Analysis kind, std::vector<Index> tasks)
: kind_(kind),
  tasks_(std::move(tasks))
{
}

Ns LocalAnalysis::end(Index /*stream*/, Ns released, Ns response) const
{
  return add(released, response);
}

LocalAnalyses local_analyses(const Model & model, const Flow & flow, const BoundsOptions & options)
{
  LocalAnalyses all;
  std::vector<Index> pooled = in_pools(model);
  const std::vector<char> in_pool = threads_of(model, pooled);
  if (!pooled.empty()) {
    all.push_back(std::make_unique<PoolAnalysis>(model, flow, std::move(pooled), options));
  }
  for (Index thread = 0; thread < model.threads.size(); ++thread) {
    const Thread & t = model.threads[thread];
    if (in_pool[thread]) {
      continue;
    }
    if (t.kind == ThreadClass::deadline) {
      all.push_back(
        std::make_unique<ThreadAnalysis>(model, flow, thread, Analysis::deadline, options));
    } else if (t.order == takt_core::Order::window) {
      all.push_back(
        std::make_unique<ThreadAnalysis>(model, flow, thread, Analysis::window, options));
    }
  }
  return all;
}

LocalAnalyses pool_analyses(const Model & model, const Flow & flow, const BoundsOptions & options)
{
  std::vector<Index> tasks(model.tasks.size());
  std::iota(tasks.begin(), tasks.end(), Index{0});
  LocalAnalyses all;
  all.push_back(std::make_unique<PoolAnalysis>(model, flow, std::move(tasks), options));
  return all;
}

LocalAnalyses window_analyses(const Model & model, const Flow & flow, const BoundsOptions & options)
{
  LocalAnalyses all;
  for (Index thread = 0; thread < model.threads.size(); ++thread) {
    all.push_back(std::make_unique<ThreadAnalysis>(model, flow, thread, Analysis::window, options));
  }
  return all;
}

}  // namespace takt_plan::detail
