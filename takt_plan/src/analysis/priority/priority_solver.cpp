#include "analysis/priority/priority_solver.hpp"

#include <algorithm>
#include <utility>

#include "analysis/waits.hpp"
#include "model/model_size.hpp"

namespace takt_plan::detail
{

namespace
{

BoundsOptions only_segments(const PriorityOptions & options)
{
  BoundsOptions all;
  all.horizon = options.horizon;
  all.priority = options.terms;
  return all;
}

}  // namespace

PrioritySolver::PrioritySolver(
  const Model & model, const PriorityOptions & options, UnderWay under_way)
: PrioritySolver(model, only_segments(options), nullptr, kMostLooks, under_way)
{
}

PrioritySolver::PrioritySolver(
  const Model & model, const BoundsOptions & options, MakeLocals make, std::int64_t most_looks,
  UnderWay under_way)
: model_(model),
  terms_(options.priority),
  horizon_(detail::horizon(model, options.horizon)),
  flow_(model, under_way),
  too_large_(detail::too_large(model, flow_)),
  locals_(make == nullptr || !too_large_.empty() ? LocalAnalyses{} : make(model, flow_, options)),
  parts_(flow_.streams.all().size()),
  through_sets_(model, flow_.streams, parts_, terms_.orders),
  curves_(flow_.streams, [this](Index id) -> const StreamTimes & { return parts_[id]; }),
  next_(flow_.streams.all().size()),
  starts_(model.tasks.size(), 0),
  activations_(
    !flow_.streams.sets().empty() || std::any_of(
                                       model.tasks.begin(), model.tasks.end(),
                                       [](const Task & task) { return !task.waits_for.empty(); })),
  most_looks_(most_looks)
{
  if (!too_large_.empty()) {
    return;
  }
  for (Index id = 0; id < flow_.streams.all().size(); ++id) {
    for (const Stream::From & from : flow_.streams.all()[id].from) {
      next_[from.stream].push_back(id);
    }
  }
  for (const Task & task : model.tasks) {
    for (const Link & link : task.triggers) {
      ++starts_[link.from];
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
  waits_ = std::any_of(model.tasks.begin(), model.tasks.end(), [](const Task & task) {
    return !task.no_wait.empty();
  });
  WindowScratch scratch(model.tasks.size());
  for (const Index task : flow_.order) {
    if (local_of_.empty() || local_of_[task] == nullptr) {
      prepare(task, scratch);
    } else {
      prepare_local(task);
    }
  }
  while (iterate()) {
  }
}

void PrioritySolver::prepare(Index task, WindowScratch & scratch)
{
  for (const Index id : flow_.streams.of(task)) {
    PriorityPart & part = parts_[id];
    if (flow_.streams.all()[id].from.empty() && terms_.jitter) {
      part.released = model_.tasks[task].release->jitter;
    }
    if (waits_) {
      part.refusal = refuse_waits(model_, task);
    }
    auto window = priority_window(
      model_, flow_.streams, flow_.segments, segment_way(model_, flow_.streams, flow_.segments, id),
      terms_, scratch);
    if (window) {
      part.window = std::move(*window);
      use_curves(part);
      prepare_through(id, scratch);
      if (terms_.ways && part.refusal.empty()) {
        part.way = WholeWay::find(model_, flow_, id, terms_);
      }
    } else if (part.refusal.empty()) {
      part.refusal = to_string(window.faults().front());
    }
  }
  if (flow_.streams.set(task) != nullptr) {
    for (const Index id : flow_.streams.after(task)) {
      prepare_through(id, scratch);
    }
  }
}

// Takes all ways or none, because each of them may be the longest.
void PrioritySolver::prepare_through(Index id, WindowScratch & scratch)
{
  if (!terms_.sets) {
    return;
  }
  std::vector<SolvedWindow> & through = parts_[id].through;
  for (SegmentWay & way : ways_through_sets(model_, flow_.streams, flow_.segments, id)) {
    const bool local = std::any_of(way.tasks.begin(), way.tasks.end(), [&](Index task) {
      return !local_of_.empty() && local_of_[task] != nullptr;
    });
    auto window =
      priority_window(model_, flow_.streams, flow_.segments, std::move(way), terms_, scratch);
    if (local || !window) {
      through.clear();
      return;
    }
    through.emplace_back();
    through.back().window = std::move(*window);
    use_curves(through.back());
  }
}

void PrioritySolver::prepare_local(Index task)
{
  std::string refusal = waits_ ? refuse_waits(model_, task) : "";
  if (refusal.empty()) {
    refusal = local_of_[task]->refusal(task);
  }
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

void PrioritySolver::use_curves(SolvedWindow & solved) const
{
  BusyWindow & window = solved.window.window;
  const auto curved = [&](Index id) {
    return id != kNone && terms_.jitter && flow_.streams.all()[id].curved;
  };
  window.set_curves = &curves_;
  if (curved(window.stream) || !window.sets.empty()) {
    window.curves = &curves_;
    solved.counted.push_back(window.stream);
  }
  for (Entry & entry : window.entries) {
    if (curved(entry.stream)) {
      entry.curves = &curves_;
      solved.counted.push_back(entry.stream);
    }
  }
  for (const WindowSet & set : window.sets) {
    for (const auto & topic : set.topics) {
      for (const WindowSet::Input & input : topic) {
        if (input.stream != kNone && input.set == kNone) {
          solved.counted.push_back(input.stream);
        }
      }
    }
  }
  std::sort(solved.counted.begin(), solved.counted.end());
  solved.counted.erase(
    std::unique(solved.counted.begin(), solved.counted.end()), solved.counted.end());
}

/// Notes that the stream's `released` or `since` has changed.
void PrioritySolver::note_move(Index stream)
{
  parts_[stream].released_round = round_;
  curves_.moved(stream, round_);
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
      const Ns ended = parts_[id].ended;
      parts_[id].ended = since_set(id);
      if (
        parts_[id].bound != before || parts_[id].ended != ended ||
        leaves(id) != parts_[id].leaves) {
        moved = true;
        parts_[id].bound_round = round_;
        if (round_ > kMostRounds) {
          parts_[id].bound = parts_[id].apart = parts_[id].together = kUnbounded;
          parts_[id].whole = kUnbounded;
          parts_[id].steps.give_up();
        }
        release_next(id);
      } else if (round_ == 1) {
        // The bound of a task without time never moves, but its messages are under way.
        moved = release_next(id) || moved;
      }
    }
    if (const MessageSet * const set = flow_.streams.set(task)) {
      moved = solve_set(*set) || moved;
    }
  }
  return moved;
}

Ns PrioritySolver::completed(const MessageSet & set, Index input) const
{
  const TimesOf times = [this](Index id) -> const StreamTimes & { return parts_[id]; };
  return terms_.sets ? set.completed(input, flow_.streams, times) : parts_[input].bound;
}

std::optional<Ns> PrioritySolver::behind(const MessageSet & set, Index input) const
{
  const TimesOf times = [this](Index id) -> const StreamTimes & { return parts_[id]; };
  return set.stays_in_step(flow_.streams, times) ? std::optional(set.behind[set.topic_of(input)])
                                                 : std::nullopt;
}

Ns PrioritySolver::waiting(const MessageSet & set, Index input) const
{
  const TimesOf times = [this](Index id) -> const StreamTimes & { return parts_[id]; };
  return terms_.sets ? set.waiting(input, flow_.streams, times) : 0;
}

// Examines the set in each round, because gaps depend on many streams. False if nothing moved.
bool PrioritySolver::solve_set(const MessageSet & set)
{
  const TimesOf times = [this](Index id) -> const StreamTimes & { return parts_[id]; };
  bool moved = false;
  const auto & inputs = set.topics[set.slowest];
  const auto & complete = flow_.streams.after(set.task);
  for (Index i = 0; i < inputs.size(); ++i) {
    PriorityPart & part = parts_[complete[i]];
    const Ns lateness = set.lateness(inputs[i], flow_.streams, times);
    if (lateness != part.released) {
      part.released = lateness;
      note_move(complete[i]);
      moved = true;
    }
    if (part.apart != kUnbounded) {
      part.apart = within_horizon(completed(set, inputs[i]));
    }
    solve_through(complete[i]);
    if (round_ > kMostRounds) {
      part.apart = part.together = kUnbounded;
    }
    const Ns bound = part.through.empty() ? part.apart : std::min(part.apart, part.together);
    const Ns gap = set.gap(flow_.streams, times);
    const Ns since = since_set(complete[i]);
    if (bound != part.bound || gap != part.gap || since != part.ended) {
      part.bound_round = round_;
      part.gap = gap;
      part.ended = since;
      part.bound = bound;
      release_next(complete[i]);
      moved = true;
    }
  }
  return moved;
}

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
  // Solve the window also if the part has no bound: the part after a set may have one, and needs
  // Worst::from_activation of this window.
  solve_window(part);
  if (part.apart != kUnbounded) {
    part.apart = within_horizon(add(parts_[part.window.head_stream].released, part.worst.response));
  }
  solve_through(id);
  solve_way(part);
  part.bound = part.smallest();
}

// Does nothing if no stream on which the way depends has moved since it was solved.
void PrioritySolver::solve_way(PriorityPart & part)
{
  if (!part.way || part.whole == kUnbounded) {
    return;
  }
  const PriorityPart & head = parts_[part.way->head_stream()];
  const std::vector<Index> & counted = part.way->counted();
  const bool moved = part.way_round < 0 || head.released_round >= part.way_round ||
                     std::any_of(counted.begin(), counted.end(), [&](Index id) {
                       return parts_[id].bound_round >= part.way_round;
                     });
  if (!moved) {
    return;
  }
  part.way_round = round_;
  if (exhausted()) {
    part.way_steps.give_up();
  }
  const std::int64_t left = part.way_steps.left();
  part.way_length = part.way->longest(
    [&](Index id) {
      return WholeWay::Times{parts_[id].bound, parts_[id].released};
    },
    horizon_, part.way_steps);
  part.whole = within_horizon(add(head.released, part.way_length));
  looks_ += (left - part.way_steps.left()) * static_cast<std::int64_t>(part.way->size());
}

void PrioritySolver::solve_through(Index id)
{
  PriorityPart & part = parts_[id];
  for (SolvedWindow & window : part.through) {
    solve_window(window);
  }
  if (!part.through.empty() && part.together != kUnbounded) {
    part.together = within_horizon(through_sets_.end(id));
  }
}

// Does nothing if no stream on which the window depends has moved since it was solved.
void PrioritySolver::solve_window(SolvedWindow & solved)
{
  BusyWindow & window = solved.window.window;
  const PriorityPart & head = parts_[solved.window.head_stream];
  bool moved = solved.solved_round < 0 || head.released_round >= solved.solved_round ||
               std::any_of(solved.counted.begin(), solved.counted.end(), [&](Index id) {
                 return parts_[id].released_round >= solved.solved_round ||
                        curves_.moved_round(id) >= solved.solved_round;
               });
  window.jitter = jitter(solved.window.head_stream);
  for (Entry & entry : window.entries) {
    if (entry.stream != kNone) {
      moved = moved || parts_[entry.stream].released_round >= solved.solved_round;
      entry.jitter = entry.related && !terms_.related ? 0 : jitter(entry.stream);
    }
  }
  for (RelatedBlocker & blocker : window.blockers) {
    for (RelatedBlocker::From & from : blocker.from) {
      moved = moved || parts_[from.stream].bound_round >= solved.solved_round;
      from.bound = parts_[from.stream].bound;
    }
  }
  if (!moved) {
    return;
  }
  solved.solved_round = round_;
  const bool infinite =
    head.released == kUnbounded ||
    std::any_of(window.entries.begin(), window.entries.end(), [](const Entry & entry) {
      return entry.jitter == kUnbounded && entry.cost > 0;
    });
  if (exhausted()) {
    solved.steps.give_up();
  }
  const std::int64_t left = solved.steps.left();
  solved.worst = infinite
                   ? Worst{}
                   : worst_activation(window, horizon_, terms_.queued, activations_, solved.steps);
  looks_ += (left - solved.steps.left()) * static_cast<std::int64_t>(window.entries.size() + 1);
}

void PrioritySolver::solve_local(PriorityPart & part)
{
  const Ns response = responses_[part.window.tasks.front()];
  part.bound = part.local->end(part.window.head_stream, part.released, response);
  const Ns own = part.bound == kUnbounded ? kUnbounded : part.bound - part.released;
  part.worst.response = own;
  part.worst.from_activation = response;
  if (part.bound > horizon_) {
    part.bound = kUnbounded;
  }
}

std::vector<Ns> PrioritySolver::ends() const
{
  std::vector<Ns> ends(flow_.streams.all().size(), kUnbounded);
  for (Index id = 0; id < parts_.size() && !exhausted(); ++id) {
    ends[id] = parts_[id].bound;
  }
  return ends;
}

// The longest time from the last message of a set to the end of the stream's run after that set.
Ns PrioritySolver::since_set(Index id) const
{
  const Stream & stream = flow_.streams.all()[id];
  if (stream.set == kNone) {
    return 0;
  }
  Ns longest = 0;
  if (stream.set == id) {
    for (const Index input : flow_.streams.of(stream.task)) {
      longest = std::max(longest, parts_[input].worst.from_activation);
    }
    return longest;
  }
  const PriorityPart & part = parts_[id];
  return add(parts_[part.window.head_stream].since, part.worst.from_activation);
}

// If a run sends only one message, it sends it before all work that the message starts, on any
// core.
Ns PrioritySolver::leaves(Index id) const
{
  const PriorityPart & part = parts_[id];
  const bool alone = part.local == nullptr && part.through.empty() &&
                     flow_.streams.all()[id].set != id &&
                     starts_[flow_.streams.all()[id].task] == 1;
  return alone && part.bound != kUnbounded
           ? std::min(part.bound, add(parts_[part.window.head_stream].released, part.worst.leaves))
           : part.bound;
}

bool PrioritySolver::release_next(Index id)
{
  parts_[id].leaves = leaves(id);
  bool moved = false;
  for (const Index next : next_[id]) {
    Ns latest = 0, since = 0;
    for (const Stream::From & from : flow_.streams.all()[next].from) {
      const Link & link = model_.tasks[flow_.streams.all()[next].task].triggers[from.link];
      latest = std::max(latest, add(parts_[from.stream].leaves, link.delay));
      since = std::max(since, add(since_set(from.stream), link.delay));
    }
    if (latest != parts_[next].released || since != parts_[next].since) {
      parts_[next].released = latest;
      parts_[next].since = since;
      note_move(next);
      moved = true;
    }
  }
  return moved;
}

}  // namespace takt_plan::detail
