#include "analysis/priority/priority_window.hpp"

#include <algorithm>
#include <utility>

#include "analysis/deadline/reservations.hpp"
#include "analysis/priority/priority_level.hpp"
#include "analysis/priority/priority_scope.hpp"

namespace takt_plan::detail
{
namespace
{

using takt_rt::Faults;
using takt_rt::Result;

class Builder
{
public:
  Builder(
    const Model & model, const Streams & streams, const Segments & segments,
    const PriorityTerms & terms, WindowScratch & scratch, const SegmentWay & way,
    PriorityWindow & result)
  : model_(model),
    streams_(streams),
    segments_(segments),
    terms_(terms),
    level_(model, segments, result.tasks, terms),
    result_(result),
    window_(result.window),
    links_(way.links),
    stream_(way.stream),
    work_(scratch.work),
    value_(scratch.value),
    overhead_(scratch.overhead),
    late_(scratch.late),
    started_(scratch.started),
    set_of_(scratch.set_of)
  {
  }

  Refusal build()
  {
    Refusal refusal = refuse_surroundings(model_, streams_, segments_, level_, result_.tasks);
    if (!refusal) {
      find_work();
      find_gaps();
      add_blocking();
      add_work();
      add_started();
      add_own();
      add_others();
      add_reservations();
      clean();
    }
    return refusal;
  }

private:
  const Task & task(Index index) const { return model_.tasks[index]; }
  const Thread & thread_of(Index index) const { return model_.threads[segments_.thread(index)]; }

  /// True if a run of the task may preempt the segment's last task. Tasks of the same thread
  /// cannot.
  bool preempts(Index index) const
  {
    const Index own = segments_.thread(result_.tasks.back());
    return terms_.begun && segments_.thread(index) != own &&
           thread_of(index).priority >= model_.threads[own].priority;
  }

  /// True if the stream that the segment ends has the same activations as its source, with the same
  /// numbers.
  bool counts_alike() const
  {
    return std::all_of(result_.inputs.begin(), result_.inputs.end(), [&](Index input) {
      const auto & after = streams_.after(streams_.all()[input].task);
      return std::any_of(after.begin(), after.end(), [&](Index complete) {
        return streams_.counted_from(complete) == input;
      });
    });
  }

  /// The cost of each run. `add_set` adds the further cost of runs that complete a set.
  Ns cost_of_run(Index index) const
  {
    return task(index).newest ? task(index).store : task(index).cost();
  }

  Ns overhead(Index index) const { return add(task(index).dispatch, task(index).middleware); }
  Ns overhead_of_run(Index index) const { return std::min(cost_of_run(index), overhead(index)); }

  void find_work()
  {
    for (const Index index : segments_.on(level_.core())) {
      work_[index] = level_.contains(index);
    }
    for (const Index index : result_.tasks) {
      work_[index] = true;
    }
  }

  // Finds out whether messages of W may be under way in the window. Meanwhile the core may do less
  // urgent work.
  void find_gaps()
  {
    if (!segments_.any_under_way()) {
      return;
    }
    for (const Index index : segments_.on(level_.core())) {
      for (const Segments::Next & next : segments_.next(index)) {
        gaps_ = gaps_ || (work_[index] && work_[next.task] && next.delay > 0);
      }
    }
  }

  /// The time that counts for a message that is under way within W.
  Ns under_way(const Segments::Next & next) const
  {
    return next.delay > 0 && terms_.under_way
             ? add(next.delay, add(window_.blocking, window_.ceiling))
             : 0;
  }

  /// True if less urgent senders on this link can only have run before the window.
  bool had_begun(const Link & link) const { return !gaps_ && link.delay == 0; }

  void clean()
  {
    for (const Index index : segments_.on(level_.core())) {
      work_[index] = false;
      value_[index] = overhead_[index] = late_[index] = started_[index] = 0;
      set_of_[index] = kNone;
    }
  }

  Index root(Index stream) const { return streams_.all()[stream].root; }
  bool comes_after(Index stream) const
  {
    return counts_alike() && streams_.comes_after(stream, stream_);
  }

  /// True if only the window's own source starts the task. False for a task with sets: several
  /// sources start it, or it works late.
  bool related(Index index) const
  {
    const std::vector<Index> & streams = streams_.of(index);
    return !streams.empty() && !task(index).newest &&
           std::all_of(streams.begin(), streams.end(), [&](Index stream) {
             return root(stream) == root(result_.head_stream);
           });
  }

  /// Only one less urgent task can have been running at the window's beginning, except for tasks
  /// that take no time or wait. It keeps the segment's thread until its end, or it has just started
  /// work of W.
  void add_started()
  {
    const std::vector<Index> & here = segments_.on(level_.core());
    const bool several = gaps_ || std::any_of(here.begin(), here.end(), [&](Index index) {
                           return task(index).may_wait();
                         });
    if (!several) {
      window_.blocking = 0;
      window_.blocker = kNone;
    }
    for (const Index index : here) {
      if (work_[index]) {
        continue;
      }
      if (several || task(index).cost() == 0) {
        window_.once = add(window_.once, started_[index]);
        continue;
      }
      const bool keeps = terms_.blocking && segments_.thread(index) == level_.thread();
      const Ns cost = keeps ? task(index).cost() : 0;
      if (related(index)) {
        add_blocker(index, cost);
      } else if (add(cost, started_[index]) > add(window_.blocking, window_.started)) {
        window_.blocking = cost;
        window_.started = started_[index];
        window_.blocker = index;
      }
    }
  }

  void add_blocker(Index index, Ns cost)
  {
    if (cost == 0 && started_[index] == 0) {
      return;
    }
    RelatedBlocker blocker{index, cost, started_[index], window_.period, {}};
    for (const Index stream : streams_.of(index)) {
      blocker.from.push_back({stream, comes_after(stream), 0});
    }
    window_.blockers.push_back(std::move(blocker));
  }

  void add_blocking()
  {
    for (const Index index : segments_.tasks_of(level_.thread())) {
      if (terms_.blocking && !work_[index] && task(index).cost() > window_.blocking) {
        window_.blocking = task(index).cost();
        window_.blocker = index;
      }
    }
    for (const Index index : segments_.threads_on(level_.core())) {
      const Thread & thread = model_.threads[index];
      if (terms_.ceiling && thread.ceiling != 0 && !level_.competes(thread)) {
        window_.ceiling = std::max(window_.ceiling, most_middleware(model_, segments_, index));
      }
    }
  }

  /// Finds the cost of one run of each task of W, with all work of W that the run starts. Then adds
  /// entries for the sources of the tasks.
  void add_work()
  {
    const std::vector<Index> & here = segments_.on(level_.core());
    for (auto at = here.rbegin(); at != here.rend(); ++at) {
      if (work_[*at]) {
        value_[*at] = cost_of_run(*at);
        overhead_[*at] = overhead_of_run(*at);
        late_[*at] = preempts(*at) ? cost_of_run(*at) : 0;
        for (const Segments::Next & next : segments_.next(*at)) {
          // `add_set` adds the work that a set starts.
          if (work_[next.task] && !task(*at).newest) {
            value_[*at] = add(value_[*at], add(value_[next.task], under_way(next)));
            overhead_[*at] = add(overhead_[*at], overhead_[next.task]);
            late_[*at] = preempts(*at) ? add(late_[*at], late_[next.task]) : 0;
          }
        }
      }
    }
    for (const Index index : here) {
      if (work_[index]) {
        add_entries(index);
      }
    }
  }

  void add_entries(Index index)
  {
    if (!segments_.only_local(index) || segments_.any_under_way()) {
      for (const Index id : streams_.of(index)) {
        const Stream & stream = streams_.all()[id];
        if (!counted_by_sender(stream) && id != result_.head_stream) {
          window_.entries.push_back({index, id, stream.period, 0, value_[index]});
          Entry & entry = window_.entries.back();
          entry.late = late_[index];
          entry.related = root(id) == root(result_.head_stream);
          entry.comes_after = entry.related && comes_after(id);
        }
      }
    }
    if (streams_.set(index) != nullptr) {
      add_set(*streams_.set(index));
    }
    // The segment's own costs count all of its activations. If no other way leads to its first
    // task, they also count the activation that such a run started before the window.
    const bool counted = index == result_.tasks.front() && streams_.of(index).size() == 1;
    if (counted || !segments_.some_local(index)) {
      return;
    }
    for (const Link & link : task(index).triggers) {
      if (terms_.once && !work_[link.from] && segments_.local(link, index) && had_begun(link)) {
        started_[link.from] = add(started_[link.from], value_[index]);
      }
    }
  }

  /// True if the runs of the sender count the stream: the sender belongs to W, or its run had
  /// begun.
  bool counted_by_sender(const Stream & stream) const
  {
    if (stream.from.empty()) {
      return false;
    }
    const Link & link = task(stream.task).triggers[stream.from.front().link];
    return segments_.local(link, stream.task) && (work_[link.from] || had_begun(link));
  }

  /// Adds the work of runs that complete the set, beyond that of all runs, and the work that they
  /// start here.
  void add_set(const MessageSet & set)
  {
    const Index index = set.task;
    Ns work = task(index).cost() - task(index).store;
    Ns of_overhead = overhead(index) - overhead_of_run(index);
    Ns late = preempts(index) ? work : 0;
    for (const Segments::Next & next : segments_.next(index)) {
      work = add(work, work_[next.task] ? value_[next.task] : 0);
      of_overhead = add(of_overhead, work_[next.task] ? overhead_[next.task] : 0);
      late = preempts(index) && work_[next.task] ? add(late, late_[next.task]) : late;
    }
    for (const Index id : streams_.after(index)) {
      window_.entries.push_back({index, id, streams_.all()[id].period, 0, work});
      window_.entries.back().overhead = of_overhead;
      window_.entries.back().late = late;
    }
    if (streams_.after(index).size() > 1) {
      return;  // each counts for itself
    }
    window_.entries.back().set = set_of_[index] = window_.sets.size();
    WindowSet found;
    for (const auto & topic : set.topics) {
      found.topics.emplace_back();
      for (const Index input : topic) {
        found.topics.back().push_back(origin(input));
      }
    }
    window_.sets.push_back(std::move(found));
  }

  /// The stream or set that decides how often a stream's message comes in the window.
  WindowSet::Input origin(Index id) const
  {
    for (;;) {
      const Stream & stream = streams_.all()[id];
      if (stream.from.size() != 1) {
        return {id, kNone};
      }
      const Link & link = task(stream.task).triggers[stream.from.front().link];
      if (!segments_.local(link, stream.task)) {
        return {id, kNone};
      }
      if (!work_[link.from]) {
        return had_begun(link) ? WindowSet::Input{kNone, kNone} : WindowSet::Input{id, kNone};
      }
      id = stream.from.front().stream;
      if (streams_.all()[id].set == id) {
        return set_of_[link.from] == kNone ? WindowSet::Input{id, kNone}
                                           : WindowSet::Input{kNone, set_of_[link.from]};
      }
    }
  }

  /// True if, once both are pending, `later` goes before any run of `earlier` that has not begun.
  bool dominates(Index later, Index earlier) const
  {
    const Thread & a = thread_of(later);
    const Thread & b = thread_of(earlier);
    return a.priority > b.priority || (segments_.thread(later) == segments_.thread(earlier) &&
                                       segments_.level(later) > segments_.level(earlier));
  }

  /// The position of the segment's first task whose run completes a set. The entry of the set
  /// counts the tasks after it. Without such a task: the number of tasks.
  Index first_set() const
  {
    const std::vector<Index> & own = result_.tasks;
    if (result_.inputs.empty()) {
      return own.size();
    }
    const Index task = streams_.all()[result_.inputs.back()].task;
    return static_cast<Index>(std::find(own.begin(), own.end(), task) - own.begin());
  }

  /// True if this message starts the segment's next task.
  bool goes_on(const Segments::Next & next, Index position) const
  {
    const std::vector<Index> & own = result_.tasks;
    return position + 1 < own.size() && next.task == own[position + 1] &&
           next.link == links_[position + 1];
  }

  void add_own()
  {
    const std::vector<Index> & own = result_.tasks;
    // The last of the tasks that are counted here.
    const Index last = std::min(first_set(), own.size() - 1);
    std::vector<Ns> to_next(own.size(), 0);
    // the first task behind the last message that is under way for a while
    Index after_messages = 0;
    for (Index i = 0; i < last; ++i) {
      for (const Segments::Next & next : segments_.next(own[i])) {
        if (goes_on(next, i) && next.delay > 0) {
          to_next[i] = under_way(next);
          after_messages = i + 1;
        }
      }
    }
    // Between this task and the segment's end no later activation can overtake. Before this task
    // later activations may overtake, at most up to the last message under way.
    Index least = own.size() - 1;
    for (Index i = own.size() - 1; i-- > after_messages;) {
      const bool below = std::all_of(
        own.begin() + static_cast<std::ptrdiff_t>(i) + 1, own.end(),
        [&](Index later) { return dominates(later, own[i]); });
      if (below) {
        least = i;
      }
    }
    for (Index i = 0; i <= last; ++i) {
      const bool overtaken = i < least && terms_.overtaking;
      Ns & cost = overtaken ? window_.before : window_.after;
      Ns & of_cost = overtaken ? window_.before_overhead : window_.after_overhead;
      cost = add(cost, cost_of_run(own[i]));
      of_cost = add(of_cost, overhead_of_run(own[i]));
      Ns & on_way = overtaken ? window_.before_under_way : window_.after_under_way;
      cost = add(cost, to_next[i]);
      on_way = add(on_way, to_next[i]);
      for (const Segments::Next & after : segments_.next(own[i])) {
        const Index next = after.task;
        if (!work_[next] || task(own[i]).newest || goes_on(after, i)) {
          continue;
        }
        // Work that the last task starts on its own thread waits for the end of that task.
        const bool after_it =
          i + 1 == own.size() && segments_.thread(next) == segments_.thread(own[i]);
        Ns & forked = after_it ? window_.forked : cost;
        Ns & of_forked = after_it ? window_.forked_overhead : of_cost;
        forked = add(forked, add(value_[next], under_way(after)));
        of_forked = add(of_forked, overhead_[next]);
      }
    }
    if (first_set() < own.size()) {
      spare_what_follows();
    }
    add_last();
    add_late(std::min(least, last + 1));
  }

  /// Adds the last run from its pick on, and the work that it starts on more urgent threads.
  void add_last()
  {
    const Index end = result_.tasks.back();
    const bool keeps = task(end).newest && !completes();
    const Ns run = cost_of_end();
    window_.last = run - task(end).before_pick(run);
    for (const Segments::Next & next : segments_.next(end)) {
      if (work_[next.task] && !keeps && segments_.thread(next.task) != segments_.thread(end)) {
        const Ns on_way = task(end).newest ? 0 : under_way(next);
        window_.last = add(window_.last, add(value_[next.task], on_way));
      }
    }
  }

  /// Adds the work that may delay the last run after that run has begun: the tasks before `least`
  /// of later activations.
  void add_late(Index least)
  {
    const std::vector<Index> & own = result_.tasks;
    for (Index i = 0; i < least && terms_.overtaking && preempts(own[i]); ++i) {
      window_.before_late = add(window_.before_late, cost_of_run(own[i]));
      for (const Segments::Next & next : segments_.next(own[i])) {
        if (work_[next.task] && !task(own[i]).newest && !goes_on(next, i)) {
          window_.before_late = add(window_.before_late, late_[next.task]);
        }
      }
    }
  }

  /// True if the segment ends with a run that completes a set.
  bool completes() const
  {
    return !result_.inputs.empty() &&
           streams_.all()[result_.inputs.front()].task == result_.tasks.back();
  }

  /// The cost of the run with which the segment ends.
  Ns cost_of_end() const
  {
    return completes() ? task(result_.tasks.back()).cost() : cost_of_run(result_.tasks.back());
  }

  /// For a segment whose set has an entry: one of the complete sets is the segment's own. The work
  /// that this one starts on the segment's thread comes after the segment.
  void spare_what_follows()
  {
    const Index last = result_.tasks.back();
    if (task(last).newest && !completes()) {
      return;  // the run only keeps its message
    }
    for (const Segments::Next & next : segments_.next(last)) {
      if (work_[next.task] && segments_.thread(next.task) == segments_.thread(last)) {
        window_.spared = add(window_.spared, value_[next.task]);
        window_.spared_overhead = add(window_.spared_overhead, overhead_[next.task]);
      }
    }
  }

  void add_others()
  {
    for (Index i = 0; i < model_.others.size(); ++i) {
      const OtherLoad & other = model_.others[i];
      if (level_.competes(other)) {
        // On several cores it may bring work that waited on another core.
        const Ns jitter = other.cores.size() > 1 ? other.period : 0;
        window_.entries.push_back({kNone, kNone, other.period, jitter, other.time});
        window_.entries.back().other = i;
        const Thread & own = thread_of(result_.tasks.back());
        window_.entries.back().late =
          terms_.begun && other.priority >= own.priority ? other.time : 0;
      }
    }
  }

  /// All cost of the entries from `first` on may delay the segment's last run after that run has
  /// begun.
  void whole_late(std::size_t first)
  {
    for (std::size_t i = first; i < window_.entries.size() && terms_.begun; ++i) {
      window_.entries[i].late = window_.entries[i].cost;
    }
  }

  /// Reservations count as a whole, whatever the tasks of their threads do.
  void add_reservations()
  {
    for (const Index index : segments_.threads_on(level_.core())) {
      const Thread & thread = model_.threads[index];
      if (thread.kind != ThreadClass::deadline || !terms_.reservations) {
        continue;
      }
      const std::size_t first = window_.entries.size();
      const Taken taken = taken_by(thread.reservation);
      window_.entries.push_back({kNone, kNone, taken.period, taken.jitter, taken.cost, index});
      const Ns switches = switches_by(thread.reservation);
      if (switches == 0) {
        whole_late(first);
        continue;
      }
      window_.entries.push_back(
        {kNone, kNone, kUnbounded, 0, thread.reservation.context_switch, index});
      window_.entries.push_back({kNone, kNone, taken.period, 0, switches, index});
      for (const Index woken : segments_.tasks_of(index)) {
        for (const Index stream : streams_.of(woken)) {
          window_.entries.push_back(
            {woken, stream, streams_.all()[stream].period, 0, switches, index});
        }
      }
      whole_late(first);
    }
  }

  const Model & model_;
  const Streams & streams_;
  const Segments & segments_;
  const PriorityTerms & terms_;
  const PriorityLevel level_;
  PriorityWindow & result_;
  BusyWindow & window_;
  const std::vector<Index> & links_;  // the links that start the segment's tasks
  const Index stream_;                // the stream that the segment ends
  std::vector<char> & work_;
  std::vector<Ns> & value_;
  std::vector<Ns> & overhead_;
  std::vector<Ns> & late_;
  std::vector<Ns> & started_;
  std::vector<Index> & set_of_;
  bool gaps_ = false;
};

}  // namespace

Result<PriorityWindow> priority_window(
  const Model & model, const Streams & streams, const Segments & segments, SegmentWay way,
  const PriorityTerms & terms, WindowScratch & scratch)
{
  PriorityWindow result;
  result.tasks = std::move(way.tasks);
  result.inputs = std::move(way.inputs);
  Refusal refusal = refuse_places(model, result.tasks);
  if (!refusal) {
    result.head_stream = way.head_stream;
    result.window.period = streams.all()[result.head_stream].period;
    result.window.stream = result.head_stream;
    refusal = Builder(model, streams, segments, terms, scratch, way, result).build();
  }
  if (refusal) {
    return Faults{*refusal};
  }
  return result;
}

}  // namespace takt_plan::detail
