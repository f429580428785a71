#include "analysis/inputs/inputs.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "analysis/inputs/let.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan
{
namespace
{

using takt_rt::Faults;
using takt_rt::Result;
using takt_schedule::quoted;

/// The task that gets the messages of `from`; kNone: no task gets them.
Index hearer(const Model & model, Index from)
{
  for (Index index = 0; index < model.tasks.size(); ++index) {
    for (const auto * links : {&model.tasks[index].triggers, &model.tasks[index].reads}) {
      const bool hears = std::any_of(
        links->begin(), links->end(), [&](const Link & link) { return link.from == from; });
      if (hears) {
        return index;
      }
    }
  }
  return kNone;
}

bool on_one_thread(const Model & model, const WaitingInput & input)
{
  const std::vector<Index> & first = model.tasks[input.takers.front()].threads;
  return first.size() == 1 && std::all_of(
                                input.takers.begin(), input.takers.end(),
                                [&](Index taker) { return model.tasks[taker].threads == first; });
}

/// The reason why the analysis does not cover the input; empty: it covers it.
std::string refuse(const Model & model, Index index)
{
  const Task & task = model.tasks[index];
  const std::string name = quoted(task.id) + " does not trigger";
  if (task.input->takers.empty()) {
    return name + ", and no callback takes its messages, so it never runs";
  }
  if (!on_one_thread(model, *task.input)) {
    return name + ", and its takers may run on several threads; analyses need them on one thread";
  }
  if (task.depth == 0) {
    return name + ", and its history keeps all messages; give it a depth";
  }
  if (task.may_wait()) {
    return name + " and waits within its runs, which analyses do not know";
  }
  if (const Index other = hearer(model, index); other != kNone) {
    return name + " and publishes what " + quoted(model.tasks[other].id) +
           " hears; analyses know non-triggering callbacks that only store, and takt simulate "
           "knows all";
  }
  const auto begins = std::find_if(
    model.chains.begin(), model.chains.end(),
    [&](const Chain & chain) { return chain.path.front() == index; });
  if (begins != model.chains.end()) {
    return name + ", and chain " + quoted(begins->name) +
           " begins with it; analyses know chains that end with it, and takt simulate knows all";
  }
  return {};
}

/// The largest number of messages that may wait.
Ns most_waiting(const Task & task)
{
  std::set<Index> topics;
  for (const Link & link : task.triggers) {
    topics.insert(link.topic);
  }
  const auto sources = static_cast<Ns>(topics.size()) + (task.release ? 1 : 0);
  return multiply(std::max<Ns>(sources, 1), static_cast<Ns>(task.depth));
}

void add_to_taker(const Task & input, Task & taker)
{
  const Ns most = most_waiting(input);
  const Ns runs =
    input.input->keep == 0 ? most : std::min(most, static_cast<Ns>(input.input->keep));
  const Ns work = multiply(runs, input.time);
  const Ns overhead = multiply(most, add(input.dispatch, input.middleware));
  taker.time = add(taker.time, work);
  taker.dispatch = add(taker.dispatch, overhead);
  taker.of_inputs = std::max(taker.of_inputs, input.middleware);
  if (taker.newest) {  // each message starts a run of the taker
    taker.store = add(taker.store, add(work, overhead));
  }
}

/// The input takes no time, and the end of its takers starts it.
void put_behind_takers(const Model & model, Task & task)
{
  task.input->in_takers = true;
  task.input->from_outside = task.release.has_value();
  task.input->from_borders =
    !task.release &&
    all_from_borders(model, task.triggers, model.tasks[task.input->takers.front()].executor);
  task.time = task.dispatch = task.middleware = 0;
  task.release.reset();
  task.reads = std::exchange(task.triggers, {});
  for (Index i = 0; i < task.input->takers.size(); ++i) {
    task.triggers.push_back({task.input->takers[i], 0, i});
  }
}

}  // namespace

Result<Model> with_inputs_in_takers(Model model)
{
  Faults faults;
  for (Index index = 0; index < model.tasks.size(); ++index) {
    if (model.tasks[index].input) {
      if (std::string why = refuse(model, index); !why.empty()) {
        faults.push_back(std::move(why));
      }
    }
  }
  Result<Model> bordered = with_borders(std::move(model));
  if (!bordered) {
    faults.insert(faults.end(), bordered.faults().begin(), bordered.faults().end());
  }
  if (!faults.empty()) {
    return faults;
  }
  model = std::move(*bordered);
  for (Task & task : model.tasks) {
    if (task.input && !task.input->in_takers) {
      for (const Index taker : task.input->takers) {
        add_to_taker(task, model.tasks[taker]);
      }
      put_behind_takers(model, task);
    }
  }
  return model;
}

std::string runs_in_takers(const Model & model, const Task & input)
{
  const std::vector<Index> & takers = input.input->takers;
  return quoted(input.id) + " runs within the runs of " + quoted(model.tasks[takers.front()].id) +
         (takers.size() > 1 ? " and others" : "") +
         ", which have its time; the bound of a chain that ends with it says how long its messages "
         "wait";
}

}  // namespace takt_plan
