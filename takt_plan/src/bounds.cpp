#include "takt_plan/bounds.hpp"

#include <algorithm>
#include <utility>

#include "takt_plan/window_bounds.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan
{
namespace
{

using takt_core::Faults;
using takt_core::Result;

bool by_window(const Model & model, Index task)
{
  const Index thread = model.tasks[task].threads.front();
  return model.threads[thread].order == takt_core::Order::window;
}

Result<ChainAnswer> answer(
  const Model & model, Index chain, const PriorityBounds & priority, const WindowBounds & window)
{
  const std::vector<Index> & path = model.chains[chain].path;
  const auto polled =
    std::count_if(path.begin(), path.end(), [&](Index task) { return by_window(model, task); });
  if (polled == 0) {
    const Result<ChainBound> & found = priority.chains[chain];
    return found
             ? Result<ChainAnswer>(ChainAnswer{Analysis::priority, found->bound, found->segments})
             : found.faults();
  }
  if (static_cast<std::size_t>(polled) < path.size()) {
    const auto of_kind = [&](bool kind) {
      return takt_schedule::quoted(
        model
          .tasks[*std::find_if(
            path.begin(), path.end(), [&](Index task) { return by_window(model, task) == kind; })]
          .id);
    };
    return Faults{
      of_kind(true) + " runs on a thread of order window and " + of_kind(false) +
      " does not: no analysis covers a chain through both"};
  }
  const Result<Ns> & found = window.chains[chain];
  return found ? Result<ChainAnswer>(ChainAnswer{Analysis::window, *found, {}}) : found.faults();
}

}  // namespace

Result<Bounds> bounds(const Model & model)
{
  auto priority = priority_bounds(model);
  if (!priority) {
    return priority.faults();
  }
  // Most models have no such thread, and planners ask very often.
  const bool polled = std::any_of(
    model.threads.begin(), model.threads.end(),
    [](const Thread & thread) { return thread.order == takt_core::Order::window; });
  auto window = polled ? window_bounds(model) : Result<WindowBounds>(WindowBounds{});
  if (!window) {
    return window.faults();
  }
  Bounds all;
  for (Index task = 0; task < model.tasks.size(); ++task) {
    all.tasks.push_back(
      std::move(by_window(model, task) ? window->tasks[task] : priority->tasks[task]));
  }
  for (Index chain = 0; chain < model.chains.size(); ++chain) {
    all.chains.push_back(answer(model, chain, *priority, *window));
  }
  return all;
}

bool meets_deadline(const Chain & chain, const Result<ChainAnswer> & answer)
{
  return answer.ok() && answer->bound <= chain.deadline;
}

}  // namespace takt_plan
