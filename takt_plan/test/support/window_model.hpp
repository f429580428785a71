// Random systems of window threads for campaigns, and their bounds by a theorem for one thread.
#ifndef TAKT_PLAN__TEST__SUPPORT__WINDOW_MODEL_HPP_
#define TAKT_PLAN__TEST__SUPPORT__WINDOW_MODEL_HPP_

#include <cstdint>
#include <functional>
#include <vector>

#include "support/campaign.hpp"
#include "takt_core/order.hpp"
#include "takt_plan/executor_bounds.hpp"
#include "takt_plan/model.hpp"

namespace takt_plan::test
{

/// One window thread on each core, without others. Some sources are messages from outside.
Model window_model(std::uint64_t seed, takt_core::WindowTimers timers);

/// One nearly full window thread with few sources: frequent ones, and rare ones with bursts.
Model crowded_window_model(std::uint64_t seed, takt_core::WindowTimers timers);

/// An analysis of one thread.
struct ThreadAnalysis
{
  /// The bounds of tasks from their activations.
  std::function<std::vector<Ns>(const std::vector<ExecutorTask> &, Ns horizon)> tasks;
  /// The bound of tasks that start each other, given those bounds; absent: the sum of the bounds.
  std::function<Ns(
    const std::vector<ExecutorTask> &, const TaskRun &, const std::vector<Ns> &, Ns horizon)>
    run = {};
  /// Broken on purpose: assumes that messages from other threads are never late within a busy
  /// window.
  bool punctual = false;
};

struct ThreadBounds
{
  Bounds tasks;
  Bounds chains;
  Ns horizon = 0;
};

/// The least solution for all threads at once: a task's activations are as late as the end of the
/// tasks that start it. Only for models of `window_model`.
ThreadBounds window_model_bounds(const Model & model, const ThreadAnalysis & analysis);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__WINDOW_MODEL_HPP_
