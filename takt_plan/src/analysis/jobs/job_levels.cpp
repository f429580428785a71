// The work of a level of urgency: its jobs by their releases, their entries, and the intervals in
// which the core is busy with them.
#include "analysis/jobs/job_windows.hpp"

#include <algorithm>

#include "analysis/jobs/sort_by_time.hpp"

namespace takt_plan::detail
{

JobWindows::Level JobWindows::level_of(Index level, bool under_way) const
{
  const JobLevel & own = graph_.levels[level];
  Level result;
  result.of = level;
  result.under_way = under_way;
  result.place.assign(graph_.nodes.size(), kNone);
  Ns work = 0;
  for (Index node = 0; node < graph_.nodes.size(); ++node) {
    const JobLevel & other = graph_.levels[graph_.nodes[node].level];
    if (other.core != own.core) {
      continue;
    }
    if (!own.above(other)) {
      result.place[node] = result.work.size();
      result.work.push_back(node);
      const JobNode & of = graph_.nodes[node];
      work = add(work, multiply(of.cost, of.unphased ? graph_.hyperperiod / of.distance : of.jobs));
    }
  }
  find_below(result);
  find_punctual(result);
  result.endless = result.overloaded = work > graph_.hyperperiod;
  result.unused = under_way;
  for (const Index node : result.work) {
    const auto & from = graph_.nodes[node].from;
    result.unused = result.unused && !(comes_within(result, node) && from.front().delay > 0);
  }
  result.more.resize(result.work.size());
  return result;
}

// Finds the less urgent nodes of the core that keep the level's thread, or start some of the work.
// While a message is under way within the work, the core may do other less urgent work. So the jobs
// that this work starts come by themselves.
void JobWindows::find_below(Level & level) const
{
  const JobLevel & own = graph_.levels[level.of];
  level.starter.assign(level.work.size(), kNone);
  for (Index place = 0; place < level.work.size() && !level.under_way; ++place) {
    const JobNode & node = graph_.nodes[level.work[place]];
    if (node.unphased || node.from.size() != 1) {
      continue;
    }
    const Index from = node.from.front().node;
    if (level.place[from] != kNone) {
      level.starter[place] =
        comes_within(level, level.work[place]) ? level.starter[level.place[from]] : kNone;
    } else if (
      node.from.front().delay == 0 && graph_.nodes[from].run > 0 &&
      graph_.levels[graph_.nodes[from].level].core == own.core) {
      level.starter[place] = from;
    }
  }
  for (const Index node : on_[own.core]) {
    if (level.place[node] != kNone) {
      continue;
    }
    Below below{node, graph_.levels[graph_.nodes[node].level].urgency == own.urgency, {}};
    for (Index place = 0; place < level.work.size(); ++place) {
      if (level.starter[place] == node) {
        below.started.push_back(place);
      }
    }
    if (below.same_thread || !below.started.empty()) {
      Ns most = below.same_thread ? graph_.nodes[node].run : 0;
      for (const Index place : below.started) {
        most += graph_.nodes[level.work[place]].cost;
      }
      level.most_blocking = std::max(level.most_blocking, most);
      level.below.push_back(std::move(below));
    }
  }
}

void JobWindows::find_punctual(Level & level) const
{
  const JobLevel & own = graph_.levels[level.of];
  for (const Index node : level.work) {
    if (
      !own.shared && graph_.levels[graph_.nodes[node].level].urgency == own.urgency &&
      is_punctual(node)) {
      level.punctual.push_back(node);
    }
  }
}

// True for a timer that is released at known moments.
bool JobWindows::is_punctual(Index index) const
{
  const JobNode & node = graph_.nodes[index];
  return is_source(node) && !node.unphased && node.jitter == 0 && model_.tasks[node.task].timer &&
         !model_.tasks[node.task].leaves_grid;
}

// True if the node's jobs belong to the work together with the job that starts them: from its end
// on, or while the message is under way.
bool JobWindows::comes_within(const Level & level, Index node) const
{
  const auto & from = graph_.nodes[node].from;
  return from.size() == 1 && (from.front().delay == 0 || level.under_way) &&
         level.place[from.front().node] != kNone;
}

Ns JobWindows::entry(const Level & level, const Job & job) const
{
  return level.entry[level.place[job.node]].at(job.number);
}

void JobWindows::find_entries(Level & level)
{
  if (search_ == Search::from_above) {
    level.endless = level.overloaded;  // it may have an end by now
  }
  level.entry.resize(level.work.size());
  for (Index place = 0; place < level.work.size(); ++place) {
    const Index index = level.work[place];
    const JobNode & node = graph_.nodes[index];
    level.endless = level.endless || !ends_[index];
    if (level.endless) {
      return;
    }
    JobTimes times = windows_[index].latest;
    if (comes_within(level, index)) {
      for (std::int64_t job = 0; job < node.jobs; ++job) {
        times[job] = std::min(times[job], entry(level, {node.from.front().node, job}));
      }
    }
    for (std::int64_t job = 0; !node.topics.empty() && job < node.jobs; ++job) {
      Ns last = 0;
      bool any = false;
      const auto & by = sets_[index].by[static_cast<std::size_t>(job)];
      for (Index topic = 0; topic < by.size(); ++topic) {
        if (by[topic].possible) {
          const Ns began =
            by[topic].message
              ? std::min(by[topic].latest, entry(level, {node.topics[topic], *by[topic].message}))
              : by[topic].latest;
          last = any ? std::max(last, began) : began;
          any = true;
        }
      }
      times[job] = any ? std::min(times[job], last) : times[job];
    }
    level.entry[place] = times.rising_up();
  }
}

// For each job of the work: the time added by the message that starts it, if the message is under
// way within the work.
void JobWindows::find_more(Index index)
{
  Level & level = levels_[index];
  for (Index place = 0; place < level.work.size() && !level.endless; ++place) {
    const Index node = level.work[place];
    const Ns delay = comes_within(level, node) ? graph_.nodes[node].from.front().delay : 0;
    if (delay == 0) {
      continue;
    }
    std::vector<Ns> & more = level.more[place];
    more.assign(static_cast<std::size_t>(graph_.nodes[node].jobs), 0);
    for (std::int64_t job = 0; terms_.under_way && job < graph_.nodes[node].jobs; ++job) {
      const Ns again = add(
        blocking(index, windows_[node].earliest[job], windows_[node].latest[job], 0, nullptr),
        terms_.ceiling ? graph_.ceilings[level.of] : 0);
      more[static_cast<std::size_t>(job)] = add(delay, again);
      looks_ += static_cast<std::int64_t>(level.below.size());
    }
  }
}

// Finds the nodes of the work whose sources have no known phase, and the latest entries of their
// jobs.
void JobWindows::find_sparse(Index index)
{
  Level & level = levels_[index];
  level.sparse.clear();
  for (Index place = 0; place < level.work.size() && !level.endless; ++place) {
    Index first = level.work[place];
    const JobNode & node = graph_.nodes[first];
    if (!node.unphased) {
      continue;
    }
    while (comes_within(level, first)) {
      first = graph_.nodes[first].from.front().node;
    }
    const JobNode & source = graph_.nodes[first];
    Sparse one;
    one.place = place;
    one.above = graph_.levels[node.level].urgency > graph_.levels[level.of].urgency;
    one.cost = node.cost;
    for (const Ns more : level.more[place]) {
      one.cost = std::max(one.cost, add(node.cost, more));
    }
    if (is_source(source)) {
      one.jitter = source.jitter;
    } else {
      for (std::int64_t job = 0; job < node.jobs; ++job) {
        one.jitter =
          std::max(one.jitter, level.entry[place][job] - node.offset - job * node.period);
      }
    }
    level.sparse.push_back(one);
  }
}

// The cost of a job of the level's work.
Ns JobWindows::cost(const Level & level, const Job & job) const
{
  const JobNode & node = graph_.nodes[job.node];
  const std::vector<Ns> & more = level.more[level.place[job.node]];
  if (more.empty()) {
    return node.cost;
  }
  return node.cost + more[within(job.number, node.jobs)];
}

// Sorts the jobs of all nodes of each core, in the first hyperperiod.
void JobWindows::sort_arrivals()
{
  std::vector<char> stays(arrivals_.size(), true);
  for (Index index = 0; index < graph_.nodes.size(); ++index) {
    if (recent(moved_in_[index])) {
      stays[graph_.levels[graph_.nodes[index].level].core] = false;
    }
  }
  for (Index core = 0; core < arrivals_.size(); ++core) {
    if (!stays[core]) {
      arrivals_[core].clear();
    }
  }
  for (Index index = 0; index < graph_.nodes.size(); ++index) {
    const JobNode & node = graph_.nodes[index];
    const Index core = graph_.levels[node.level].core;
    std::vector<Arrival> & arrivals = arrivals_[core];
    if (stays[core]) {
      continue;
    }
    for (std::int64_t job = 0; ends_[index] && job < node.jobs; ++job) {
      const Ns from = windows_[index].from[job];
      const std::int64_t turn = floor_div(from, graph_.hyperperiod);
      arrivals.push_back(
        {from - turn * graph_.hyperperiod, 0, {index, job - turn * node.jobs}, node.cost, false});
    }
  }
  for (Index core = 0; core < arrivals_.size(); ++core) {
    if (!stays[core]) {
      std::sort(
        arrivals_[core].begin(), arrivals_[core].end(),
        [](const Arrival & a, const Arrival & b) { return a.from < b.from; });
    }
  }
}

void JobWindows::find_arrivals(Index index)
{
  Level & level = levels_[index];
  level.arrivals.clear();
  if (level.endless) {
    return;
  }
  const JobLevel & at = graph_.levels[level.of];
  for (Arrival arrival : arrivals_[at.core]) {
    const Index place = level.place[arrival.job.node];
    if (
      place != kNone && level.starter[place] == kNone && !graph_.nodes[arrival.job.node].unphased) {
      arrival.entry = terms_.latest ? level.entry[place].at(arrival.job.number) : arrival.from;
      arrival.above = graph_.levels[graph_.nodes[arrival.job.node].level].urgency > at.urgency;
      arrival.cost = cost(level, arrival.job);
      level.arrivals.push_back(arrival);
    }
  }
}

// Adds the jobs that may be released before `begin`, and enter at `begin` or later.
void JobWindows::add_open(Index index, Ns begin, std::vector<Arrival> & open)
{
  const Level & level = levels_[index];
  looks_ += static_cast<std::int64_t>(level.work.size());
  for (Index place = 0; place < level.work.size(); ++place) {
    const Index node = level.work[place];
    if (graph_.nodes[node].unphased || level.starter[place] != kNone) {
      continue;
    }
    const JobTimes & from = windows_[node].from;
    const JobTimes & entry = terms_.latest ? level.entry[place] : from;
    const std::int64_t last = from.before(begin);
    std::int64_t first = last;  // few jobs are open, or none
    while (entry.at(first - 1) >= begin) {
      --first;
    }
    const bool above =
      graph_.levels[graph_.nodes[node].level].urgency > graph_.levels[level.of].urgency;
    for (std::int64_t job = first; job < last; ++job) {
      open.push_back({from.at(job), entry.at(job), {node, job}, cost(level, {node, job}), above});
    }
  }
}

void JobWindows::find_busy(Index index)
{
  Level & level = levels_[index];
  level.busy.clear();
  level.open.clear();
  level.longest = 0;
  if (level.endless) {
    return;
  }
  level.each = !level.sparse.empty() || !graph_.others[level.of].empty();
  find_begins(level);
  if (level.each) {
    find_all(index);
  } else if (level.spare < 0) {
    level.endless = true;  // each earlier hyperperiod makes it worse
  } else {
    find_larger(level);
  }
}

// Finds the beginnings and their keys.
void JobWindows::find_begins(Level & level)
{
  entering_.clear();
  for (Index place = 0; place < level.work.size(); ++place) {
    const JobNode & node = graph_.nodes[level.work[place]];
    const bool counts = !node.unphased && level.starter[place] == kNone;
    for (std::int64_t job = 0; job < node.jobs; ++job) {
      const Ns time = level.entry[place][job];
      entering_.emplace_back(
        time - floor_div(time, graph_.hyperperiod) * graph_.hyperperiod,
        counts ? cost(level, {level.work[place], job}) : 0);
    }
  }
  sort_by_time(entering_, sorting_);
  Ns before = 0;
  for (const auto & [time, cost] : entering_) {
    if (level.busy.empty() || level.busy.back().time != time) {
      level.busy.emplace_back();
      level.busy.back().time = time;
      level.busy.back().key = time - before;
    }
    before += cost;
  }
  level.spare = graph_.hyperperiod - before;
}

// Finds for each beginning the blocking, the open jobs, and the end of the interval.
void JobWindows::find_all(Index index)
{
  Level & level = levels_[index];
  auto arrival = level.arrivals.begin();  // the next arrival that is not before the last beginning
  for (std::size_t i = 0; i < level.busy.size(); ++i) {
    Begin & begin = level.busy[i];
    if (i == 0) {
      begin.open = level.open.size();
      add_open(index, begin.time, level.open);
    } else {
      const Begin & last = level.busy[i - 1];
      for (std::size_t one = last.open; one < last.open_end; ++one) {
        if (level.open[one].entry >= begin.time) {
          level.open.push_back(Arrival(level.open[one]));
        }
      }
      begin.open = last.open_end;
    }
    begin.blocking = blocking(index, begin.time, begin.time, 0, &begin);
    for (; arrival != level.arrivals.end() && arrival->from < begin.time; ++arrival) {
      if (i > 0 && arrival->entry >= begin.time) {
        level.open.push_back(*arrival);
      }
    }
    begin.open_end = level.open.size();
    const Ns end = find_interval(index, begin);
    if (end == kUnbounded) {
      level.endless = true;
      return;
    }
    level.longest = std::max(level.longest, end - begin.time);
  }
}

// Finds for each beginning the last earlier one with a larger key. The keys of each earlier
// hyperperiod are lower by a constant. So no beginning before the last hyperperiod is needed.
void JobWindows::find_larger(Level & level)
{
  const auto count = static_cast<std::int64_t>(level.busy.size());
  const auto key = [&](std::int64_t i) {
    return i < 0 ? level.busy[static_cast<std::size_t>(i + count)].key - level.spare
                 : level.busy[static_cast<std::size_t>(i)].key;
  };
  larger_.clear();  // keys fall
  for (std::int64_t i = -count; i < count; ++i) {
    while (!larger_.empty() && key(larger_.back()) <= key(i)) {
      larger_.pop_back();
    }
    if (i >= 0) {
      level.busy[static_cast<std::size_t>(i)].before = larger_.empty() ? kNoBegin : larger_.back();
    }
    larger_.push_back(i);
  }
}

// Finds the blocking and the open jobs of a beginning, for any segment.
void JobWindows::find_begin(Index index, Begin & begin)
{
  if (begin.blocking != kUnknown) {
    return;
  }
  Level & level = levels_[index];
  all_count_ = true;
  begin.blocking = blocking(index, begin.time, begin.time, 0, &begin);
  all_count_ = false;
  begin.open = level.open.size();
  add_open(index, begin.time, level.open);
  begin.open_end = level.open.size();
}

// Finds the end of the interval, for any segment.
Ns JobWindows::find_interval(Index index, Begin & begin)
{
  if (begin.end != kUnknown) {
    return begin.end;
  }
  const Level & level = levels_[index];
  const Ns fixed = begin.blocking + (terms_.ceiling ? graph_.ceilings[level.of] : 0);
  all_count_ = true;
  Demand found = demand(index, begin, level.open, 0);
  Ns length = 1;
  for (bool more = true; more;) {
    go_on(level, begin.time + length, found);
    const Ns sparse = sparse_loads(level, begin.time, begin.time + length, 0);
    const Ns all = add(add(fixed + found.same + found.above, sparse), other_loads(index, length));
    more = all > length;
    length = more ? all : length;
    if (more && (length > most_length_ || looks_ > limit_)) {
      more = false;
      length = kUnbounded;
    }
  }
  all_count_ = false;
  begin.end = length == kUnbounded ? kUnbounded : begin.time + length;
  return begin.end;
}

JobWindows::Begin JobWindows::begin_at(Index index, Ns time, std::vector<Arrival> & open)
{
  Begin begin;
  begin.time = time;
  begin.blocking = blocking(index, time, time, 0, &begin);
  begin.open = open.size();
  add_open(index, time, open);
  begin.open_end = open.size();
  return begin;
}

}  // namespace takt_plan::detail
