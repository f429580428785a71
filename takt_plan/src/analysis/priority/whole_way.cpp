#include "analysis/priority/whole_way.hpp"

#include <algorithm>

#include "analysis/fixed_point.hpp"
#include "analysis/priority/priority_level.hpp"
#include "analysis/priority/priority_scope.hpp"

namespace takt_plan::detail
{
namespace
{

Ns overhead_of(const Task & task)
{
  return add(task.dispatch, task.middleware);
}

/// The least integer that is not below `value` / `by`. `by` > 0.
Ns quotient_up(Ns value, Ns by)
{
  return value > 0 ? (value - 1) / by + 1 : -(-value / by);
}

/// True if work beyond tasks' runs may take the core from the level.
bool others_compete(const Model & model, const Segments & segments, const PriorityLevel & level)
{
  const auto & threads = segments.threads_on(level.core());
  return std::any_of(
           threads.begin(), threads.end(),
           [&](Index thread) { return model.threads[thread].kind == ThreadClass::deadline; }) ||
         std::any_of(model.others.begin(), model.others.end(), [&](const OtherLoad & other) {
           return level.competes(other);
         });
}

/// True if the theorem covers the task on a way.
bool covers(const Model & model, const Flow & flow, Index index, const PriorityTerms & terms)
{
  const std::vector<Index> alone{index};
  if (refuse_places(model, alone)) {
    return false;
  }
  const PriorityLevel level(model, flow.segments, alone, terms);
  return !refuse_surroundings(model, flow.streams, flow.segments, level, alone) &&
         !others_compete(model, flow.segments, level);
}

}  // namespace

std::optional<WholeWay> WholeWay::find(
  const Model & model, const Flow & flow, Index stream, const PriorityTerms & terms)
{
  WholeWay way;
  way.carried_ = terms.jitter;
  bool several = false;
  for (Index id = stream;;) {
    const Stream & at = flow.streams.all()[id];
    if (flow.streams.waits(at.task) || !covers(model, flow, at.task, terms)) {
      break;
    }
    way.streams_.push_back(id);
    way.tasks_.push_back(at.task);
    if (at.from.size() != 1 || at.set == at.from.front().stream) {
      break;
    }
    const Link & link = model.tasks[at.task].triggers[at.from.front().link];
    if (link.call || joins(model.tasks[at.task]) || model.tasks[link.from].newest) {
      break;
    }
    id = at.from.front().stream;
  }
  std::reverse(way.streams_.begin(), way.streams_.end());
  std::reverse(way.tasks_.begin(), way.tasks_.end());
  for (Index i = 1; i < way.tasks_.size(); ++i) {
    const Stream & at = flow.streams.all()[way.streams_[i]];
    const Link & link = model.tasks[at.task].triggers[at.from.front().link];
    several = several || !flow.segments.local(link, at.task) || link.delay > 0;
    way.delays_ = add(way.delays_, link.delay);
  }
  if (!several) {
    return std::nullopt;
  }
  for (const Index index : way.tasks_) {
    const Task & task = model.tasks[index];
    const Ns cost = task.newest ? task.store : task.cost();
    const Ns overhead = std::min(cost, overhead_of(task));
    way.work_ = add(way.work_, cost - overhead);
    way.overhead_ = add(way.overhead_, overhead);
  }
  const Task & last = model.tasks[way.tasks_.back()];
  way.ties_ = (last.newest ? last.store : last.cost()) == 0 ? 1 : 0;
  way.find_runs(model, flow, terms);
  way.find_sources(model, flow);
  way.find_blockers(model, flow, terms);
  return way;
}

void WholeWay::find_runs(const Model & model, const Flow & flow, const PriorityTerms & terms)
{
  std::vector<char> found(model.tasks.size());
  std::vector<PriorityLevel> levels;
  for (const Index own : tasks_) {
    levels.emplace_back(model, flow.segments, std::vector<Index>{own}, terms);
  }
  const PriorityLevel & last = levels.back();
  for (const PriorityLevel & level : levels) {
    for (const Index index : flow.segments.on(level.core())) {
      if (found[index] == 0 && level.contains(index)) {
        found[index] = 1;
        const bool preempts = last.contains(index) && flow.segments.thread(index) != last.thread();
        add_runs(model, flow, index, preempts);
      }
    }
  }
}

/// `preempts`: a run may begin while the way's last task runs.
void WholeWay::add_runs(const Model & model, const Flow & flow, Index index, bool preempts)
{
  const Streams & streams = flow.streams;
  const Task & task = model.tasks[index];
  const Index root = streams.all()[head_stream()].root;
  const auto add_run = [&](Index id, Ns cost) {
    if (cost == 0) {
      return;
    }
    Run run{id, index, streams.all()[id].period, cost};
    run.own_source = streams.all()[id].root == root;
    const bool own = std::find(streams_.begin(), streams_.end(), id) != streams_.end();
    // Behind a set, activations may have other numbers.
    const bool alike = streams.all()[id].set == streams.all()[streams_.back()].set;
    run.now =
      run.own_source && !own && (preempts || !alike || !streams.comes_after(id, streams_.back()));
    runs_.push_back(run);
    counted_.push_back(id);
  };
  for (const Index id : streams.of(index)) {
    add_run(id, task.newest ? task.store : task.cost());
  }
  if (task.newest) {
    for (const Index id : streams.after(index)) {
      add_run(id, task.cost() - task.store);
    }
  }
}

void WholeWay::find_blockers(const Model & model, const Flow & flow, const PriorityTerms & terms)
{
  const Segments & segments = flow.segments;
  std::vector<char> preferred(model.tasks.size());
  for (const Run & run : runs_) {
    preferred[run.task] = 1;
  }
  Ns section = 0;  // of this stay on a core
  std::vector<Index> threads;
  for (Index i = 0; i < tasks_.size(); ++i) {
    const Index index = tasks_[i];
    const Index thread = segments.thread(index);
    const PriorityLevel level(model, segments, {index}, terms);
    bool stays = false, same_thread = false;
    if (i > 0) {
      const Stream & at = flow.streams.all()[streams_[i]];
      const Link & link = model.tasks[index].triggers[at.from.front().link];
      stays = link.delay == 0 && segments.core(tasks_[i - 1]) == level.core();
      same_thread = stays && segments.thread(tasks_[i - 1]) == thread;
    }
    Ns most = 0;
    for (const Index other : segments.threads_on(level.core())) {
      if (
        terms.ceiling && model.threads[other].ceiling != 0 &&
        !level.competes(model.threads[other])) {
        most = std::max(most, most_middleware(model, segments, other));
      }
    }
    ceiling_ = add(ceiling_, stays ? std::max<Ns>(0, most - section) : most);
    section = stays ? std::max(section, most) : most;
    if (same_thread || !terms.blocking) {
      continue;
    }
    const auto at = std::find(threads.begin(), threads.end(), thread);
    if (at != threads.end()) {
      ++blockers_[static_cast<Index>(at - threads.begin())].times;
      continue;
    }
    threads.push_back(thread);
    blockers_.push_back({1, {}});
    for (const Index other : segments.tasks_of(thread)) {
      const Ns cost = model.tasks[other].cost();
      if (preferred[other] != 0 || cost == 0) {
        continue;
      }
      std::vector<Run> & runs = blockers_.back().runs;
      for (const Index id : flow.streams.of(other)) {
        runs.push_back({id, other, flow.streams.all()[id].period, cost});
        counted_.push_back(id);
      }
      if (flow.streams.too_many(other)) {
        runs.push_back({kNone, other, 1, cost});
      }
    }
  }
  for (Blockers & thread : blockers_) {
    std::stable_sort(thread.runs.begin(), thread.runs.end(), [](const Run & a, const Run & b) {
      return a.cost > b.cost;
    });
  }
}

/// The number of runs in the time, of any phase.
Ns WholeWay::count(const Run & run, Ns length) const
{
  const Ns span = add(std::max<Ns>(length, 1) - 1, run.bound);
  return span == kUnbounded ? kUnbounded : quotient_up(span, run.period);
}

Ns WholeWay::demand(const Run & run, Ns length) const
{
  if (!run.own_source || run.bound == kUnbounded || late_ == kUnbounded) {
    return multiply(count(run, length), run.cost);
  }
  Ns sum = run.now ? run.cost : 0;
  // Of the earlier activations only the first ones that end after the release.
  for (Ns left = run.bound - run.period; left > 0; left -= run.period) {
    sum = add(sum, std::min(run.cost, left));
  }
  const Ns later = quotient_up(add(late_, std::max<Ns>(length, 1)), run.period) - 1;
  return add(sum, multiply(later, run.cost));
}

/// Calls `add(run, times)` for the longest runs that may have begun.
template <typename Add>
void WholeWay::for_blockers(Ns length, const Add & add) const
{
  for (const Blockers & thread : blockers_) {
    Ns left = thread.times;
    for (const Run & run : thread.runs) {
      const Ns times = std::min(left, count(run, length));
      if (times > 0) {
        add(run, times);
      }
      left -= times;
    }
  }
}

Ns WholeWay::solve(Ns horizon, Steps & steps) const
{
  const Ns fixed = add(add(work_, overhead_), add(delays_, ceiling_));
  if (late_ == kUnbounded) {
    return kUnbounded;
  }
  return fixed_point(0, horizon, steps, [&](Ns length) {
    Ns sum = fixed;
    const Ns until = add(length, ties_);
    for (const Run & run : runs_) {
      sum = add(sum, demand(run, until));
    }
    for_blockers(
      until, [&](const Run & run, Ns times) { sum = add(sum, multiply(times, run.cost)); });
    return sum;
  });
}

// Finds the cores that messages connect with those of the way. False: the bound of their joint busy
// time does not cover what is there.
bool WholeWay::find_connected(
  const Model & model, const Flow & flow, std::vector<char> & cores) const
{
  const Segments & segments = flow.segments;
  std::vector<Index> open;
  const auto reach = [&](Index task) {
    const Index core = segments.core(task);
    if (core != kNone && cores[core] == 0) {
      cores[core] = 1;
      open.push_back(core);
    }
    return core != kNone;
  };
  std::vector<std::vector<Index>> starts(model.tasks.size());
  for (Index task = 0; task < model.tasks.size(); ++task) {
    for (const Link & link : model.tasks[task].triggers) {
      starts[link.from].push_back(task);
    }
  }
  reach(tasks_.front());
  while (!open.empty()) {
    const Index core = open.back();
    open.pop_back();
    for (const Index index : segments.threads_on(core)) {
      const Thread & thread = model.threads[index];
      const bool covered =
        thread.kind == ThreadClass::fixed_priority && !thread.follow && thread.cores.size() == 1 &&
        (thread.order == takt_core::Order::priority || thread.order == takt_core::Order::fifo);
      if (!covered) {
        return false;
      }
    }
    for (const OtherLoad & other : model.others) {
      if (std::find(other.cores.begin(), other.cores.end(), core) != other.cores.end()) {
        return false;
      }
    }
    for (const Index index : segments.on(core)) {
      const Task & task = model.tasks[index];
      bool covered = task.threads.size() == 1 && !task.newest && !joins(task) && !task.may_wait() &&
                     task.no_wait.empty() && !flow.streams.too_many(index) &&
                     !segments.spanned(index);
      for (const Link & link : task.triggers) {
        covered = covered && !link.call && reach(link.from);
      }
      for (const Index next : starts[index]) {
        covered = covered && reach(next);
      }
      if (!covered) {
        return false;
      }
    }
  }
  return true;
}

void WholeWay::find_sources(const Model & model, const Flow & flow)
{
  std::vector<char> cores(model.cores.size());
  const Index root = flow.streams.all()[head_stream()].root;
  if (root != head_stream() || !find_connected(model, flow, cores)) {
    return;
  }
  const Index last = tasks_.back();
  const PriorityLevel level(model, flow.segments, {last}, PriorityTerms());
  double load = 0;
  for (Index id = 0; id < flow.streams.all().size(); ++id) {
    const Stream & stream = flow.streams.all()[id];
    const Index core = flow.segments.core(stream.task);
    if (core == kNone || cores[core] == 0) {
      continue;
    }
    auto source = std::find_if(sources_.begin(), sources_.end(), [&](const Source & one) {
      return one.root == stream.root;
    });
    if (source == sources_.end()) {
      sources_.emplace_back();
      source = sources_.end() - 1;
      source->root = stream.root;
      source->period = stream.period;
      source->own = stream.root == root;
    }
    const Ns delay =
      stream.from.empty() ? 0 : model.tasks[stream.task].triggers[stream.from.front().link].delay;
    const Ns cost = model.tasks[stream.task].cost();
    source->started.push_back({id, stream.task, cost});
    source->delays = add(source->delays, delay);
    source->cost = add(source->cost, add(cost, delay));
    load += static_cast<double>(add(cost, delay)) / static_cast<double>(stream.period);
    const bool preempts =
      level.contains(stream.task) && flow.segments.thread(stream.task) != level.thread();
    if (
      id != streams_.back() && stream.root == root && !preempts &&
      flow.streams.comes_after(id, streams_.back())) {
      not_yet_ = add(not_yet_, add(cost, delay));
    }
  }
  if (load >= 1) {
    sources_.clear();
  }
}

Ns WholeWay::releases(const Source & source, const Joint & joint) const
{
  const Ns all = arrivals(add(joint.length, ties_), source.period, source.jitter);
  return source.own ? std::max(all, joint.number) : all;
}

// The longest time from the nominal release to the end of the way, less the latest release.
Ns WholeWay::solve_joint(Ns horizon, Steps & steps)
{
  const Source & own =
    *std::find_if(sources_.begin(), sources_.end(), [](const Source & one) { return one.own; });
  Ns worst = 0;
  for (Ns number = 1, start = 0;; ++number) {
    const auto until_done = [&](Ns from, Ns less) {
      return fixed_point(from, horizon, steps, [&](Ns length) {
        Ns sum = 0;
        for (const Source & source : sources_) {
          sum = add(sum, multiply(releases(source, {number, length}), source.cost));
        }
        return sum == kUnbounded ? sum : sum - less;
      });
    };
    const Joint joint{number, until_done(start, not_yet_)};
    const Ns whole = joint.length == kUnbounded ? kUnbounded : until_done(joint.length, 0);
    if (whole == kUnbounded) {
      return kUnbounded;
    }
    start = joint.length;
    const Ns response = joint.length - (number - 1) * own.period;
    if (response > worst) {
      worst = response;
      joint_ = joint;
    }
    if (add(whole, own.jitter) <= number * own.period) {
      return worst;  // the next one comes after this busy time
    }
  }
}

BoundTerms WholeWay::joint_terms(Ns length) const
{
  BoundTerms terms;
  add_term(terms, {TermKind::work, work_});
  add_term(terms, {TermKind::overhead, overhead_});
  Ns sum = work_ + overhead_;
  Ns delays = 0;
  for (const Source & source : sources_) {
    const Ns count = releases(source, joint_);
    delays = add(delays, multiply(source.delays, count));
    for (const Started & one : source.started) {
      const bool own_task = std::find(tasks_.begin(), tasks_.end(), one.task) != tasks_.end();
      const bool on_way = std::find(streams_.begin(), streams_.end(), one.stream) != streams_.end();
      const Ns time = multiply(one.cost, on_way ? count - 1 : count);
      const auto kind = own_task ? TermKind::activations : TermKind::interference;
      add_term(terms, {kind, time, one.task});
      sum = add(sum, time);
    }
  }
  add_term(terms, {TermKind::under_way, delays});
  sum = add(sum, delays);
  // Earlier releases of the own source, and work that starts after the end of the way.
  add_term(terms, {TermKind::head_start, length - sum});
  return terms;
}

BoundTerms WholeWay::terms(Ns length) const
{
  if (is_joint_) {
    return joint_terms(length);
  }
  BoundTerms terms;
  add_term(terms, {TermKind::work, work_});
  add_term(terms, {TermKind::overhead, overhead_});
  const Ns until = add(length, ties_);
  for (const Run & run : runs_) {
    const bool own = std::find(tasks_.begin(), tasks_.end(), run.task) != tasks_.end();
    add_term(
      terms, {own ? TermKind::activations : TermKind::interference, demand(run, until), run.task});
  }
  for_blockers(until, [&](const Run & run, Ns times) {
    add_term(terms, {TermKind::blocking, multiply(times, run.cost), run.task});
  });
  add_term(terms, {TermKind::ceiling, ceiling_});
  add_term(terms, {TermKind::under_way, delays_});
  return terms;
}

}  // namespace takt_plan::detail
