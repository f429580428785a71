#include "local_analysis.hpp"

#include <utility>

#include "thread_analysis.hpp"

namespace takt_plan::detail
{

LocalAnalysis::LocalAnalysis(Analysis kind, std::vector<Index> tasks)
: kind_(kind),
  tasks_(std::move(tasks))
{
}

LocalAnalyses local_analyses(const Model & model, const Flow & flow, const BoundsOptions & options)
{
  LocalAnalyses all;
  for (Index thread = 0; thread < model.threads.size(); ++thread) {
    const Thread & t = model.threads[thread];
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

LocalAnalyses window_analyses(const Model & model, const Flow & flow, const BoundsOptions & options)
{
  LocalAnalyses all;
  for (Index thread = 0; thread < model.threads.size(); ++thread) {
    all.push_back(std::make_unique<ThreadAnalysis>(model, flow, thread, Analysis::window, options));
  }
  return all;
}

}  // namespace takt_plan::detail
