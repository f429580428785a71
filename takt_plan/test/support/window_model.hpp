// Random systems of window threads for campaigns, and their bounds by any theorem for one thread.
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

/// One window thread on each core, alone; some releases are messages from outside.
Model window_model(std::uint64_t seed, takt_core::WindowTimers timers);

/// One window thread with few sources: quick ones and bursts of slow ones, nearly full.
Model crowded_window_model(std::uint64_t seed, takt_core::WindowTimers timers);

/// What is known of one thread.
struct ThreadAnalysis
{
  /// Bounds of its tasks from their activations.
  std::function<std::vector<Ns>(const std::vector<ExecutorTask> &, Ns horizon)> tasks;
  /// Of tasks that start each other, with those bounds; absent: the sum of them.
  std::function<Ns(
    const std::vector<ExecutorTask> &, const TaskRun &, const std::vector<Ns> &, Ns horizon)>
    run = {};
  /// Broken on purpose: messages from other threads are never late inside of a busy window.
  bool punctual = false;
};

struct ThreadBounds
{
  Bounds tasks;
  Bounds chains;
  Ns horizon = 0;
};

/// The least solution for all threads at once, each task's activations as late as those that start
/// it may end. Only for models of `window_model`.
ThreadBounds window_model_bounds(const Model & model, const ThreadAnalysis & analysis);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__WINDOW_MODEL_HPP_
