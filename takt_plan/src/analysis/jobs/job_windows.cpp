#include "analysis/jobs/job_windows.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace takt_plan::detail
{
namespace
{

constexpr int kMostRoundsOfWindows = 200;
constexpr int kMostRoundsFromAbove = 50;  // fewer leave windows that are larger, and hold
constexpr std::int64_t kTimesAsLong = 5;  // are windows from the start looked for, all in all
// So many terms of sums are looked at in the time of a state of a set.
constexpr std::int64_t kLooksPerState = 30;
constexpr Ns kHyperperiodsOfInterval = 4;  // a busy interval that goes on for longer has no end

}  // namespace

JobWindows::JobWindows(
  const Model & model, const JobGraph & graph, const JobTerms & terms, Ns horizon,
  std::int64_t most, KnownEnds known, std::vector<Ns> latest)
: model_(model),
  graph_(graph),
  terms_(terms),
  horizon_(horizon),
  most_length_(multiply(graph.hyperperiod, kHyperperiodsOfInterval)),
  most_(most),
  limit_(most),
  known_(std::move(known)),
  latest_(std::move(latest)),
  windows_(graph.nodes.size()),
  ends_(graph.nodes.size(), true),
  ended_(graph.nodes.size()),
  moved_in_(graph.nodes.size(), 0),
  released_in_(graph.nodes.size(), 0),
  work_moved_in_(graph.levels.size(), 0),
  sets_(graph.nodes.size()),
  delays_below_(graph.nodes.size()),
  own_(graph.nodes.size()),
  begun_below_(graph.nodes.size()),
  released_by_(graph.nodes.size()),
  arrivals_(model.cores.size())
{
  for (Index node = 0; node < graph.nodes.size(); ++node) {
    const JobTimes none(graph.nodes[node].jobs, graph.hyperperiod);
    windows_[node] = {none, none, none, none, none, none, {}};
    windows_[node].may_miss.assign(static_cast<std::size_t>(graph.nodes[node].jobs), false);
  }
  for (Index level = 0; level < graph.levels.size(); ++level) {
    levels_.push_back(level_of(level, false));
  }
  for (Index level = 0; level < graph.levels.size(); ++level) {
    levels_.push_back(level_of(level, true));
    any_under_way_ = any_under_way_ || !levels_.back().unused;
  }
  find_followers();
  find_needs();
  solve();
}

void JobWindows::solve()
{
  rise();
  const bool settles = std::any_of(
    graph_.nodes.begin(), graph_.nodes.end(),
    [&](const JobNode & node) { return settles_later(node); });
  if (known_ && !failed_ && !may_lose() && settles) {
    settle();
  }
  solved_ = !failed_ && !may_lose();
}

// What is found so far holds if it has held before, which nobody knows after a start: the work that it leaves in another
// order of messages may keep that order up. So from windows that hold after each start down again.
void JobWindows::settle()
{
  const std::vector<char> had_ends = ends_;
  search_ = Search::from_start;
  limit_ = std::min(most_, multiply(looks_, kTimesAsLong));
  rise();
  limit_ = most_;
  take_known(had_ends);
  begin();
  while (round_ - begin_round_ < kMostRoundsFromAbove && looks_ <= limit_ && iterate()) {
  }
  failed_ = failed_ || looks_ > limit_;
  for (Index node = 0; node < graph_.nodes.size(); ++node) {
    failed_ = failed_ || too_late(node);
  }
}

// Begins from above: with what has been found from the start on and what is known besides, of nodes that may have ends.
void JobWindows::take_known(const std::vector<char> & may_end)
{
  std::vector<Ns> known(graph_.nodes.size(), kUnbounded);
  const std::vector<Ns> of_streams = known_();
  for (Index stream = 0; stream < of_streams.size(); ++stream) {
    if (graph_.node_of_stream[stream] != kNone) {
      known[graph_.node_of_stream[stream]] = of_streams[stream];
    }
  }
  const bool found = !std::exchange(failed_, false);
  search_ = Search::from_above;
  for (Index index = 0; index < graph_.nodes.size() && !failed_; ++index) {
    const JobNode & node = graph_.nodes[index];
    JobWindow & window = windows_[index];
    const bool ends = found && ends_[index] != 0;
    ends_[index] = may_end[index] != 0 && (ends || known[index] != kUnbounded) ? 1 : 0;
    for (std::int64_t job = 0; ends_[index] != 0 && job < node.jobs; ++job) {
      const Ns released = node.offset + job * node.period + (node.unphased ? node.period : 0);
      const Ns end = add(released, known[index]);
      window.end[job] = ends ? std::min(end, window.end[job]) : end;
      window.sent[job] = ends ? std::min(end, window.sent[job]) : end;
    }
    static_cast<void>(node.topics.empty() ? release(index) : release_work(index));
    ended_[index] = window.end.rising_up();
  }
}

// Another search: rounds look at everything again.
void JobWindows::begin()
{
  begin_round_ = round_ + 1;
  std::fill(moved_in_.begin(), moved_in_.end(), round_);
  std::fill(work_moved_in_.begin(), work_moved_in_.end(), round_);
}

// To the least solution that is not below what is known.
void JobWindows::rise()
{
  begin();
  while (iterate()) {
  }
}

// Whether a start may leave the set in states that it does not come back to.
bool JobWindows::settles_later(const JobNode & node) const
{
  return terms_.starts && !node.topics.empty() && node.start == SetStart::any && !node.any_start;
}

// Whether a message from outside may wait until the next one comes, and is lost, or a timer that leaves its grid then may be
// late for its next release. A search, which gives up above `latest_`, wants no plan in which any timer may.
bool JobWindows::may_lose() const
{
  bool loses = false;
  for (Index index = 0; index < graph_.nodes.size(); ++index) {
    const JobNode & node = graph_.nodes[index];
    const Task & task = model_.tasks[node.task];
    const bool released = node.from.empty() && node.topics.empty() && !node.unphased;
    const bool skips = task.timer && !task.leaves_grid && latest_.empty();
    for (std::int64_t job = 0; released && !skips && job < node.jobs; ++job) {
      loses =
        loses || !ends_[index] || windows_[index].end[job] > node.offset + (job + 1) * node.period;
    }
  }
  return loses;
}

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
    } else if (other.urgency == own.urgency) {
      result.blockers.push_back(node);
    }
  }
  result.endless = result.overloaded = work > graph_.hyperperiod;
  result.unused = under_way;
  for (const Index node : result.work) {
    const auto & from = graph_.nodes[node].from;
    result.unused = result.unused && !(comes_within(result, node) && from.front().delay > 0);
  }
  result.more.resize(result.work.size());
  return result;
}

// Whether the node's jobs are of the work with the job that starts them: from its end, or while the message is under way.
bool JobWindows::comes_within(const Level & level, Index node) const
{
  const auto & from = graph_.nodes[node].from;
  return from.size() == 1 && (from.front().delay == 0 || level.under_way) &&
         level.place[from.front().node] != kNone;
}

// What the rounds need to know to leave out what cannot have moved.
void JobWindows::find_needs()
{
  seen_by_.resize(graph_.nodes.size());
  segment_levels_.resize(graph_.nodes.size());
  for (Index level = 0; level < graph_.levels.size(); ++level) {
    for (const std::vector<Index> * const nodes :
         {&levels_[level].work, &levels_[level].blockers}) {
      for (const Index node : *nodes) {
        seen_by_[node].push_back(level);
      }
    }
  }
  for (Index index = 0; index < graph_.nodes.size(); ++index) {
    const JobNode & node = graph_.nodes[index];
    std::vector<Index> & levels = segment_levels_[index];
    levels.push_back(node.level);
    const auto add_those_of = [&](Index starter) {
      const Index level = graph_.nodes[starter].level;
      if (graph_.levels[level].core == graph_.levels[node.level].core) {
        levels.insert(
          levels.end(), segment_levels_[starter].begin(), segment_levels_[starter].end());
      }
    };
    for (const JobNode::From & from : node.from) {
      add_those_of(from.node);
    }
    std::for_each(node.topics.begin(), node.topics.end(), add_those_of);
    std::sort(levels.begin(), levels.end());
    levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  }
}

void JobWindows::note_move(Index node)
{
  moved_in_[node] = round_;
  for (const Index level : seen_by_[node]) {
    work_moved_in_[level] = round_;
  }
}

// Whether it moved since the same place of the round before.
bool JobWindows::recent(int round) const
{
  return round >= round_ - 1;
}

// Whether what the releases of the node come from moved.
bool JobWindows::release_may_move(Index index) const
{
  const JobNode & node = graph_.nodes[index];
  const auto moved = [&](Index one) { return recent(moved_in_[one]); };
  return moved(index) || std::any_of(node.topics.begin(), node.topics.end(), moved) ||
         std::any_of(node.from.begin(), node.from.end(), [&](const JobNode::From & from) {
           return moved(from.node);
         });
}

// Whether something moved that the ends of the node depend on: the work of one of its segments' levels, or a run that blocks it.
bool JobWindows::end_may_move(Index node) const
{
  return std::any_of(segment_levels_[node].begin(), segment_levels_[node].end(), [&](Index level) {
    return recent(work_moved_in_[level]);
  });
}

// One round over all nodes; false if nothing moved.
bool JobWindows::iterate()
{
  ++round_;
  bool moved = round_ == begin_round_;
  if (round_ > 1) {
    sort_arrivals();
    look_for({});
  }
  for (Index level = 0; level < levels_.size() && !failed_ && round_ > 1; ++level) {
    if (!levels_[level].unused && recent(work_moved_in_[levels_[level].of])) {
      find_entries(levels_[level]);
      find_more(level);
      find_sparse(level);
      find_arrivals(level);
      find_busy(level);
    }
  }
  for (Index node = 0; node < graph_.nodes.size() && !failed_; ++node) {
    if (release_may_move(node) && find_releases(node)) {
      moved = true;
      released_in_[node] = round_;
      note_move(node);
    }
    if (end_may_move(node) && find_ends(node)) {
      moved = true;
      note_move(node);
    }
    failed_ = failed_ || (search_ == Search::settled && too_late(node));
  }
  if (search_ != Search::from_above) {
    failed_ = failed_ || round_ - begin_round_ >= kMostRoundsOfWindows || looks_ > limit_;
  }
  return moved && !failed_;
}

// Of all jobs of the node; whether one moved, or what is known of a set.
bool JobWindows::find_releases(Index index)
{
  const JobNode & node = graph_.nodes[index];
  const bool ended = ends_[index];
  bool moved = round_ == 1;
  if (node.topics.empty()) {
    moved = release(index) || moved;
  } else if (set_may_move(node)) {
    const JobSet before = sets_[index];
    moved = release_work(index) || !(sets_[index] == before) || moved;
  }
  return moved || ended != static_cast<bool>(ends_[index]);
}

// Whether a set may have changed in this round, in which its topics have had their turn. Otherwise it is as in the round before.
bool JobWindows::set_may_move(const JobNode & node) const
{
  return round_ == begin_round_ ||
         std::any_of(node.topics.begin(), node.topics.end(), [&](Index topic) {
           return released_in_[topic] == round_ || !ends_[topic];
         });
}

// Of all jobs of the node; whether one moved.
bool JobWindows::find_ends(Index node)
{
  const bool ended = ends_[node];
  bool moved = false;
  JobWindow & window = windows_[node];
  for (std::int64_t job = 0; ends_[node] && job < graph_.nodes[node].jobs && !failed_; ++job) {
    Ns end = window.latest[job] + graph_.nodes[node].cost;
    if (round_ > 1) {
      end = end_of({node, job}, nullptr);
    }
    const bool from_above = search_ == Search::from_above;
    if (!from_above && (end == kUnbounded || end - window.earliest[job] > horizon_)) {
      ends_[node] = false;
    } else {
      moved = move(window.end[job], end) || moved;
    }
    if (ends_[node]) {
      // How long a search goes on is decided by what its plans cost. It leaves these looks out.
      const std::int64_t looks = looks_;
      const Ns sent = end_without_followers({node, job}, end);
      looks_ = looks;
      moved = move(window.sent[job], sent) || moved;
    }
  }
  ended_[node] = window.end.rising_up();
  return moved || ended != static_cast<bool>(ends_[node]);
}

// Up, or down where windows are known to hold; whether that moved it.
bool JobWindows::move(Ns & time, Ns found) const
{
  const bool from_above = search_ == Search::from_above;
  if (round_ > 1 && (from_above ? found >= time : found <= time)) {
    return false;
  }
  const bool moved = round_ == 1 || found != time;
  time = found;
  return moved;
}

bool JobWindows::too_late(Index index) const
{
  if (latest_.empty() || latest_[index] == kUnbounded) {
    return false;
  }
  const JobNode & node = graph_.nodes[index];
  bool late = !ends_[index];
  for (std::int64_t job = 0; job < node.jobs && !late; ++job) {
    late = windows_[index].end[job] - node.offset - job * node.period > latest_[index];
  }
  return late;
}

// When the jobs of the node are released; whether that moved.
bool JobWindows::release(Index index)
{
  const JobNode & node = graph_.nodes[index];
  JobWindow & window = windows_[index];
  JobTimes earliest = window.earliest, latest = window.latest;
  std::vector<char> may_miss = window.may_miss;
  bool moved = false;
  for (std::int64_t job = 0; job < node.jobs; ++job) {
    if (node.from.empty()) {
      earliest[job] = node.offset + job * node.period;
      latest[job] = earliest[job] + node.jitter;
      if (node.unphased) {
        latest[job] += terms_.unphased ? node.period : 0;
        may_miss[static_cast<std::size_t>(job)] = 1;
      }
      continue;
    }
    for (Index i = 0; i < node.from.size(); ++i) {
      const JobWindow & before = windows_[node.from[i].node];
      ends_[index] = ends_[index] && ends_[node.from[i].node];
      const Ns from = before.earliest[job], to = add(before.sent[job], node.from[i].delay);
      earliest[job] = i == 0 ? from : std::max(earliest[job], from);
      latest[job] = i == 0 ? to : std::max(latest[job], to);
      const bool again = i == 0 && search_ == Search::from_above;
      const char own = again ? char{0} : may_miss[static_cast<std::size_t>(job)];
      may_miss[static_cast<std::size_t>(job)] =
        own != 0 || before.may_miss[static_cast<std::size_t>(job)] != 0 ? 1 : 0;
    }
  }
  if (node.from.empty() && !node.unphased) {
    skip(index, may_miss);
  }
  moved = moved || may_miss != window.may_miss;
  window.may_miss = std::move(may_miss);
  moved = moved || !(earliest == window.earliest) || !(latest == window.latest);
  window.from = earliest.rising_down();
  window.to = latest.rising_up();
  window.earliest = std::move(earliest);
  window.latest = std::move(latest);
  return moved;
}

// Marks what a timer may skip: a run that begins late skips the periods that have begun meanwhile. Windows that come from
// above are known to hold, so only what they say counts.
void JobWindows::skip(Index index, std::vector<char> & may_miss) const
{
  const JobNode & node = graph_.nodes[index];
  const JobWindow & window = windows_[index];
  if (search_ == Search::from_above) {
    may_miss.assign(may_miss.size(), 0);
  }
  for (std::int64_t job = 0; round_ > 1 && ends_[index] && job < node.jobs; ++job) {
    // A run that takes its time begins so long before its end. What dispatch takes may come before it begins.
    const Ns begins = window.end[job] - node.cost + model_.tasks[node.task].dispatch;
    const std::int64_t late = floor_div(begins - node.offset, node.period);
    for (std::int64_t next = job + 1; next <= std::min(late, job + node.jobs); ++next) {
      may_miss[within(next, node.jobs)] = 1;
    }
  }
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
  std::int64_t states = 0;
  std::optional<JobSet> set = job_set(
    topics, node.slowest, terms_.starts ? node.start : SetStart::first,
    terms_.starts && (node.any_start || (search_ == Search::from_start && settles_later(node))),
    &states);
  looks_ += kLooksPerState * states;
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
  if (search_ == Search::from_above) {
    level.endless = level.overloaded;  // by now it may have an end
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

// What each job of the work brings by the message that starts it, if that is under way within the work.
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
      looks_ += static_cast<std::int64_t>(level.blockers.size());
    }
  }
}

// Nodes of the work whose sources have no known phases, and how late they may enter.
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
    if (source.from.empty() && source.topics.empty()) {
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

// Of a job of the level's work.
Ns JobWindows::cost(const Level & level, const Job & job) const
{
  const JobNode & node = graph_.nodes[job.node];
  const std::vector<Ns> & more = level.more[level.place[job.node]];
  if (more.empty()) {
    return node.cost;
  }
  return node.cost + more[within(job.number, node.jobs)];
}

// Jobs of all nodes of each core, in the first hyperperiod.
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
    if (place != kNone && !graph_.nodes[arrival.job.node].unphased) {
      arrival.entry = terms_.latest ? level.entry[place].at(arrival.job.number) : arrival.from;
      arrival.above = graph_.levels[graph_.nodes[arrival.job.node].level].urgency > at.urgency;
      arrival.cost = cost(level, arrival.job);
      level.arrivals.push_back(arrival);
    }
  }
}

// Jobs that may be released before `begin`, and enter then or later.
void JobWindows::add_open(Index index, Ns begin, std::vector<Arrival> & open)
{
  const Level & level = levels_[index];
  looks_ += static_cast<std::int64_t>(level.work.size());
  for (Index place = 0; place < level.work.size(); ++place) {
    const Index node = level.work[place];
    if (graph_.nodes[node].unphased) {
      continue;
    }
    const JobTimes & from = windows_[node].from;
    const JobTimes & entry = terms_.latest ? level.entry[place] : from;
    const std::int64_t last = from.before(begin);
    const bool above =
      graph_.levels[graph_.nodes[node].level].urgency > graph_.levels[level.of].urgency;
    for (std::int64_t job = entry.before(begin); job < last; ++job) {
      open.push_back({from.at(job), entry.at(job), {node, job}, cost(level, {node, job}), above});
    }
  }
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

void JobWindows::find_busy(Index index)
{
  Level & level = levels_[index];
  level.busy.clear();
  level.open.clear();
  level.longest = 0;
  if (level.endless) {
    return;
  }
  std::vector<Ns> begins;
  for (const JobTimes & times : level.entry) {
    for (const Ns time : times.all()) {
      begins.push_back(time - floor_div(time, graph_.hyperperiod) * graph_.hyperperiod);
    }
  }
  std::sort(begins.begin(), begins.end());
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  auto arrival = level.arrivals.begin();  // the next that is not before the last moment
  for (const Ns time : begins) {
    Begin begin;
    if (level.busy.empty()) {
      begin = begin_at(index, time, level.open);
    } else {
      begin = level.busy.back();
      begin.time = time;
      begin.blocking = blocking(index, time, time, 0, &begin.blocker);
      for (std::size_t i = level.busy.back().open; i < level.busy.back().open_end; ++i) {
        if (level.open[i].entry >= time) {
          level.open.push_back(Arrival(level.open[i]));
        }
      }
      begin.open = level.busy.back().open_end;
    }
    for (; arrival != level.arrivals.end() && arrival->from < time; ++arrival) {
      if (!level.busy.empty() && arrival->entry >= time) {
        level.open.push_back(*arrival);
      }
    }
    begin.open_end = level.open.size();
    const Ns fixed = begin.blocking + (terms_.ceiling ? graph_.ceilings[level.of] : 0);
    Demand found = demand(index, begin, level.open, 0);
    Ns length = 1;
    for (;;) {
      go_on(level, time + length, found);
      const Ns sparse = sparse_loads(level, time, time + length, 0);
      const Ns all = add(add(fixed + found.same + found.above, sparse), other_loads(index, length));
      if (all <= length) {
        break;
      }
      length = all;
      if (length > most_length_ || looks_ > limit_) {
        level.endless = true;
        return;
      }
    }
    begin.end = time + length;
    level.busy.push_back(begin);
    level.longest = std::max(level.longest, length);
  }
}

JobWindows::Begin JobWindows::begin_at(Index index, Ns time, std::vector<Arrival> & open)
{
  Begin begin;
  begin.time = time;
  begin.blocking = blocking(index, time, time, 0, &begin.blocker);
  begin.open = open.size();
  add_open(index, time, open);
  begin.open_end = open.size();
  return begin;
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

// Whether no job k of the node runs before job k of `before` has ended; the node itself does.
bool JobWindows::follows(Index node, Index before) const
{
  return follows_[before * graph_.nodes.size() + node] != 0;
}

void JobWindows::find_followers()
{
  const std::size_t count = graph_.nodes.size();
  follows_.assign(count * count, 0);
  within_.assign(count * count, 0);
  for (Index before = 0; before < count; ++before) {
    follows_[before * count + before] = 1;
    within_[before * count + before] = 1;
    const JobLevel & own = graph_.levels[graph_.nodes[before].level];
    // Nodes stand behind those that start them.
    for (Index index = before + 1; index < count; ++index) {
      const JobNode & node = graph_.nodes[index];
      const JobLevel & level = graph_.levels[node.level];
      // Else it waits for its thread, or for its core.
      const bool may_run = level.core != own.core || level.urgency > own.urgency ||
                           (level.urgency == own.urgency && own.shared);
      std::vector<Index> starters;
      if (!node.topics.empty()) {
        starters.push_back(node.topics[node.slowest]);
      }
      for (const JobNode::From & from : node.from) {
        starters.push_back(from.node);
      }
      for (const Index starter : starters) {
        if (follows(starter, before)) {
          follows_[before * count + index] = 1;
        }
        if (may_run && within_[before * count + starter] != 0) {
          within_[before * count + index] = 1;
        }
      }
    }
  }
  std::vector<Index> receivers(count, 0);
  std::vector<char> keeps(count, 0);  // a message, and publishes nothing
  for (const JobNode & node : graph_.nodes) {
    for (const JobNode::From & from : node.from) {
      ++receivers[from.node];
    }
    for (const Index topic : node.topics) {
      keeps[topic] = 1;
    }
  }
  preempted_.assign(count, 0);
  sends_first_.assign(count, 0);
  for (Index before = 0; before < count; ++before) {
    sends_first_[before] =
      receivers[before] <= 1 || model_.tasks[graph_.nodes[before].task].one_topic ? 1 : 0;
    for (Index node = before + 1; node < count; ++node) {
      if (keeps[before] == 0 && preempts(node, before)) {
        preempted_[before] = add(preempted_[before], graph_.nodes[node].cost);
      }
    }
  }
}

// Whether job k of the node may run within job k of `before`, which has published already.
bool JobWindows::preempts(Index node, Index before) const
{
  const JobLevel & own = graph_.levels[graph_.nodes[node].level];
  const JobLevel & other = graph_.levels[graph_.nodes[before].level];
  return terms_.followers && node != before && within_[before * graph_.nodes.size() + node] != 0 &&
         own.core == other.core && own.urgency > other.urgency;
}

// By when the job's first message has gone at the latest; `end`: of the job. If it sends more, the next one may wait for
// what the first one starts.
Ns JobWindows::end_without_followers(const Job & job, Ns end)
{
  if (preempted_[job.node] == 0 || sends_first_[job.node] == 0 || round_ == 1) {
    return end;
  }
  without_followers_ = true;
  const Ns sent = end_of(job, nullptr);
  without_followers_ = false;
  return std::min(sent, end);
}

// Of the node at this place: jobs that enter at `begin` or later and may be released before `end`, without the segment.
std::vector<Job> JobWindows::runs(
  const Level & level, Index place, const std::vector<Job> & segment, Ns begin, Ns end) const
{
  const Index node = level.work[place];
  const std::int64_t first =
    (terms_.latest ? level.entry[place] : windows_[node].from).before(begin);
  std::int64_t last = windows_[node].from.before(std::min(end, add(released_by_[node], 1)));
  if (!segment.empty() && follows(node, segment.front().node)) {
    last = std::min(last, segment.front().number);  // it and later ones wait for the first to end
  }
  std::vector<Job> found;
  for (std::int64_t number = first; number < last; ++number) {
    const bool own = std::any_of(segment.begin(), segment.end(), [&](const Job & job) {
      return job.node == node && job.number == number;
    });
    if (!own) {
      found.push_back({node, number});
    }
  }
  return found;
}

CountedJob JobWindows::counted(const Job & job) const
{
  const JobWindow & window = windows_[job.node];
  return {window.earliest.at(job.number), window.latest.at(job.number)};
}

Ns JobWindows::other_loads(Index index, Ns length) const
{
  Ns all = 0;
  for (const Index other : graph_.others[levels_[index].of]) {
    all = add(all, other_load(other, length));
  }
  return all;
}

// When the first of `segment` has ended at the latest, if the busy interval begins at `at`, of which `open` has the jobs.
// The segment, which look_for knows, comes `moved` hyperperiods after what `at` and `open` say.
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
  // Until it begins; where more urgent threads end the segment, until it ends.
  const Ns waited = begins ? own - last.cost : own;
  // What comes at the very moment goes before a run that would begin then.
  const Ns at_the_end = begins || last.cost == 0 ? 1 : 0;
  const Ns followers = without_followers_ ? 0 : preempted_[segment.front().node];
  const bool begun = at.blocker.number < begun_below(at.blocker.node, moved);
  const Ns blocked =
    at.blocking == 0 || begun ? at.blocking : blocking(index, begin, begin, moved, nullptr);
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
    // Of its thread nothing else comes any more.
    const Ns same = add(found.same + followers, sparse_load(level, false, begin, until, moved));
    whole = length + last.cost;
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
    Job blocker;
    BoundTerm block{TermKind::blocking, blocking(index, begin, begin, moved, &blocker)};
    if (block.time > 0) {
      block.task = graph_.nodes[blocker.node].task;
      block.jobs.assign(ends_[blocker.node] ? 1 : 0, counted(blocker));
    }
    for (const Job & job : segment) {
      const Ns work = graph_.nodes[job.node].cost;
      add_term(*terms, {TermKind::work, work});
      add_term(*terms, {TermKind::under_way, cost(level, job) - work});
    }
    add_term(*terms, block);
    add_term(*terms, {TermKind::ceiling, terms_.ceiling ? graph_.ceilings[level.of] : 0});
    for (Index place = 0; place < level.work.size(); ++place) {
      const JobNode & node = graph_.nodes[level.work[place]];
      const bool same = begins && graph_.levels[node.level].urgency == of.urgency;
      if (!node.unphased) {
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

void JobWindows::add_interference(
  const Level & level, Index place, const std::vector<Job> & jobs, BoundTerms & terms) const
{
  const JobNode & node = graph_.nodes[level.work[place]];
  BoundTerm term{TermKind::interference, 0, node.task};
  Ns under_way = 0;
  for (const Job & job : jobs) {
    term.time += node.cost;
    term.jobs.push_back(counted(job));
    under_way += cost(level, job) - node.cost;
  }
  add_term(terms, term);
  add_term(terms, {TermKind::under_way, under_way});
}

BoundTerms JobWindows::terms_of(const LatestEnd & end)
{
  BoundTerms terms;
  std::vector<Arrival> open;
  look_for(end.segment);
  const Begin begin = begin_at(end.level, end.begin, open);
  end_from(end.level, end.segment, begin, open, 0, &terms);
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
  const Index found_level = least_urgent(segment);
  const Index aside = graph_.levels.size() + found_level;
  const Index index = under_way_ && !levels_[aside].unused ? aside : found_level;
  const Level & level = levels_[index];
  if (level.endless) {
    return kUnbounded;
  }
  const Ns released = latest;
  latest = std::min(latest, entry(level, segment.back()));
  const auto count = static_cast<std::int64_t>(level.busy.size());
  const Ns turn = floor_div(latest, graph_.hyperperiod);
  const auto at = std::upper_bound(
    level.busy.begin(), level.busy.end(), latest - turn * graph_.hyperperiod,
    [](Ns time, const Begin & begin) { return time < begin.time; });
  look_for(segment);
  const auto from = [&](const Begin & begin, std::int64_t turns) {
    return add(end_from(index, segment, begin, level.open, turns), turns * graph_.hyperperiod);
  };
  std::int64_t i = turn * count + (at - level.busy.begin()) - 1;
  Ns worst = 0;
  Ns worst_begin = latest;
  if (at != level.busy.begin() && (at - 1)->time + turn * graph_.hyperperiod == latest) {
    worst = from(*(at - 1), turn);
    --i;
  } else {
    open_.clear();
    worst = end_from(index, segment, begin_at(index, latest, open_), open_, 0);
  }
  for (; terms_.begins && worst != kUnbounded; --i) {
    const std::int64_t turns = floor_div(i, count);
    const Begin & begin = level.busy[static_cast<std::size_t>(i - turns * count)];
    const Ns shift = turns * graph_.hyperperiod;
    if (begin.time + shift < latest - level.longest) {
      break;
    }
    if (begin.end + shift < std::min(earliest, latest) || begin.end + shift <= worst) {
      continue;
    }
    const Ns found = from(begin, turns);
    if (found > worst) {
      worst = found;
      worst_begin = begin.time + shift;
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
  const Ns through = end_through(segment, how == nullptr ? nullptr : &other);
  segment.pop_back();
  if (through < direct && how != nullptr) {
    *how = std::move(other);
  }
  return std::min(through, direct);
}

// Whether a segment goes on through the message that starts the node.
bool JobWindows::goes_on(const JobNode & node) const
{
  return node.from.size() == 1 && (node.from.front().delay == 0 || under_way_);
}

Ns JobWindows::end_of(const Job & job, LatestEnd * how)
{
  std::vector<Job> segment{job};
  under_way_ = false;
  const Ns between = end_through(segment, how);
  if (!any_under_way_) {
    return between;
  }
  LatestEnd other;
  under_way_ = true;
  const Ns within = end_through(segment, how == nullptr ? nullptr : &other);
  if (within < between && how != nullptr) {
    *how = std::move(other);
  }
  return std::min(between, within);
}

// The least over all beginnings of the segment of which the last ones are there.
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
  end_of(job, &how);
  return how;
}

}  // namespace takt_plan::detail
