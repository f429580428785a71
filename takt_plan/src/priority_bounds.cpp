#include "takt_plan/priority_bounds.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "chain_ways.hpp"
#include "limits.hpp"
#include "priority_window.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan
{
namespace
{

using detail::PriorityWindow;
using detail::Segments;
using detail::Stream;
using detail::Streams;
using detail::Worst;
using takt_core::Faults;
using takt_core::Result;

std::string percent(double load)
{
  constexpr int kMost = 1'000'000;
  return load * 100.0 < kMost ? std::to_string(static_cast<int>(load * 100.0 + 0.999)) + " %"
                              : "more than " + std::to_string(kMost) + " %";
}

/// The least solution for all segments at once: bounds make jitters, and jitters make bounds.
class Solver
{
public:
  Solver(const Model & model, const PriorityOptions & options)
  : model_(model),
    terms_(options.terms),
    horizon_(detail::horizon(model, options.horizon)),
    order_(in_trigger_order(model)),
    streams_(model, order_),
    segments_(model, order_),
    parts_(streams_.all().size()),
    next_(streams_.all().size())
  {
  }

  PriorityBounds solve()
  {
    for (Index id = 0; id < streams_.all().size(); ++id) {
      for (const Stream::From & from : streams_.all()[id].from) {
        next_[from.stream].push_back(id);
      }
    }
    for (const Index task : order_) {
      prepare(task);
    }
    while (iterate()) {
    }
    PriorityBounds bounds;
    for (Index task = 0; task < model_.tasks.size(); ++task) {
      bounds.tasks.push_back(bound_of(task));
    }
    for (const Chain & chain : model_.chains) {
      bounds.chains.push_back(bound_of(chain));
    }
    return bounds;
  }

private:
  /// A task's activations by one stream.
  struct Part
  {
    PriorityWindow window;
    std::string refusal;
    Ns released = 0;  ///< at the latest, after the stream's nominal release
    Ns bound = 0;     ///< the end, likewise
    Worst worst;
    detail::Steps steps;
    int released_round = 0;  ///< the last one that moved `released`
    int solved_round = -1;   ///< the last one that looked at the window
  };

  std::string name(Index task) const { return takt_schedule::quoted(model_.tasks[task].id); }

  void prepare(Index task)
  {
    for (Index way = 0; way < streams_.of(task).size(); ++way) {
      const Index id = streams_.of(task)[way];
      Part & part = parts_[id];
      if (streams_.all()[id].from.empty() && terms_.jitter) {
        part.released = model_.tasks[task].release->jitter;
      }
      auto window = priority_window(model_, streams_, segments_, task, way, terms_);
      if (window) {
        part.window = std::move(*window);
      } else {
        part.refusal = window.faults().front();
      }
    }
  }

  /// One round over all tasks; false if nothing moved.
  bool iterate()
  {
    ++round_;
    bool moved = false;
    for (const Index task : order_) {
      for (const Index id : streams_.of(task)) {
        const Ns before = parts_[id].bound;
        if (solve_part(id) && parts_[id].bound != before) {
          moved = true;
          if (round_ > detail::kMostRounds) {
            parts_[id].bound = kUnbounded;
            parts_[id].steps.give_up();
          }
          release_next(id);
        }
      }
    }
    return moved;
  }

  /// False if nothing that it depends on moved since it was solved.
  bool solve_part(Index id)
  {
    Part & part = parts_[id];
    if (!part.refusal.empty()) {
      part.bound = kUnbounded;
      return true;
    }
    if (part.bound == kUnbounded) {
      return false;
    }
    detail::BusyWindow & window = part.window.window;
    const Part & head = parts_[part.window.head_stream];
    bool moved = part.solved_round < 0 || head.released_round >= part.solved_round;
    window.jitter = jitter(part.window.head_stream);
    for (detail::Entry & entry : window.entries) {
      if (entry.stream != kNone) {
        moved = moved || parts_[entry.stream].released_round >= part.solved_round;
        entry.jitter = jitter(entry.stream);
      }
    }
    if (!moved) {
      return false;
    }
    part.solved_round = round_;
    const bool infinite =
      head.released == kUnbounded ||
      std::any_of(window.entries.begin(), window.entries.end(), [](const detail::Entry & entry) {
        return entry.jitter == kUnbounded && entry.cost > 0;
      });
    part.worst =
      infinite ? Worst{} : detail::worst_activation(window, horizon_, terms_.queued, part.steps);
    part.bound = add(head.released, part.worst.response);
    if (part.bound > horizon_) {
      part.bound = kUnbounded;
    }
    return true;
  }

  Ns jitter(Index stream) const { return terms_.jitter ? parts_[stream].released : 0; }

  void release_next(Index id)
  {
    for (const Index next : next_[id]) {
      Ns latest = 0;
      for (const Stream::From & from : streams_.all()[next].from) {
        const Link & link = model_.tasks[streams_.all()[next].task].triggers[from.link];
        latest = std::max(latest, add(parts_[from.stream].bound, link.delay));
      }
      if (latest != parts_[next].released) {
        parts_[next].released = latest;
        parts_[next].released_round = round_;
      }
    }
  }

  // ---- answers ----

  /// Why a stream's activations of its task have no bound.
  std::string reason(Index id) const
  {
    const Part & part = parts_[id];
    if (!part.refusal.empty()) {
      return part.refusal;
    }
    const Index task = streams_.all()[id].task;
    if (parts_[part.window.head_stream].released == kUnbounded) {
      const Index head = part.window.tasks.front();
      return name(task) + " has no bound because what starts " + name(head) + " has none";
    }
    if (detail::overloaded(part.window.window)) {
      return model_.core_name(segments_.core(task)) +
             " is overloaded by what is at least as "
             "urgent as " +
             name(task) + ": it would need " + percent(detail::utilization(part.window.window)) +
             " of the core";
    }
    for (const detail::Entry & entry : part.window.window.entries) {
      if (entry.stream != kNone && entry.cost > 0 && entry.jitter == kUnbounded) {
        return name(task) + " has no bound because " + name(entry.task) +
               ", which may delay it, is released without one";
      }
    }
    if (part.steps.none()) {
      return name(task) + " has no bound that " + std::to_string(detail::kMostSteps) +
             " steps would find: " + model_.core_name(segments_.core(task)) +
             " is nearly full, or very many releases come at once";
    }
    return name(task) + " has no bound below " + std::to_string(horizon_) +
           " ns, at which this analysis gives up";
  }

  Result<Ns> bound_of(Index task) const
  {
    if (streams_.too_many(task)) {
      return Faults{detail::too_many_ways(name(task))};
    }
    Ns bound = 0;
    for (const Index id : streams_.of(task)) {
      if (parts_[id].bound == kUnbounded) {
        return Faults{reason(id)};
      }
      bound = std::max(bound, parts_[id].bound);
    }
    return bound;
  }

  Result<ChainBound> bound_of(const Chain & chain) const
  {
    const auto ways = detail::chain_ways(model_, streams_, chain);
    if (!ways) {
      return ways.faults();
    }
    Index worst = kNone;
    for (const Index id : *ways) {
      if (parts_[id].bound == kUnbounded) {
        return Faults{reason(id)};
      }
      worst = worst == kNone || parts_[id].bound > parts_[worst].bound ? id : worst;
    }
    return explained(worst);
  }

  /// Backwards from the end, segment by segment; at a join, by the way that comes last.
  ChainBound explained(Index id) const
  {
    ChainBound result;
    result.bound = parts_[id].bound;
    while (id != kNone) {
      result.segments.push_back(segment(parts_[id]));
      const auto & from = streams_.all()[parts_[id].window.head_stream].from;
      Index before = kNone;
      for (const Stream::From & f : from) {
        before =
          before == kNone || parts_[f.stream].bound > parts_[before].bound ? f.stream : before;
      }
      id = before;
    }
    std::reverse(result.segments.begin(), result.segments.end());
    return result;
  }

  SegmentBound segment(const Part & part) const
  {
    const detail::BusyWindow & window = part.window.window;
    const Ns number = part.worst.number;
    SegmentBound result;
    result.tasks = part.window.tasks;
    result.released = parts_[part.window.head_stream].released;
    result.response = part.worst.response;
    result.queue_start = multiply(number - 1, window.period);
    result.blocking = window.blocking;
    result.ceiling = window.ceiling;
    result.once = window.once;
    const Ns releases = std::max(number, arrivals(part.worst.length, window.period, window.jitter));
    result.own = releases * window.before + number * window.after + (number - 1) * window.forked;
    for (const detail::Entry & entry : window.entries) {
      const Ns time = arrivals(part.worst.length, entry.period, entry.jitter) * entry.cost;
      result.interference.push_back({entry.task, time});
    }
    return result;
  }

  const Model & model_;
  const PriorityTerms terms_;
  const Ns horizon_;
  const std::vector<Index> order_;
  const Streams streams_;
  const Segments segments_;
  std::vector<Part> parts_;               // one per stream
  std::vector<std::vector<Index>> next_;  // streams that go on from one
  int round_ = 0;
};

}  // namespace

Result<PriorityBounds> priority_bounds(const Model & model, const PriorityOptions & options)
{
  if (const takt_core::Status status = check(model); !status) {
    return status.faults();
  }
  return Solver(model, options).solve();
}

}  // namespace takt_plan
