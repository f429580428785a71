#include "analysis/jobs/job_windows.hpp"

#include <algorithm>

namespace takt_plan::detail
{
namespace
{

constexpr int kMostRoundsOfWindows = 200;
constexpr Ns kHyperperiodsOfInterval = 4;  // a busy interval that goes on for longer has no end

}  // namespace

JobWindows::JobWindows(
  const Model & model, const JobGraph & graph, const JobTerms & terms, Ns horizon,
  std::int64_t most)
: model_(model),
  graph_(graph),
  terms_(terms),
  horizon_(horizon),
  most_length_(multiply(graph.hyperperiod, kHyperperiodsOfInterval)),
  most_(most),
  windows_(graph.nodes.size()),
  ends_(graph.nodes.size(), true),
  sets_(graph.nodes.size()),
  levels_(graph.levels.size())
{
  for (Index node = 0; node < graph.nodes.size(); ++node) {
    const JobTimes none(graph.nodes[node].jobs, graph.hyperperiod);
    windows_[node] = {none, none, none, none, none, {}};
    windows_[node].may_miss.assign(static_cast<std::size_t>(graph.nodes[node].jobs), false);
  }
  for (Index level = 0; level < levels_.size(); ++level) {
    Level & of = levels_[level];
    of.place.assign(graph.nodes.size(), kNone);
    for (Index node = 0; node < graph.nodes.size(); ++node) {
      const JobLevel & own = graph.levels[graph.nodes[node].level];
      if (own.core != graph.levels[level].core) {
        continue;
      }
      if (!graph.levels[level].above(own)) {
        of.place[node] = of.work.size();
        of.work.push_back(node);
      } else if (own.urgency == graph.levels[level].urgency) {
        of.blockers.push_back(node);
      }
    }
    Ns work = 0;
    for (const Index node : of.work) {
      work = add(work, multiply(graph.nodes[node].cost, graph.nodes[node].jobs));
    }
    of.endless = work > graph.hyperperiod;
  }
  find_followers();
  while (iterate()) {
  }
  solved_ = !failed_;
  for (Index node = 0; solved_ && node < graph.nodes.size(); ++node) {
    const JobNode & of = graph.nodes[node];
    for (std::int64_t job = 0; of.from.empty() && of.topics.empty() && job < of.jobs; ++job) {
      solved_ = solved_ && ends_[node] &&
                windows_[node].end[job] <= of.offset + (job + 1) * of.period;  // else it may skip
    }
  }
}

// One round over all nodes; false if nothing moved.
bool JobWindows::iterate()
{
  ++round_;
  bool moved = round_ == 1;
  for (Index level = 0; level < levels_.size() && !failed_ && round_ > 1; ++level) {
    find_entries(levels_[level]);
    find_busy(level);
  }
  for (Index node = 0; node < graph_.nodes.size() && !failed_; ++node) {
    const bool ended = ends_[node];
    moved = (graph_.nodes[node].topics.empty() ? release(node) : release_work(node)) || moved;
    JobWindow & window = windows_[node];
    for (std::int64_t job = 0; ends_[node] && job < graph_.nodes[node].jobs && !failed_; ++job) {
      Ns end = window.latest[job] + graph_.nodes[node].cost;
      if (round_ > 1) {
        std::vector<Job> segment{{node, job}};
        end = end_of(segment, nullptr);
      }
      if (end == kUnbounded || end - window.earliest[job] > horizon_) {
        ends_[node] = false;
      } else if (end > window.end[job] || round_ == 1) {
        moved = true;
        window.end[job] = end;
      }
    }
    moved = moved || ended != static_cast<bool>(ends_[node]);
  }
  failed_ = failed_ || round_ > kMostRoundsOfWindows || looks_ > most_;
  return moved && !failed_;
}

// When the jobs of the node are released; whether that moved.
bool JobWindows::release(Index index)
{
  const JobNode & node = graph_.nodes[index];
  JobWindow & window = windows_[index];
  JobTimes earliest = window.earliest, latest = window.latest;
  bool moved = false;
  for (std::int64_t job = 0; job < node.jobs; ++job) {
    if (node.from.empty()) {
      earliest[job] = node.offset + job * node.period;
      latest[job] = earliest[job] + node.jitter;
      continue;
    }
    for (Index i = 0; i < node.from.size(); ++i) {
      const JobWindow & before = windows_[node.from[i].node];
      ends_[index] = ends_[index] && ends_[node.from[i].node];
      const Ns from = before.earliest[job], to = add(before.end[job], node.from[i].delay);
      earliest[job] = i == 0 ? from : std::max(earliest[job], from);
      latest[job] = i == 0 ? to : std::max(latest[job], to);
      char & may_miss = window.may_miss[static_cast<std::size_t>(job)];
      moved = moved || (before.may_miss[static_cast<std::size_t>(job)] && !may_miss);
      may_miss = may_miss || before.may_miss[static_cast<std::size_t>(job)];
    }
  }
  moved = moved || !(earliest == window.earliest) || !(latest == window.latest);
  window.from = earliest.rising_down();
  window.to = latest.rising_up();
  window.earliest = std::move(earliest);
  window.latest = std::move(latest);
  return moved;
}

bool JobWindows::release_work(Index index)
{
  const JobNode & node = graph_.nodes[index];
  JobWindow & window = windows_[index];
  std::vector<const JobWindow *> topics;
  for (const Index topic : node.topics) {
    ends_[index] = ends_[index] && ends_[topic];
    topics.push_back(&windows_[topic]);
  }
  if (!ends_[index]) {
    return false;
  }
  std::optional<JobSet> set =
    job_set(topics, node.slowest, terms_.starts ? node.start : SetStart::first);
  if (!set) {
    failed_ = true;
    return false;
  }
  sets_[index] = std::move(*set);
  JobTimes earliest = window.earliest, latest = window.latest;
  for (std::int64_t job = 0; job < node.jobs; ++job) {
    earliest[job] = topics[node.slowest]->earliest[job];
    latest[job] = topics[node.slowest]->latest[job];
    bool first = true;
    auto & by = sets_[index].by[static_cast<std::size_t>(job)];
    for (Index topic = 0; topic < by.size(); ++topic) {
      if (!terms_.orders && topic != node.slowest && by[node.slowest].possible) {
        by[topic].possible = false;
      }
      if (by[topic].possible) {
        earliest[job] = first ? by[topic].earliest : std::min(earliest[job], by[topic].earliest);
        latest[job] = first ? by[topic].latest : std::max(latest[job], by[topic].latest);
        first = false;
      }
    }
  }
  const bool moved = !(earliest == window.earliest) || !(latest == window.latest) ||
                     window.may_miss != sets_[index].may_miss;
  window.may_miss = sets_[index].may_miss;
  window.from = earliest.rising_down();
  window.to = latest.rising_up();
  window.earliest = std::move(earliest);
  window.latest = std::move(latest);
  return moved;
}

Ns JobWindows::entry(const Level & level, const Job & job) const
{
  return level.entry[level.place[job.node]].at(job.number);
}

void JobWindows::find_entries(Level & level)
{
  level.entry.resize(level.work.size());
  for (Index place = 0; place < level.work.size(); ++place) {
    const Index index = level.work[place];
    const JobNode & node = graph_.nodes[index];
    level.endless = level.endless || !ends_[index];
    if (level.endless) {
      return;
    }
    JobTimes times = windows_[index].latest;
    if (
      node.from.size() == 1 && node.from.front().delay == 0 &&
      level.place[node.from.front().node] != kNone) {
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

void JobWindows::find_busy(Index index)
{
  Level & level = levels_[index];
  level.busy.clear();
  level.longest = 0;
  if (level.endless) {
    return;
  }
  std::vector<Ns> begins;
  const auto add_all = [&](const JobTimes & times) {
    for (const Ns time : times.all()) {
      begins.push_back(time - floor_div(time, graph_.hyperperiod) * graph_.hyperperiod);
    }
  };
  for (const JobTimes & times : level.entry) {
    add_all(times);
  }
  for (const Index node : level.blockers) {
    if (ends_[node]) {
      add_all(windows_[node].end);
    }
  }
  std::sort(begins.begin(), begins.end());
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  for (const Ns begin : begins) {
    Ns length = 1;
    for (;;) {
      const Ns found = sum(index, nullptr, begin, begin + length, false, 0);
      if (found <= length) {
        break;
      }
      length = found;
      if (length > most_length_ || looks_ > most_) {
        level.endless = true;
        return;
      }
    }
    level.busy.emplace_back(begin, begin + length);
    level.longest = std::max(level.longest, length);
  }
}

// One run of the thread that had begun; `blocker`: its task.
Ns JobWindows::blocking(Index index, Ns begin, Index * blocker) const
{
  Ns most = 0;
  for (const Index node : levels_[index].blockers) {
    const JobWindow & window = windows_[node];
    const Ns run = graph_.nodes[node].run;
    bool may = !ends_[node];
    for (std::int64_t job = 0; !may && run > most && job < graph_.nodes[node].jobs; ++job) {
      const Ns turn = floor_div(begin - window.earliest[job], graph_.hyperperiod);
      may = window.end[job] + turn * graph_.hyperperiod >= begin;
    }
    if (may && run > most && terms_.blocking) {
      most = run;
      if (blocker != nullptr) {
        *blocker = graph_.nodes[node].task;
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

// Whether no job k of the node runs before job k of `before` has ended; the node itself does.
bool JobWindows::follows(Index node, Index before) const
{
  return follows_[before * graph_.nodes.size() + node] != 0;
}

void JobWindows::find_followers()
{
  const std::size_t count = graph_.nodes.size();
  follows_.assign(count * count, 0);
  for (Index before = 0; before < count; ++before) {
    follows_[before * count + before] = 1;
    // Nodes stand behind those that start them.
    for (Index index = before + 1; index < count; ++index) {
      const JobNode & node = graph_.nodes[index];
      bool found = !node.topics.empty() && follows(node.topics[node.slowest], before);
      for (const JobNode::From & from : node.from) {
        found = found || follows(from.node, before);
      }
      follows_[before * count + index] = found ? 1 : 0;
    }
  }
}

// Of the node at this place: jobs that enter at `begin` or later and may be released before `end`, without the segment.
std::int64_t JobWindows::runs(
  const Level & level, Index place, const std::vector<Job> & segment, Ns begin, Ns end) const
{
  const Index node = level.work[place];
  const std::int64_t first =
    (terms_.latest ? level.entry[place] : windows_[node].from).before(begin);
  std::int64_t last = windows_[node].from.before(end);
  if (!segment.empty() && follows(node, segment.front().node)) {
    last = std::min(last, segment.front().number);  // it and later ones wait for the first to end
  }
  std::int64_t count = last - first;
  for (Index i = 1; i < segment.size() && count > 0; ++i) {
    count -= segment[i].node == node && segment[i].number >= first && segment[i].number < last;
  }
  return std::max<std::int64_t>(count, 0);
}

// Everything that the core does from `begin` on; `above_only`: of what the thread of the level does, nothing.
Ns JobWindows::sum(
  Index index, const std::vector<Job> * segment, Ns begin, Ns end, bool above_only, Ns own)
{
  static const std::vector<Job> kNobody;
  const Level & level = levels_[index];
  looks_ += static_cast<std::int64_t>(level.work.size());
  Ns all = own;
  if (!above_only) {
    all += blocking(index, begin) + (terms_.ceiling ? graph_.ceilings[index] : 0);
  }
  for (const Index other : graph_.others[index]) {
    all = add(all, other_load(other, end - begin));
  }
  for (Index place = 0; place < level.work.size(); ++place) {
    const JobNode & node = graph_.nodes[level.work[place]];
    if (!above_only || graph_.levels[node.level].urgency > graph_.levels[index].urgency) {
      all += node.cost * runs(level, place, segment == nullptr ? kNobody : *segment, begin, end);
    }
  }
  return all;
}

// When the first of `segment` has ended at the latest, if the busy interval begins then.
Ns JobWindows::end_from(Index index, const std::vector<Job> & segment, Ns begin, BoundTerms * terms)
{
  const Level & level = levels_[index];
  const JobNode & last = graph_.nodes[segment.front().node];
  Ns own = 0;
  for (const Job & job : segment) {
    own += graph_.nodes[job.node].cost;
  }
  const JobLevel & at = graph_.levels[index];
  const bool begins = !at.shared && graph_.levels[last.level].urgency == at.urgency;
  // Until it begins; where more urgent threads end the segment, until it ends.
  const Ns waited = begins ? own - last.cost : own;
  // What comes at the very moment goes before a run that would begin then.
  const Ns at_the_end = begins || last.cost == 0 ? 1 : 0;
  Ns length = waited;
  for (;;) {
    const Ns found = sum(index, &segment, begin, begin + length + at_the_end, false, waited);
    if (found <= length) {
      break;
    }
    length = found;
    if (length > most_length_ || looks_ > most_) {
      return kUnbounded;
    }
  }
  const Ns until = begin + length + at_the_end;
  Ns whole = length;
  if (begins) {
    // Of its thread nothing else comes any more.
    Ns fixed = blocking(index, begin) + (terms_.ceiling ? graph_.ceilings[index] : 0) + own;
    for (Index place = 0; place < level.work.size(); ++place) {
      const JobNode & node = graph_.nodes[level.work[place]];
      if (graph_.levels[node.level].urgency == at.urgency) {
        fixed += node.cost * runs(level, place, segment, begin, until);
      }
    }
    whole = length + last.cost;
    for (;;) {
      const Ns found = sum(index, &segment, begin, begin + whole, true, fixed);
      if (found <= whole) {
        break;
      }
      whole = found;
      if (whole > most_length_ || looks_ > most_) {
        return kUnbounded;
      }
    }
  }
  if (terms != nullptr) {
    Index blocker = kNone;
    const Ns blocked = blocking(index, begin, &blocker);
    add_term(*terms, {TermKind::work, own});
    add_term(*terms, {TermKind::blocking, blocked, blocker});
    add_term(*terms, {TermKind::ceiling, terms_.ceiling ? graph_.ceilings[index] : 0});
    for (Index place = 0; place < level.work.size(); ++place) {
      const JobNode & node = graph_.nodes[level.work[place]];
      const bool same = begins && graph_.levels[node.level].urgency == at.urgency;
      const Ns time =
        node.cost * runs(level, place, segment, begin, same || !begins ? until : begin + whole);
      add_term(*terms, {TermKind::interference, time, node.task});
    }
    for (const Index other : graph_.others[index]) {
      add_term(*terms, {TermKind::interference, other_load(other, whole), kNone, kNone, other});
    }
  }
  return begin + whole;
}

BoundTerms JobWindows::terms_of(const LatestEnd & end)
{
  BoundTerms terms;
  end_from(end.level, end.segment, end.begin, &terms);
  return terms;
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

// The segment's first job is released in [earliest, latest].
Ns JobWindows::end_of_segment(
  const std::vector<Job> & segment, Ns earliest, Ns latest, LatestEnd * how)
{
  const Index index = least_urgent(segment);
  const Level & level = levels_[index];
  if (level.endless) {
    return kUnbounded;
  }
  const Ns released = latest;
  latest = std::min(latest, entry(level, segment.back()));
  Ns worst = end_from(index, segment, latest);
  Ns worst_begin = latest;
  const auto count = static_cast<std::int64_t>(level.busy.size());
  const Ns turn = floor_div(latest, graph_.hyperperiod);
  const auto at = std::upper_bound(
    level.busy.begin(), level.busy.end(),
    std::pair(latest - turn * graph_.hyperperiod, kUnbounded));
  for (std::int64_t i = turn * count + (at - level.busy.begin()) - 1;
       terms_.begins && worst != kUnbounded; --i) {
    const std::int64_t turns = floor_div(i, count);
    const auto & [begin, end] = level.busy[static_cast<std::size_t>(i - turns * count)];
    const Ns shift = turns * graph_.hyperperiod;
    if (begin + shift < latest - level.longest) {
      break;
    }
    if (
      end + shift < std::min(earliest, latest) || end + shift <= worst || begin + shift == latest) {
      continue;
    }
    const Ns found = end_from(index, segment, begin + shift);
    if (found > worst) {
      worst = found;
      worst_begin = begin + shift;
    }
  }
  if (how != nullptr) {
    *how = {worst, segment, worst_begin, released, index};
  }
  return worst;
}

// The least over all beginnings of the segment before its first job.
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
  const Ns through = end_of(segment, how == nullptr ? nullptr : &other);
  segment.pop_back();
  if (through < direct && how != nullptr) {
    *how = std::move(other);
  }
  return std::min(through, direct);
}

Ns JobWindows::end_of(std::vector<Job> & segment, LatestEnd * how)
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
  if (node.from.size() == 1 && node.from.front().delay == 0) {
    before = Job{node.from.front().node, first.number};
  }
  return end_by(
    segment, before, window.earliest.at(first.number), window.latest.at(first.number), how);
}

LatestEnd JobWindows::latest_end(Job job)
{
  LatestEnd how;
  std::vector<Job> segment{job};
  end_of(segment, &how);
  return how;
}

}  // namespace takt_plan::detail
