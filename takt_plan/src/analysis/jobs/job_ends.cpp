// Latest ends. For each beginning of a segment, the worst beginning of its busy interval counts; of
// the segment's beginnings, the best.
#include "analysis/jobs/job_windows.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace takt_plan::detail
{
namespace
{

// Of segments.
constexpr std::size_t kUsualLength = 8;

}  // namespace

// The latest end of the last job of `segment`, if the busy interval begins at `at`, with the jobs
// `open`. The segment (see look_for) comes `moved` hyperperiods after the times of `at` and `open`.
Ns JobWindows::end_from(
  Index index, const std::vector<Job> & segment, const Begin & at,
  const std::vector<Arrival> & open, std::int64_t moved, BoundTerms * terms)
{
  const Level & level = levels_[index];
  const JobNode & last = graph_.nodes[segment.front().node];
  const Ns begin = at.time;
  Ns own = 0;
  for (const Job & job : segment) {
    own = add(own, cost(level, job));
  }
  const JobLevel & of = graph_.levels[level.of];
  const bool begins = !of.shared && graph_.levels[last.level].urgency == of.urgency;
  // Until its pick; if more urgent threads end the segment, until its end.
  const Ns before_pick = terms_.pick ? model_.tasks[last.task].before_pick(last.cost) : 0;
  const Ns picked = begins ? last.cost - before_pick : 0;
  const Ns waited = own - picked;
  // A job that arrives at this very moment precedes a run that would be picked then.
  const Ns at_the_end = begins || last.cost == 0 ? 1 : 0;
  const Ns followers = without_followers_ ? 0 : preempted_[segment.front().node];
  const bool generic = !at.started && starter_.node == kNone &&
                       at.blocker.number < begun_below(at.blocker.node, moved);
  const Ns blocked = blocked_ =
    at.blocking == 0 || generic ? at.blocking : blocking(index, begin, begin, moved, nullptr);
  const Ns fixed =
    blocked + (terms_.ceiling ? graph_.ceilings[level.of] : 0) + (begins ? 0 : followers);
  Demand found = demand(index, at, open, moved);
  Ns length = waited;
  for (;;) {
    const Ns end = begin + length + at_the_end;
    go_on(level, end, found);
    const Ns sparse = sparse_loads(level, begin, end, moved);
    const Ns all =
      add(add(waited + fixed + found.same + found.above, sparse), other_loads(index, end - begin));
    if (all <= length) {
      break;
    }
    length = all;
    if (length > most_length_ || looks_ > limit_) {
      return kUnbounded;
    }
  }
  const Ns until = begin + length + at_the_end;
  Ns whole = length;
  if (begins) {
    // No further job of its thread comes.
    const Ns same = add(found.same + followers, sparse_load(level, false, begin, until, moved));
    whole = length + picked;
    for (;;) {
      go_on(level, begin + whole, found);
      const Ns sparse = sparse_load(level, true, begin, begin + whole, moved);
      const Ns all = add(add(own + fixed + same + found.above, sparse), other_loads(index, whole));
      if (all <= whole) {
        break;
      }
      whole = all;
      if (whole > most_length_ || looks_ > limit_) {
        return kUnbounded;
      }
    }
  }
  if (terms != nullptr) {
    for (const Job & job : segment) {
      const Ns work = graph_.nodes[job.node].cost;
      add_term(*terms, {TermKind::work, work});
      add_term(*terms, {TermKind::under_way, cost(level, job) - work});
    }
    add_begun(index, begin, *terms);
    add_term(*terms, {TermKind::ceiling, terms_.ceiling ? graph_.ceilings[level.of] : 0});
    for (Index place = 0; place < level.work.size(); ++place) {
      const JobNode & node = graph_.nodes[level.work[place]];
      const bool same = begins && graph_.levels[node.level].urgency == of.urgency;
      if (!node.unphased && level.starter[place] == kNone) {
        add_interference(
          level, place, runs(level, place, segment, begin, same || !begins ? until : begin + whole),
          *terms);
      }
      if (
        preempted_[segment.front().node] > 0 && preempts(level.work[place], segment.front().node)) {
        BoundTerm follower{TermKind::interference, node.cost, node.task};
        follower.jobs.push_back(counted({level.work[place], segment.front().number}));
        add_term(*terms, follower);
      }
    }
    for (const Sparse & one : level.sparse) {
      const JobNode & node = graph_.nodes[level.work[one.place]];
      const Ns to = begins && one.above ? begin + whole : until;
      const std::int64_t count = runs_of(level, one, begin, to, moved);
      add_term(*terms, {TermKind::interference, multiply(node.cost, count), node.task});
      add_term(*terms, {TermKind::under_way, multiply(one.cost - node.cost, count)});
    }
    for (const Index other : graph_.others[level.of]) {
      add_term(*terms, {TermKind::interference, other_load(other, whole), kNone, kNone, other});
    }
  }
  return begin + whole;
}

Index JobWindows::least_urgent(const std::vector<Job> & segment) const
{
  Index least = graph_.nodes[segment.front().node].level;
  for (const Job & job : segment) {
    const Index level = graph_.nodes[job.node].level;
    least = graph_.levels[least].above(graph_.levels[level]) ? level : least;
  }
  return least;
}

// A less urgent run that starts the segment runs when the busy interval begins.
Ns JobWindows::starter_since() const
{
  return starter_.node == kNone ? std::numeric_limits<Ns>::min()
                                : windows_[starter_.node].earliest.at(starter_.number);
}

// The last moment before `next` from which on one more of the runs counts that `released_by`
// allows.
Ns JobWindows::begin_with_more(Index node, const Sparse & one, Ns next) const
{
  const Ns by = sought_[node].released_by;
  if (by == kUnbounded) {
    return std::numeric_limits<Ns>::min();  // the number of runs depends on the length alone
  }
  const Ns last = by + one.jitter;  // arrivals(by + 1 - time, ...) changes here, and each distance
                                    // before
  return last -
         (floor_div(last - next, graph_.nodes[node].distance) + 1) * graph_.nodes[node].distance;
}

// The worst over all beginnings up to `latest`.
Ns JobWindows::worst_of_all(
  Index index, const std::vector<Job> & segment, Ns earliest, Ns latest, Ns & worst_begin)
{
  const Level & level = levels_[index];
  const auto count = static_cast<std::int64_t>(level.busy.size());
  const Ns turn = floor_div(latest, graph_.hyperperiod);
  const auto at = std::upper_bound(
    level.busy.begin(), level.busy.end(), latest - turn * graph_.hyperperiod,
    [](Ns time, const Begin & begin) { return time < begin.time; });
  const auto from = [&](const Begin & begin, std::int64_t turns) {
    return add(end_from(index, segment, begin, level.open, turns), turns * graph_.hyperperiod);
  };
  std::int64_t i = turn * count + (at - level.busy.begin()) - 1;
  const Ns since = starter_since();
  const auto from_time = [&](Ns time) {
    open_.clear();
    return end_from(index, segment, begin_at(index, time, open_), open_, 0);
  };
  Ns worst = 0;
  if (at != level.busy.begin() && (at - 1)->time + turn * graph_.hyperperiod == latest) {
    worst = from(*(at - 1), turn);
    --i;
  } else {
    worst = from_time(latest);
  }
  Ns next = latest;          // the beginning examined last
  Ns interval = kUnbounded;  // the end of its interval: later than those of earlier beginnings
  const auto may_count = [&] {
    return worst != kUnbounded && interval > worst && interval >= std::min(earliest, latest);
  };
  for (; terms_.begins && worst != kUnbounded; --i) {
    const std::int64_t turns = floor_div(i, count);
    const Begin & begin = level.busy[static_cast<std::size_t>(i - turns * count)];
    const Ns shift = turns * graph_.hyperperiod;
    const Ns first = std::max(begin.time + shift + 1, since);
    for (const Sparse & one : level.sparse) {
      const Index node = level.work[one.place];
      for (Ns time = begin_with_more(node, one, next); time >= first && may_count();
           time -= graph_.nodes[node].distance) {
        const Ns found = std::min(interval, from_time(time));
        if (found > worst) {
          worst = found;
          worst_begin = time;
        }
      }
    }
    next = begin.time + shift;
    interval = begin.end + shift;
    if (next < latest - level.longest || next < since) {
      break;
    }
    // No job of the work ends after the interval.
    if (!may_count()) {
      continue;
    }
    const Ns found = std::min(interval, from(begin, turns));
    if (found > worst) {
      worst = found;
      worst_begin = next;
    }
  }
  return worst;
}

// The worst over the beginnings that count by their keys.
Ns JobWindows::worst_by_keys(
  Index index, const std::vector<Job> & segment, Ns earliest, Ns latest, Ns & worst_begin)
{
  Level & level = levels_[index];
  const auto count = static_cast<std::int64_t>(level.busy.size());
  const Ns turn = floor_div(latest, graph_.hyperperiod);
  const Ns shift = turn * graph_.hyperperiod;
  const auto at = std::upper_bound(
    level.busy.begin(), level.busy.end(), latest - shift,
    [](Ns time, const Begin & begin) { return time < begin.time; });
  std::int64_t i = turn * count + (at - level.busy.begin()) - 1;
  const Ns since = starter_since();
  Ns worst = 0;
  Ns key = 0;
  if (at != level.busy.begin() && (at - 1)->time + shift == latest) {
    Begin & begin = *(at - 1);
    find_begin(index, begin);
    worst = add(end_from(index, segment, begin, level.open, turn), shift);
    key = key_of(level, i) + blocked_;
    i = larger_before(level, i, key);
  } else {
    open_.clear();
    worst = end_from(index, segment, begin_at(index, latest, open_), open_, 0);
    key = key_behind(level, i, latest) + blocked_;
  }
  for (; terms_.begins && worst != kUnbounded && i != kNoBegin; i = larger_before(level, i, key)) {
    const std::int64_t turns = floor_div(i, count);
    Begin & begin = level.busy[static_cast<std::size_t>(i - turns * count)];
    const Ns earlier = turns * graph_.hyperperiod;
    if (begin.time + earlier < latest - most_length_ || begin.time + earlier < since) {
      break;
    }
    const Ns own = key_of(level, i);
    if (own + level.most_blocking <= key) {
      continue;
    }
    find_begin(index, begin);
    if (own + begin.blocking <= key) {
      continue;
    }
    const Ns all = add(find_interval(index, begin), earlier);
    // No job of the work ends after the interval.
    if (all <= worst || all < std::min(earliest, latest)) {
      key = own + begin.blocking;
      continue;
    }
    const Ns found =
      std::min(all, add(end_from(index, segment, begin, level.open, turns), earlier));
    key = std::max(key, own + blocked_);
    if (found > worst) {
      worst = found;
      worst_begin = begin.time + earlier;
    }
  }
  return worst;
}

// The key of a beginning, moved by some hyperperiods.
Ns JobWindows::key_of(const Level & level, std::int64_t begin) const
{
  const auto count = static_cast<std::int64_t>(level.busy.size());
  const std::int64_t turns = floor_div(begin, count);
  return level.busy[static_cast<std::size_t>(begin - turns * count)].key + turns * level.spare;
}

// The key of a moment between this beginning and the next one.
Ns JobWindows::key_behind(const Level & level, std::int64_t begin, Ns time) const
{
  const auto count = static_cast<std::int64_t>(level.busy.size());
  const std::int64_t turns = floor_div(begin + 1, count);
  const Begin & next = level.busy[static_cast<std::size_t>(begin + 1 - turns * count)];
  return key_of(level, begin + 1) - (next.time + turns * graph_.hyperperiod - time);
}

// The last earlier beginning that may count: its key and blocking together exceed `key`. kNoBegin:
// none.
std::int64_t JobWindows::larger_before(const Level & level, std::int64_t begin, Ns key) const
{
  if (key < key_of(level, begin) + level.most_blocking) {
    return begin - 1;
  }
  const auto count = static_cast<std::int64_t>(level.busy.size());
  const std::int64_t turns = floor_div(begin, count);
  const std::int64_t before = level.busy[static_cast<std::size_t>(begin - turns * count)].before;
  return before == kNoBegin ? kNoBegin : before + turns * count;
}

// The first job of the segment is released in [earliest, latest].
Ns JobWindows::end_of_segment(
  const std::vector<Job> & segment, Ns earliest, Ns latest, LatestEnd * how)
{
  const Index found_level = least_urgent(segment);
  const Index aside = graph_.levels.size() + found_level;
  const Index index = under_way_ && !levels_[aside].unused ? aside : found_level;
  const Level & level = levels_[index];
  if (level.endless) {
    return kUnbounded;
  }
  const Ns released = latest;
  latest = std::min(latest, entry(level, segment.back()));
  look_for(segment);
  find_starter(level, segment);
  Ns worst_begin = latest;
  const Ns worst = level.each ? worst_of_all(index, segment, earliest, latest, worst_begin)
                              : worst_by_keys(index, segment, earliest, latest, worst_begin);
  if (how != nullptr) {
    *how = {worst, segment, worst_begin, released, index};
  }
  return worst;
}

// The smallest bound over all beginnings of the segment before its first job.
Ns JobWindows::end_by(
  std::vector<Job> & segment, std::optional<Job> before, Ns earliest, Ns latest, LatestEnd * how)
{
  const Ns direct = end_of_segment(segment, earliest, latest, how);
  const auto core_of = [&](Index node) { return graph_.levels[graph_.nodes[node].level].core; };
  if (!before || !ends_[before->node] || core_of(before->node) != core_of(segment.back().node)) {
    return direct;
  }
  LatestEnd other;
  segment.push_back(*before);
  const Ns through = end_through(segment, how == nullptr ? nullptr : &other);
  segment.pop_back();
  if (through < direct && how != nullptr) {
    *how = std::move(other);
  }
  return std::min(through, direct);
}

// True if a segment goes on through the message that starts the node.
bool JobWindows::goes_on(const JobNode & node) const
{
  return node.from.size() == 1 && (node.from.front().delay == 0 || under_way_);
}

Ns JobWindows::end_of(const Job & job, LatestEnd * how)
{
  std::vector<Job> segment;
  segment.reserve(kUsualLength);
  segment.push_back(job);
  under_way_ = false;
  Ns between = end_through(segment, how);
  LatestEnd by_way;
  const Ns whole = end_of_way(job, how == nullptr ? nullptr : &by_way);
  if (whole < between) {
    between = whole;
    if (how != nullptr) {
      *how = std::move(by_way);
    }
  }
  LatestEnd other;
  const Ns course = end_by_courses(job, how == nullptr ? nullptr : &other);
  if (course < between) {
    between = course;
    if (how != nullptr) {
      *how = std::move(other);
    }
  }
  if (!any_under_way_) {
    return between;
  }
  under_way_ = true;
  const Ns within = end_through(segment, how == nullptr ? nullptr : &other);
  if (within < between && how != nullptr) {
    *how = std::move(other);
  }
  return std::min(between, within);
}

// The latest end of the job by all courses, as the end of its whole way; kUnbounded: there is none.
Ns JobWindows::end_by_courses(const Job & job, LatestEnd * how) const
{
  if (!courses_.found()) {
    return kUnbounded;
  }
  const JobTimes & ends = courses_.ends(job.node);
  if (ends[static_cast<std::int64_t>(within(job.number, ends.jobs()))] == kUnbounded) {
    return kUnbounded;
  }
  const Ns end = ends.at(job.number);
  if (how != nullptr) {
    *how = {};
    how->time = end;
    how->level = graph_.nodes[job.node].level;
    how->courses = true;
    how->segment.push_back(job);
    for (const JobNode * node = &graph_.nodes[job.node]; !node->from.empty();) {
      how->segment.push_back({node->from.front().node, job.number});
      node = &graph_.nodes[node->from.front().node];
    }
    how->begin = how->released = windows_[how->segment.back().node].latest.at(job.number);
  }
  return end;
}

// The smallest bound over all beginnings of the segment. `segment` has its last jobs.
Ns JobWindows::end_through(std::vector<Job> & segment, LatestEnd * how)
{
  const Job first = segment.back();
  const JobNode & node = graph_.nodes[first.node];
  const JobWindow & window = windows_[first.node];
  const std::int64_t turn = floor_div(first.number, node.jobs);
  if (!node.topics.empty()) {
    const Ns shift = turn * graph_.hyperperiod;
    Ns worst = 0;
    bool any = false;
    const auto & by =
      sets_[first.node].by[static_cast<std::size_t>(first.number - turn * node.jobs)];
    for (Index topic = 0; topic < by.size(); ++topic) {
      if (!by[topic].possible) {
        continue;
      }
      std::optional<Job> before;
      if (by[topic].message) {
        before = Job{
          node.topics[topic], *by[topic].message + turn * graph_.nodes[node.topics[topic]].jobs};
      }
      LatestEnd one;
      const Ns end = end_by(
        segment, before, by[topic].earliest + shift, by[topic].latest + shift,
        how == nullptr ? nullptr : &one);
      if (!any || end > worst) {
        worst = end;
        if (how != nullptr) {
          *how = std::move(one);
        }
      }
      any = true;
    }
    if (any) {
      return worst;
    }
  }
  std::optional<Job> before;
  if (goes_on(node)) {
    before = Job{node.from.front().node, first.number};
  }
  return end_by(
    segment, before, window.earliest.at(first.number), window.latest.at(first.number), how);
}

LatestEnd JobWindows::latest_end(Job job)
{
  LatestEnd how;
  if (graph_.clusters) {
    how.cluster = true;
    how.time = end_in_cluster(job, nullptr);
    how.segment = {job};
    how.begin = how.released = windows_[job.node].latest.at(job.number);
    return how;
  }
  end_of(job, &how);
  return how;
}

}  // namespace takt_plan::detail
