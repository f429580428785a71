// What jobs that are not of a segment take from its core: demand of a level, blocking, and loads of others.
#include "analysis/jobs/job_windows.hpp"

#include <algorithm>
#include <limits>

namespace takt_plan::detail
{

// How often it counts; of the segment that look_for knows, `moved` hyperperiods later.
std::int64_t JobWindows::runs_of(
  const Level & level, const Sparse & one, Ns begin, Ns end, std::int64_t moved) const
{
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  const Index node = level.work[one.place];
  const JobTimes & from = windows_[node].from;
  if (released_by_[node] != kUnbounded) {
    end = std::min(end, released_by_[node] - moved * graph_.hyperperiod + 1);
  }
  const std::int64_t first = (terms_.latest ? level.entry[one.place] : from).before(begin);
  std::int64_t last = from.before(end);
  const std::int64_t shift = moved * graph_.nodes[node].jobs;
  if (delays_below_[node] != kNever) {
    last = std::min(last, delays_below_[node] - shift);
  }
  std::int64_t count = std::max<std::int64_t>(last - first, 0);
  if (own_[node] != kNever && own_[node] - shift >= first && own_[node] - shift < last) {
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

// Those above and those not.
Ns JobWindows::sparse_loads(const Level & level, Ns begin, Ns end, std::int64_t moved)
{
  looks_ += static_cast<std::int64_t>(level.sparse.size());
  return add(
    sparse_load(level, false, begin, end, moved), sparse_load(level, true, begin, end, moved));
}

// Jobs of that segment are looked for; empty: of none.
void JobWindows::look_for(const std::vector<Job> & segment)
{
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  std::fill(delays_below_.begin(), delays_below_.end(), kNever);
  std::fill(own_.begin(), own_.end(), kNever);
  std::fill(begun_below_.begin(), begun_below_.end(), kNever);
  std::fill(released_by_.begin(), released_by_.end(), kUnbounded);
  for (const Job & job : segment) {
    own_[job.node] = job.number;
  }
  find_overtaken(segment);
  for (Index node = 0; !segment.empty() && node < graph_.nodes.size(); ++node) {
    if (follows(node, segment.front().node)) {
      delays_below_[node] = segment.front().number;
    }
    for (const Job & job : segment) {
      if (follows(node, job.node)) {
        begun_below_[node] = std::min(begun_below_[node], job.number);
      }
    }
  }
}

// Until when a job must have been released to go before the segment's end: from the release of one of the segment's jobs on,
// the last ones of the segment are pending, and what is less urgent than all of these waits. So does what is as urgent as the
// last one, on its thread, and comes behind it.
void JobWindows::find_overtaken(const std::vector<Job> & segment)
{
  Index least = kNone;
  for (const Job & job : segment) {
    const JobNode & own = graph_.nodes[job.node];
    const bool last = least == kNone;
    if (last || graph_.levels[least].above(graph_.levels[own.level])) {
      least = own.level;
    }
    const JobLevel & level = graph_.levels[least];
    const Ns latest = windows_[job.node].latest.at(job.number);
    for (Index node = 0; node < graph_.nodes.size(); ++node) {
      const Index other = graph_.nodes[node].level;
      if (
        graph_.levels[other].core == level.core &&
        (level.above(graph_.levels[other]) || (last && other == least && !level.shared))) {
        released_by_[node] = std::min(released_by_[node], latest);
      }
    }
    const bool under_way = std::any_of(
      own.from.begin(), own.from.end(), [](const JobNode::From & from) { return from.delay > 0; });
    if (under_way) {
      return;  // nothing of the segment is pending meanwhile
    }
  }
}

// Whether the job delays the segment: it is not of the segment, does not wait for the segment's end, and may go before it
// though released at `from` at the earliest.
bool JobWindows::counts(const Job & job, Ns from) const
{
  return job.number < delays_below_[job.node] && job.number != own_[job.node] &&
         from <= released_by_[job.node];
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

// Adds what may be released before `end`.
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

// Jobs of the node from that number on cannot have begun before the segment that look_for knows: some of it starts them. It is
// `moved` hyperperiods later.
std::int64_t JobWindows::begun_below(Index node, std::int64_t moved) const
{
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  return begun_below_[node] == kNever ? kNever
                                      : begun_below_[node] - moved * graph_.nodes[node].jobs;
}

// What one run of the thread, which had begun, takes at most from a moment in [from, to] on; `blocker`: its job, if the job
// has an end.
Ns JobWindows::blocking(Index index, Ns from, Ns to, std::int64_t moved, Job * blocker) const
{
  Ns most = 0;
  for (const Index node : levels_[index].blockers) {
    const JobWindow & window = windows_[node];
    const Ns run = graph_.nodes[node].run;
    if (run <= most || !terms_.blocking) {
      continue;
    }
    if (!ends_[node]) {
      most = run;
      if (blocker != nullptr) {
        *blocker = {node, 0};
      }
      continue;
    }
    const std::int64_t last = std::min(window.from.before(to + 1), begun_below(node, moved));
    for (std::int64_t job = ended_[node].before(from + most + 1); most < run && job < last; ++job) {
      const Ns left = std::min(run, window.end.at(job) - from);
      if (window.earliest.at(job) <= to && left > most) {
        most = left;
        if (blocker != nullptr) {
          *blocker = {node, job};
        }
      }
    }
  }
  return most;
}

// What one of Model::others brings in `length`.
Ns JobWindows::other_load(Index other, Ns length) const
{
  const OtherLoad & load = model_.others[other];
  // It may bring what waited elsewhere.
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
