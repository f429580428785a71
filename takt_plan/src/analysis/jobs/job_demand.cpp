// The time that jobs outside of a segment take from its core: demand of a level, blocking, and
// other loads.
#include "analysis/jobs/job_windows.hpp"

#include <algorithm>
#include <limits>

namespace takt_plan::detail
{

// The number of runs that count. `moved`: the segment of look_for comes so many hyperperiods later.
std::int64_t JobWindows::runs_of(
  const Level & level, const Sparse & one, Ns begin, Ns end, std::int64_t moved) const
{
  const Index node = level.work[one.place];
  const JobTimes & from = windows_[node].from;
  const Sought & sought = sought_[node];
  if (sought.released_by != kUnbounded) {
    end = std::min(end, sought.released_by - moved * graph_.hyperperiod + 1);
  }
  const std::int64_t first = (terms_.latest ? level.entry[one.place] : from).before(begin);
  std::int64_t last = from.before(end);
  const std::int64_t shift = moved * graph_.nodes[node].jobs;
  if (sought.delays_below != Sought::kNever) {
    last = std::min(last, sought.delays_below - shift);
  }
  std::int64_t count = std::max<std::int64_t>(last - first, 0);
  if (sought.own != Sought::kNever && sought.own - shift >= first && sought.own - shift < last) {
    --count;
  }
  return std::min<std::int64_t>(
    count, arrivals(end - begin, graph_.nodes[node].distance, one.jitter));
}

Ns JobWindows::sparse_load(
  const Level & level, bool above, Ns begin, Ns end, std::int64_t moved) const
{
  Ns all = 0;
  for (const Sparse & one : level.sparse) {
    if (one.above == above) {
      all = add(all, multiply(one.cost, runs_of(level, one, begin, end, moved)));
    }
  }
  return all;
}

// The loads of all sparse nodes, on more urgent threads and on others.
Ns JobWindows::sparse_loads(const Level & level, Ns begin, Ns end, std::int64_t moved)
{
  looks_ += static_cast<std::int64_t>(level.sparse.size());
  return add(
    sparse_load(level, false, begin, end, moved), sparse_load(level, true, begin, end, moved));
}

// Sets the segment whose end is wanted, on one core; empty: no segment.
void JobWindows::look_for(const std::vector<Job> & segment)
{
  starter_ = {};
  if (segment.empty()) {
    std::fill(sought_.begin(), sought_.end(), Sought{});
    return;
  }
  const Job & last = segment.front();
  for (const Index node : on_[graph_.levels[graph_.nodes[last.node].level].core]) {
    sought_[node] = Sought{};
  }
  for (const Index node : following_[last.node]) {
    sought_[node].delays_below = last.number;
  }
  for (const Job & job : segment) {
    for (const Index node : following_[job.node]) {
      sought_[node].begun_below = std::min(sought_[node].begun_below, job.number);
    }
    sought_[job.node].own = job.number;
  }
  find_overtaken(segment);
}

// Finds the latest release with which a job may precede the segment's end. From the release of one
// of the segment's jobs on, the rest of the segment is pending, and a job that is less urgent than
// all of the rest waits. So does a job of the same thread that is as urgent as the last one and was
// released later.
void JobWindows::find_overtaken(const std::vector<Job> & segment)
{
  overtaking_.clear();  // levels fall, and so do times
  for (const Job & job : segment) {
    const JobNode & own = graph_.nodes[job.node];
    const Ns latest = windows_[job.node].latest.at(job.number);
    if (overtaking_.empty()) {
      overtaking_.push_back({own.level, latest});
      for (const Index node : of_level_[own.level]) {
        const JobLevel & level = graph_.levels[own.level];
        if (!level.shared && (!level.sequences || !terms_.sequences)) {
          sought_[node].released_by = latest;
        }
      }
    }
    Overtaking & least = overtaking_.back();
    const Ns earlier = std::min(least.latest, latest);
    if (graph_.levels[least.level].above(graph_.levels[own.level])) {
      overtaking_.push_back({own.level, earlier});
    } else {
      least.latest = earlier;
    }
    const bool under_way = std::any_of(
      own.from.begin(), own.from.end(), [](const JobNode::From & from) { return from.delay > 0; });
    if (under_way) {
      break;  // no job of the segment is pending meanwhile
    }
  }
  // The last level that a node is below counts.
  auto at = overtaking_.rbegin();
  for (const Index node : rising_[graph_.levels[overtaking_.front().level].core]) {
    const JobLevel & level = graph_.levels[graph_.nodes[node].level];
    while (at != overtaking_.rend() && !graph_.levels[at->level].above(level)) {
      ++at;
    }
    if (at == overtaking_.rend()) {
      return;
    }
    sought_[node].released_by = std::min(sought_[node].released_by, at->latest);
  }
}

// True if the job delays the segment: it is not a job of the segment, does not wait for the
// segment's end, and may precede it although it is released at `from` or later.
bool JobWindows::counts(const Job & job, Ns from) const
{
  const Sought & sought = sought_[job.node];
  return all_count_ || (job.number < sought.delays_below && job.number != sought.own &&
                        from <= sought.released_by);
}

JobWindows::Demand JobWindows::demand(
  Index index, const Begin & at, const std::vector<Arrival> & open, std::int64_t moved)
{
  const Level & level = levels_[index];
  Demand result;
  result.begin = at.time;
  result.moved = moved;
  looks_ += static_cast<std::int64_t>(at.open_end - at.open);
  for (std::size_t i = at.open; i < at.open_end; ++i) {
    const Arrival & arrival = open[i];
    const Job job{
      arrival.job.node, arrival.job.number + moved * graph_.nodes[arrival.job.node].jobs};
    if (counts(job, arrival.from + moved * graph_.hyperperiod)) {
      (arrival.above ? result.above : result.same) += arrival.cost;
    }
  }
  result.turn = floor_div(at.time, graph_.hyperperiod);
  result.next = static_cast<std::size_t>(
    std::lower_bound(
      level.arrivals.begin(), level.arrivals.end(), at.time - result.turn * graph_.hyperperiod,
      [](const Arrival & arrival, Ns time) { return arrival.from < time; }) -
    level.arrivals.begin());
  return result;
}

// Adds the jobs that may be released before `end`.
void JobWindows::go_on(const Level & level, Ns end, Demand & demand)
{
  while (!level.arrivals.empty()) {
    if (demand.next == level.arrivals.size()) {
      demand.next = 0;
      ++demand.turn;
    }
    const Arrival & arrival = level.arrivals[demand.next];
    const Ns shift = demand.turn * graph_.hyperperiod;
    if (arrival.from + shift >= end) {
      return;
    }
    ++demand.next;
    ++looks_;
    const Job job{
      arrival.job.node,
      arrival.job.number + (demand.turn + demand.moved) * graph_.nodes[arrival.job.node].jobs};
    if (
      arrival.entry + shift >= demand.begin &&
      counts(job, arrival.from + (demand.turn + demand.moved) * graph_.hyperperiod)) {
      (arrival.above ? demand.above : demand.same) += arrival.cost;
    }
  }
}

// The first job of the node that cannot have begun before the segment of look_for, because a job of
// the segment starts it. The segment comes `moved` hyperperiods later.
std::int64_t JobWindows::begun_below(Index node, std::int64_t moved) const
{
  const std::int64_t below = sought_[node].begun_below;
  return below == Sought::kNever || all_count_ ? Sought::kNever
                                               : below - moved * graph_.nodes[node].jobs;
}

// The nodes of the work that the run's job starts at `from` or later.
std::vector<Index> JobWindows::started(
  const Level & level, const Below & below, std::int64_t job, Ns from, std::int64_t moved) const
{
  std::vector<Index> places;
  for (const Index place : below.started) {
    const Index node = level.work[place];
    const Job one{node, job + moved * graph_.nodes[node].jobs};
    if (
      level.entry[place].at(job) >= from &&
      counts(one, windows_[node].from.at(job) + moved * graph_.hyperperiod)) {
      places.push_back(place);
    }
  }
  return places;
}

JobWindows::Begun JobWindows::begun(
  const Level & level, const Below & below, std::int64_t job, Ns from, std::int64_t moved) const
{
  Begun found;
  if (below.same_thread && terms_.blocking) {
    found.blocked =
      std::clamp<Ns>(windows_[below.node].end.at(job) - from, 0, graph_.nodes[below.node].run);
  }
  if (terms_.started && !below.started.empty()) {
    for (const Index place : started(level, below, job, from, moved)) {
      found.started += graph_.nodes[level.work[place]].cost;
    }
  }
  return found;
}

// True if the job belongs to a less urgent timer of the level's thread, and is released at this
// moment together with a more urgent one.
bool JobWindows::behind_timer(const Level & level, Index index, std::int64_t job, Ns moment) const
{
  if (!is_punctual(index) || windows_[index].earliest.at(job) != moment) {
    return false;
  }
  return std::any_of(level.punctual.begin(), level.punctual.end(), [&](Index other) {
    const JobNode & node = graph_.nodes[other];
    const std::int64_t number = floor_div(moment - node.offset, node.period);
    return node.offset + number * node.period == moment &&
           node.offset <= graph_.nodes[index].offset &&
           windows_[other].may_miss[within(number, node.jobs)] == 0;
  });
}

// The longest time that a less urgent run, which had begun, takes from a moment in [from, to] on,
// together with the work that it starts. If its job has an end, `begin` gets the job.
Ns JobWindows::blocking(Index index, Ns from, Ns to, std::int64_t moved, Begin * begin) const
{
  const Level & level = levels_[index];
  Ns most = 0;
  for (const Below & below : level.below) {
    const Index node = below.node;
    const JobWindow & window = windows_[node];
    const Ns run = below.same_thread && terms_.blocking ? graph_.nodes[node].run : 0;
    const bool starts = !below.started.empty();
    const bool other = !all_count_ && starter_.node != kNone && starter_.node != node;
    if ((run <= most && !starts) || other) {
      continue;
    }
    if (!ends_[node]) {
      most = std::max(most, run);
      if (begin != nullptr && most == run) {
        begin->blocker = {node, 0};
      }
      continue;
    }
    std::int64_t first = ended_[node].before(starts ? from : from + most + 1);
    for (const Index place : below.started) {
      // Ends may have moved since the entries were found. A job that has not entered counts,
      // because otherwise no beginning would have it.
      first = std::min(first, level.entry[place].before(from));
    }
    std::int64_t last = std::min(window.from.before(to + 1), begun_below(node, moved));
    if (starter_.node != kNone && !all_count_) {
      const std::int64_t own = starter_.number - moved * graph_.nodes[node].jobs;
      first = std::max(first, own);
      last = std::min(last, own + 1);
    }
    for (std::int64_t job = first; (starts || most < run) && job < last; ++job) {
      const bool behind = below.same_thread && from == to && behind_timer(level, node, job, from);
      if (window.earliest.at(job) > to || behind) {
        continue;
      }
      const Ns time = begun(level, below, job, from, moved).time();
      if (time > most) {
        most = time;
        if (begin != nullptr) {
          begin->blocker = {node, job};
          begin->started = starts;
        }
      }
    }
  }
  return most;
}

// Finds the less urgent run that starts the segment, if there is one.
void JobWindows::find_starter(const Level & level, const std::vector<Job> & segment)
{
  const Job & first = segment.back();
  starter_ = {level.starter[level.place[first.node]], first.number};
}

// The work of one of Model::others in an interval of `length`.
Ns JobWindows::other_load(Index other, Ns length) const
{
  const OtherLoad & load = model_.others[other];
  // On several cores it may bring work that waited on another core.
  const Ns jitter = load.cores.size() > 1 ? load.period : 0;
  return multiply(load.time, arrivals(length, load.period, jitter));
}

Ns JobWindows::other_loads(Index index, Ns length) const
{
  Ns all = 0;
  for (const Index other : graph_.others[levels_[index].of]) {
    all = add(all, other_load(other, length));
  }
  return all;
}

}  // namespace takt_plan::detail
