#include "analysis/answers.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include "analysis/terms/chain_terms.hpp"
#include "model/chain_ways.hpp"
#include "model/percent.hpp"
#include "model/printed.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan::detail
{
namespace
{

using takt_rt::Faults;
using takt_rt::Result;

/// Makes the answers from the solution: a bound for each task and chain, or the reason why there is
/// none.
class Answers
{
public:
  Answers(const PrioritySolver & solver, std::size_t most_terms)
  : model_(solver.model()),
    solver_(solver),
    most_terms_(most_terms)
  {
  }

  PriorityBounds all() const
  {
    PriorityBounds bounds;
    for (Index task = 0; task < model_.tasks.size(); ++task) {
      bounds.tasks.push_back(bound_of(task));
    }
    std::vector<std::vector<ChainStep>> steps(model_.chains.size());
    for (Index chain = 0; chain < model_.chains.size(); ++chain) {
      bounds.chains.push_back(bound_of(model_.chains[chain], steps[chain]));
    }
    if (most_terms_ > 0) {
      add_terms(steps, bounds.chains);
    }
    return bounds;
  }

private:
  std::string name(Index task) const { return takt_schedule::quoted(model_.tasks[task].id); }

  /// The reason why the stream's activations of its task have no bound.
  std::string reason(Index id) const
  {
    const PriorityPart & part = solver_.part(id);
    if (!part.refusal.empty()) {
      return part.refusal;
    }
    const Index task = solver_.streams().all()[id].task;
    if (part.local != nullptr) {
      return part.released == kUnbounded
               ? name(task) + " has no bound, because the callback that starts it has no bound" +
                   first_cause(id)
               : part.local->reason(task);
    }
    if (solver_.part(part.window.head_stream).released == kUnbounded) {
      const Index head = part.window.tasks.front();
      return name(task) + " has no bound, because the callback that starts " +
             (head == task ? "it" : name(head)) + " has no bound" +
             first_cause(part.window.head_stream);
    }
    if (overloaded(part.window.window)) {
      return model_.core_name(solver_.segments().core(task)) + " is overloaded: " + name(task) +
             " and the callbacks that are at least as urgent need " +
             percent(utilization(part.window.window), Rounding::up) + " of the core";
    }
    if (const Entry * const entry = unbounded_entry(id)) {
      return entry->task == task
               ? name(task) +
                   " has no bound, because another callback that starts it has no bound" +
                   cause_behind(id, *entry)
               : name(task) + " has no bound because " + name(entry->task) +
                   ", which may delay it, is released without one" + cause_behind(id, *entry);
    }
    if (part.steps.none() && solver_.exhausted()) {
      return name(task) + " has no bound that the steps of all callbacks together would find: " +
             model_.core_name(solver_.segments().core(task)) +
             " or another one is nearly full, or very many releases come at once";
    }
    if (part.steps.none()) {
      return name(task) + " has no bound that " + std::to_string(kMostSteps) +
             " steps would find: " + model_.core_name(solver_.segments().core(task)) +
             " is nearly full, or very many releases come at once";
    }
    return name(task) + " has no bound below " + printed(solver_.horizon()) +
           ", at which this analysis gives up";
  }

  /// The first entry of the stream's window that comes without a bound; nullptr: none, or nothing
  /// but another reason counts.
  const Entry * unbounded_entry(Index id) const
  {
    const PriorityPart & part = solver_.part(id);
    if (
      !part.refusal.empty() || part.local != nullptr ||
      solver_.part(part.window.head_stream).released == kUnbounded ||
      overloaded(part.window.window)) {
      return nullptr;
    }
    const auto & entries = part.window.window.entries;
    const auto found = std::find_if(entries.begin(), entries.end(), [](const Entry & entry) {
      return entry.stream != kNone && entry.cost > 0 && entry.jitter == kUnbounded;
    });
    return found == entries.end() ? nullptr : &*found;
  }

  /// The first stream before this one that has no bound; kNone: each stream before it has one.
  Index first_before(Index id) const
  {
    Index first = kNone;
    for (Index next = id; next != kNone;) {
      const auto & from = solver_.streams().all()[next].from;
      const auto before = std::find_if(from.begin(), from.end(), [&](const Stream::From & one) {
        return solver_.part(one.stream).bound == kUnbounded;
      });
      next = before == from.end() ? kNone : before->stream;
      first = next == kNone ? first : next;
    }
    return first;
  }

  /// The reason behind an entry of the stream's window: goes back from entry to entry, to the first
  /// stream with another reason.
  std::string cause_behind(Index id, const Entry & entry) const
  {
    std::set<Index> seen{id};
    for (const Entry * by = &entry;;) {
      const Index first = first_before(by->stream);
      const Index at = first == kNone ? by->stream : first;
      if (!seen.insert(at).second) {
        return ": these callbacks delay each other in a circle";
      }
      by = unbounded_entry(at);
      if (by == nullptr) {
        return cause(at);
      }
    }
  }

  /// For a stream that is released without a bound: the reason of the first stream before it that
  /// has no bound.
  std::string first_cause(Index id) const
  {
    const Index first = first_before(id);
    return first == kNone ? "" : cause(first);
  }

  std::string cause(Index id) const
  {
    return solver_.streams().all()[id].set == id
             ? ": the wait of " + name(solver_.streams().all()[id].task) +
                 " for a set of messages has no bound"
             : ": " + reason(id);
  }

  Result<Ns> bound_of(Index task) const
  {
    if (solver_.streams().too_many(task)) {
      const LocalAnalysis * const local = solver_.local(task);
      return Faults{local != nullptr ? local->refusal(task) : too_many_ways(name(task))};
    }
    Ns bound = 0;
    for (const Index id : solver_.streams().of(task)) {
      if (solver_.part(id).bound == kUnbounded) {
        return Faults{reason(id)};
      }
      bound = std::max(bound, solver_.part(id).bound);
    }
    return bound;
  }

  /// `steps`: the segments of the bound, for its terms.
  Result<ChainBound> bound_of(const Chain & chain, std::vector<ChainStep> & steps) const
  {
    const auto ways = chain_ways(model_, solver_.streams(), chain);
    if (!ways) {
      return ways.faults();
    }
    for (const ChainWays::Set & set : ways->sets) {
      for (const Index input : set.inputs) {
        if (solver_.part(input).bound == kUnbounded) {
          return Faults{reason(input)};
        }
        if (completed(set, input) == kUnbounded) {
          return Faults{
            "how long " + name(set.task) +
            " waits for the other messages of a set has no bound: they have none, come from "
            "outside of the model, or their timer may be late and begin its periods anew"};
        }
      }
    }
    Index worst = kNone;
    for (const Index id : ways->streams) {
      if (solver_.part(id).bound == kUnbounded) {
        return Faults{reason(id)};
      }
      worst = worst == kNone || solver_.part(id).bound > solver_.part(worst).bound ? id : worst;
    }
    return sum_up(worst, *ways, steps);
  }

  Ns completed(const ChainWays::Set & set, Index input) const
  {
    return solver_.completed(*solver_.streams().set(set.task), input);
  }

  /// The input stream of the set that `id` continues. If there are several, the one that leaves the
  /// set last.
  Index input_of(const ChainWays::Set & set, Index id) const
  {
    const auto & complete = solver_.streams().after(set.task);
    const auto found = std::find(complete.begin(), complete.end(), id);
    if (found != complete.end() && set.complete == kNone) {
      const MessageSet & of = *solver_.streams().set(set.task);
      return of.topics[of.slowest][static_cast<Index>(found - complete.begin())];
    }
    return *std::max_element(set.inputs.begin(), set.inputs.end(), [&](Index a, Index b) {
      return completed(set, a) < completed(set, b);
    });
  }

  /// The message that starts the segment's first task; at a join, the last message. nullptr: none.
  const Stream::From * last_before(Index head_stream) const
  {
    const Stream & head = solver_.streams().all()[head_stream];
    const auto comes = [&](const Stream::From & from) {
      return add(solver_.part(from.stream).bound, delay_of(head, from));
    };
    const auto last = std::max_element(
      head.from.begin(), head.from.end(),
      [&](const Stream::From & x, const Stream::From & y) { return comes(x) < comes(y); });
    return last == head.from.end() ? nullptr : &*last;
  }

  Ns delay_of(const Stream & to, const Stream::From & from) const
  {
    return model_.tasks[to.task].triggers[from.link].delay;
  }

  /// A part of a chain that ends with a stream. The stream may begin with a complete set.
  struct Way
  {
    Index stream = kNone;
    const SolvedWindow * window = nullptr;
    const WholeWay * whole = nullptr;          // several segments, in place of the window
    bool through = false;                      // the part goes on through the sets
    std::vector<const ChainWays::Set *> sets;  // sets that it enters, from the last one back
    std::vector<Index> inputs;                 // the streams by which it enters these

    Index head_stream() const
    {
      return whole != nullptr ? whole->head_stream() : window->window.head_stream;
    }
    const std::vector<Index> & tasks() const
    {
      return whole != nullptr ? whole->tasks() : window->window.tasks;
    }
  };

  /// The stream that begins after a set which the chain enters by `input`.
  Index complete_of(const ChainWays::Set & set, Index input) const
  {
    const MessageSet & of = *solver_.streams().set(set.task);
    const auto & complete = solver_.streams().after(set.task);
    const auto & slowest = of.topics[of.slowest];
    const auto found = std::find(slowest.begin(), slowest.end(), input);
    return found == slowest.end() ? complete.front()
                                  : complete[static_cast<Index>(found - slowest.begin())];
  }

  /// The part of a chain that ends with `id`. Moves `set` to the sets before the part. `last`: the
  /// chain ends there; false: its message is enough.
  Way way_to(
    Index id, bool last, std::vector<ChainWays::Set>::const_reverse_iterator & set,
    std::vector<ChainWays::Set>::const_reverse_iterator end) const
  {
    Way way;
    way.stream = id;
    const auto enter = [&](Index complete) {
      way.inputs.push_back(input_of(*set, complete));
      way.sets.push_back(&*set);
      ++set;
    };
    if (set != end && set->task == solver_.streams().all()[id].task) {
      enter(id);
      way.stream = complete_of(*way.sets.front(), way.inputs.front());
    }
    if (solver_.part(way.stream).goes_through()) {
      way.through = true;
      for (;;) {
        way.window = &solver_.through_sets().way(way.stream, way.inputs);
        if (way.window->window.inputs.size() == way.inputs.size()) {
          return way;
        }
        enter(solver_.streams().all()[way.inputs.empty() ? way.stream : way.inputs.back()].set);
      }
    }
    if (!way.inputs.empty()) {
      way.stream = way.inputs.front();
    }
    const PriorityPart & part = solver_.part(way.stream);
    way.window = &part;
    const bool whole = last || !way.sets.empty() || part.leaves >= part.bound;
    way.whole = whole && part.goes_whole() ? &*part.way : nullptr;
    return way;
  }

  /// Goes backwards from the end, segment by segment. Then goes forwards, for streams after a set
  /// that the chain enters by another topic than the one from which they count.
  ChainBound sum_up(Index id, const ChainWays & ways, std::vector<ChainStep> & steps) const
  {
    ChainBound result;
    auto set = ways.sets.rbegin();
    std::vector<Way> way;
    while (id != kNone) {
      way.push_back(way_to(id, way.empty(), set, ways.sets.rend()));
      const Stream::From * const before = last_before(way.back().head_stream());
      id = before == nullptr ? kNone : before->stream;
    }
    std::reverse(way.begin(), way.end());
    bool counted = true;
    Ns behind = 0;  // time from the chain's release to the release from which the stream counts
    for (const Way & step : way) {
      const bool leaving = counted && !step.through && step.whole == nullptr && step.sets.empty() &&
                           &step != &way.back() &&
                           solver_.part(step.stream).leaves < solver_.part(step.stream).bound;
      steps.push_back({step.stream, step.window, step.whole, counted, leaving});
      result.segments.push_back(segment(step));
      SegmentBound & own = result.segments.back();
      own.released -= behind;
      if (!counted) {
        own.released = add(result.bound, delay_before(step.head_stream()));
        own.response = step.whole != nullptr ? own.response : step.window->worst.from_activation;
      } else if (leaving) {
        own.response = step.window->worst.leaves;
      }
      own.waiting = waiting(step, counted);
      result.bound = add(add(own.released, own.response), own.waiting);
      for (auto entered = step.sets.rbegin(); entered != step.sets.rend(); ++entered) {
        if ((*entered)->complete != kNone) {
          const Index input = step.inputs[static_cast<Index>(step.sets.rend() - entered) - 1];
          const auto later = solver_.behind(*solver_.streams().set((*entered)->task), input);
          counted = counted && later;
          behind += later.value_or(0);
        }
      }
    }
    return result;
  }

  /// The wait for the rest of sets, after the time that the chain's own messages take.
  Ns waiting(const Way & step, bool counted) const
  {
    if (step.through) {
      const Ns own =
        counted
          ? add(solver_.part(step.window->window.head_stream).released, step.window->worst.response)
          : step.window->worst.from_activation;
      return solver_.through_sets().end(step.stream, step.inputs, counted) - own;
    }
    if (step.sets.empty()) {
      return 0;
    }
    return counted ? completed(*step.sets.front(), step.stream) - solver_.part(step.stream).bound
                   : solver_.waiting(*solver_.streams().set(step.sets.front()->task), step.stream);
  }

  /// Adds terms to the most important chains first, until there are too many terms.
  void add_terms(
    const std::vector<std::vector<ChainStep>> & steps,
    std::vector<Result<ChainBound>> & chains) const
  {
    std::vector<Index> order(chains.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      return model_.chains[a].priority > model_.chains[b].priority;
    });
    std::size_t terms = 0;
    for (const Index chain : order) {
      if (terms >= most_terms_) {
        return;
      }
      if (chains[chain]) {
        explain(solver_, steps[chain], chains[chain]->segments);
        for (const SegmentBound & segment : chains[chain]->segments) {
          terms += size_of(segment.terms);
        }
      }
    }
  }

  /// The delay of the message that starts the segment.
  Ns delay_before(Index head_stream) const
  {
    const Stream::From * const before = last_before(head_stream);
    return before == nullptr ? 0 : delay_of(solver_.streams().all()[head_stream], *before);
  }

  SegmentBound segment(const Way & way) const
  {
    const PriorityPart & part = solver_.part(way.stream);
    SegmentBound result;
    result.analysis = part.local != nullptr ? part.local->kind() : Analysis::priority;
    result.tasks = way.tasks();
    result.released = solver_.part(way.head_stream()).released;
    result.response = way.whole != nullptr ? part.way_length : way.window->worst.response;
    return result;
  }

  const Model & model_;
  const PrioritySolver & solver_;
  const std::size_t most_terms_;
};

}  // namespace

PriorityBounds answers(const PrioritySolver & solver, std::size_t most_terms)
{
  return Answers(solver, most_terms).all();
}

bool refused(const PrioritySolver & solver, Index task)
{
  const std::vector<Index> & streams = solver.streams().of(task);
  return std::any_of(streams.begin(), streams.end(), [&](Index stream) {
    return !solver.part(stream).refusal.empty();
  });
}

void take_smaller(PriorityBounds & bounds, PriorityBounds others)
{
  for (Index task = 0; task < bounds.tasks.size(); ++task) {
    Result<Ns> & other = others.tasks[task];
    if (other && (!bounds.tasks[task] || *other < *bounds.tasks[task])) {
      bounds.tasks[task] = std::move(other);
    }
  }
  for (Index chain = 0; chain < bounds.chains.size(); ++chain) {
    Result<ChainBound> & other = others.chains[chain];
    if (other && (!bounds.chains[chain] || other->bound < bounds.chains[chain]->bound)) {
      bounds.chains[chain] = std::move(other);
    }
  }
}

}  // namespace takt_plan::detail
