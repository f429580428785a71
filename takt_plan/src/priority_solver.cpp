#include "priority_solver.hpp"

#include <algorithm>
#include <utility>

namespace takt_plan::detail
{

PrioritySolver::PrioritySolver(const Model & model, const PriorityOptions & options)
: PrioritySolver(model, {options.horizon, options.terms, {}, {}}, nullptr)
{
}

PrioritySolver::PrioritySolver(const Model & model, const BoundsOptions & options, MakeLocals make)
: model_(model),
  terms_(options.priority),
  horizon_(detail::horizon(model, options.horizon)),
  flow_(model),
  locals_(make == nullptr ? LocalAnalyses{} : make(model, flow_, options)),
  parts_(flow_.streams.all().size()),
  next_(flow_.streams.all().size())
{
  for (Index id = 0; id < flow_.streams.all().size(); ++id) {
    for (const Stream::From & from : flow_.streams.all()[id].from) {
      next_[from.stream].push_back(id);
    }
  }
  if (!locals_.empty()) {
    local_of_.assign(model.tasks.size(), nullptr);
    responses_.assign(model.tasks.size(), 0);
  }
  for (const auto & local : locals_) {
    for (const Index task : local->tasks()) {
      local_of_[task] = local.get();
    }
  }
  for (const Index task : flow_.order) {
    if (local_of_.empty() || local_of_[task] == nullptr) {
      prepare(task);
    } else {
      prepare_local(task);
    }
  }
  while (iterate()) {
  }
}

void PrioritySolver::prepare(Index task)
{
  for (Index way = 0; way < flow_.streams.of(task).size(); ++way) {
    const Index id = flow_.streams.of(task)[way];
    PriorityPart & part = parts_[id];
    if (flow_.streams.all()[id].from.empty() && terms_.jitter) {
      part.released = model_.tasks[task].release->jitter;
    }
    auto window = priority_window(model_, flow_.streams, flow_.segments, task, way, terms_);
    if (window) {
      part.window = std::move(*window);
    } else {
      part.refusal = window.faults().front();
    }
  }
}

void PrioritySolver::prepare_local(Index task)
{
  const std::string refusal = local_of_[task]->refusal(task);
  for (const Index id : flow_.streams.of(task)) {
    PriorityPart & part = parts_[id];
    if (flow_.streams.all()[id].from.empty()) {
      part.released = model_.tasks[task].release->jitter;
    }
    part.local = local_of_[task];
    part.refusal = refusal;
    part.window.tasks = {task};
    part.window.head_stream = id;
    part.window.window.period = flow_.streams.all()[id].period;
  }
}

void PrioritySolver::ask_locals()
{
  for (const auto & local : locals_) {
    const std::vector<Ns> & responses = local->responses(*this);
    for (Index i = 0; i < responses.size(); ++i) {
      responses_[local->tasks()[i]] = responses[i];
    }
  }
}

// One round over all tasks; false if nothing moved.
bool PrioritySolver::iterate()
{
  ++round_;
  ask_locals();
  bool moved = false;
  for (const Index task : flow_.order) {
    for (const Index id : flow_.streams.of(task)) {
      const Ns before = parts_[id].bound;
      solve_part(id);
      if (parts_[id].bound != before) {
        moved = true;
        if (round_ > kMostRounds) {
          parts_[id].bound = kUnbounded;
          parts_[id].steps.give_up();
        }
        release_next(id);
      } else if (round_ == 1) {
        // What takes no time never moves from its first bound, but its messages are under way.
        moved = release_next(id) || moved;
      }
    }
  }
  return moved;
}

// Nothing to do if nothing that it depends on moved since it was solved.
void PrioritySolver::solve_part(Index id)
{
  PriorityPart & part = parts_[id];
  if (!part.refusal.empty()) {
    part.bound = kUnbounded;
    return;
  }
  if (part.bound == kUnbounded) {
    return;
  }
  if (part.local != nullptr) {
    solve_local(part);
    return;
  }
  BusyWindow & window = part.window.window;
  const PriorityPart & head = parts_[part.window.head_stream];
  bool moved = part.solved_round < 0 || head.released_round >= part.solved_round;
  window.jitter = jitter(part.window.head_stream);
  for (Entry & entry : window.entries) {
    if (entry.stream != kNone) {
      moved = moved || parts_[entry.stream].released_round >= part.solved_round;
      entry.jitter = jitter(entry.stream);
    }
  }
  if (!moved) {
    return;
  }
  part.solved_round = round_;
  const bool infinite =
    head.released == kUnbounded ||
    std::any_of(window.entries.begin(), window.entries.end(), [](const Entry & entry) {
      return entry.jitter == kUnbounded && entry.cost > 0;
    });
  part.worst = infinite ? Worst{} : worst_activation(window, horizon_, terms_.queued, part.steps);
  part.bound = add(head.released, part.worst.response);
  if (part.bound > horizon_) {
    part.bound = kUnbounded;
  }
}

void PrioritySolver::solve_local(PriorityPart & part)
{
  const Ns response = responses_[part.window.tasks.front()];
  part.worst = {response, response, 1};
  part.bound = add(part.released, response);
  if (part.bound > horizon_) {
    part.bound = kUnbounded;
  }
}

bool PrioritySolver::release_next(Index id)
{
  bool moved = false;
  for (const Index next : next_[id]) {
    Ns latest = 0;
    for (const Stream::From & from : flow_.streams.all()[next].from) {
      const Link & link = model_.tasks[flow_.streams.all()[next].task].triggers[from.link];
      latest = std::max(latest, add(parts_[from.stream].bound, link.delay));
    }
    if (latest != parts_[next].released) {
      parts_[next].released = latest;
      parts_[next].released_round = round_;
      moved = true;
    }
  }
  return moved;
}

}  // namespace takt_plan::detail
