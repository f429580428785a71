#include "analysis/jobs/job_windows.hpp"

#include <algorithm>
#include <utility>

#include "takt_schedule/quoted.hpp"

namespace takt_plan::detail
{
namespace
{

using takt_schedule::quoted;

constexpr int kMostRoundsOfWindows = 200;
constexpr int kMostRoundsOfClusters = 100;  // a window that still moves then has no end
constexpr int kMostRoundsFromAbove = 50;    // with fewer rounds the windows are larger, but hold
constexpr std::int64_t kTimesAsLong = 5;    // limit for the search from above, as a multiple of the
                                            // search from the start
constexpr Ns kHyperperiodsOfInterval = 4;   // a longer busy interval has no end

/// True if courses may find smaller ends.
bool has_courses(const JobGraph & graph)
{
  return !graph.clusters && JobCourses::goes_back(graph) &&
         std::all_of(graph.nodes.begin(), graph.nodes.end(), [](const JobNode & node) {
           return node.topics.empty();
         });
}

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
  courses_(model, graph, terms.in_courses, terms.courses && has_courses(graph) ? most : 0),
  clusters_(model, graph, terms, {windows_, ended_, ends_}),
  sought_(graph.nodes.size()),
  on_(model.cores.size()),
  of_level_(graph.levels.size()),
  following_(graph.nodes.size()),
  arrivals_(model.cores.size())
{
  for (Index node = 0; node < graph.nodes.size(); ++node) {
    const JobTimes none(graph.nodes[node].jobs, graph.hyperperiod);
    windows_[node] = {none, none, none, none, none, none, {}};
    windows_[node].may_miss.assign(static_cast<std::size_t>(graph.nodes[node].jobs), false);
  }
  if (graph.clusters) {
    work_moved_in_.assign(clusters_.places(), 0);
    for (Index node = 0; node < graph.nodes.size(); ++node) {
      segment_levels_.push_back({clusters_.place(node)});
    }
    seen_by_ = clusters_.seen_by();
    solve();
    return;
  }
  for (Index node = 0; node < graph.nodes.size(); ++node) {
    on_[graph.levels[graph.nodes[node].level].core].push_back(node);
    of_level_[graph.nodes[node].level].push_back(node);
  }
  for (Index level = 0; level < graph.levels.size(); ++level) {
    levels_.push_back(level_of(level, false));
  }
  for (Index level = 0; level < graph.levels.size(); ++level) {
    levels_.push_back(level_of(level, true));
    any_under_way_ = any_under_way_ || !levels_.back().unused;
  }
  rising_ = on_;
  for (std::vector<Index> & nodes : rising_) {
    std::stable_sort(nodes.begin(), nodes.end(), [&](Index a, Index b) {
      return graph.levels[graph.nodes[b].level].above(graph.levels[graph.nodes[a].level]);
    });
  }
  find_followers();
  find_ways();
  find_needs();
  solve();
  looks_ += courses_.looks();
}

void JobWindows::solve()
{
  rise();
  const bool settles = std::any_of(
    graph_.nodes.begin(), graph_.nodes.end(),
    [&](const JobNode & node) { return settles_later(node); });
  if (known_ && !failed_ && !may_lose() && settles) {
    settle();
  } else if (graph_.clusters && !settles) {
    descend();
  }
  solved_ = !failed_ && !may_lose();
}

// A result holds only if it has held before, which is not known after a start: late work may keep
// the messages in another order. So this goes down again from windows that hold after each start.
void JobWindows::settle()
{
  const std::vector<char> had_ends = ends_;
  search_ = Search::from_start;
  limit_ = std::min(most_, multiply(looks_, kTimesAsLong));
  rise();
  limit_ = most_;
  take_known(had_ends);
  descend();
  failed_ = failed_ || looks_ > limit_;
  for (Index node = 0; node < graph_.nodes.size(); ++node) {
    failed_ = failed_ || too_late(node);
  }
}

// Makes windows that hold smaller. In clusters the sums of a round may be smaller than those of the
// round before, so that the windows found by rising are not the least ones.
void JobWindows::descend()
{
  search_ = Search::from_above;
  begin();
  while (!failed_ && round_ - begin_round_ < kMostRoundsFromAbove && looks_ <= limit_ &&
         iterate()) {
  }
}

// Begins from above: with the windows from the start, and with other known ends, of nodes that may
// have ends.
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

// Begins another search: its rounds examine all nodes again.
void JobWindows::begin()
{
  begin_round_ = round_ + 1;
  std::fill(moved_in_.begin(), moved_in_.end(), round_);
  std::fill(work_moved_in_.begin(), work_moved_in_.end(), round_);
}

// Rises to the least solution that is not below the known one.
void JobWindows::rise()
{
  begin();
  while (iterate()) {
  }
}

// True if a start may leave the set in states that do not come back.
bool JobWindows::settles_later(const JobNode & node) const
{
  return terms_.starts && !node.topics.empty() && node.start == SetStart::any && !node.any_start;
}

// The first node whose message from outside may wait until the next one comes, and is lost; or
// whose timer leaves its grid when late, and may be late for its next release. With `latest_`, any
// timer counts: a search does not want such a plan.
Index JobWindows::loser() const
{
  for (Index index = 0; index < graph_.nodes.size(); ++index) {
    const JobNode & node = graph_.nodes[index];
    const Task & task = model_.tasks[node.task];
    const bool released = is_source(node) && !node.unphased;
    const bool skips = task.timer && !task.leaves_grid && latest_.empty();
    for (std::int64_t job = 0; released && !skips && job < node.jobs; ++job) {
      if (!ends_[index] || windows_[index].end[job] > node.offset + (job + 1) * node.period) {
        return index;
      }
    }
  }
  return kNone;
}

std::string JobWindows::refusal() const
{
  const auto name = [&](Index node) { return quoted(model_.tasks[graph_.nodes[node].task].id); };
  const std::string part = "the callbacks that share cores or messages with " + name(0);
  if (looks_ > limit_) {
    return part + " have no windows that " + std::to_string(most_) + " terms of sums would find";
  }
  const Index loses = loser();
  if (failed_ || loses == kNone) {
    return part + " have windows that do not settle";
  }
  return model_.tasks[graph_.nodes[loses].task].timer
           ? name(loses) +
               " may end later than its next release, and with missed_periods: restart "
               "its timer then begins its periods anew"
           : "messages of " + name(loses) +
               ", which come from outside, may wait longer than their "
               "period";
}

// Finds the dependencies by which rounds omit nodes that cannot have moved.
void JobWindows::find_needs()
{
  seen_by_.resize(graph_.nodes.size());
  segment_levels_.resize(graph_.nodes.size());
  for (Index level = 0; level < graph_.levels.size(); ++level) {
    for (const Index node : levels_[level].work) {
      seen_by_[node].push_back(level);
    }
    for (const Below & below : levels_[level].below) {
      seen_by_[below.node].push_back(level);
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
    for (const Index on_way : ways_[index].nodes) {
      levels.push_back(graph_.nodes[on_way].level);
    }
    std::sort(levels.begin(), levels.end());
    levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  }
}

void JobWindows::note_move(Index node)
{
  moved_in_[node] = round_;
  if (graph_.clusters && !graph_.nodes[node].topics.empty()) {
    // A set tells which work its messages start.
    std::fill(work_moved_in_.begin(), work_moved_in_.end(), round_);
  }
  for (const Index level : seen_by_[node]) {
    work_moved_in_[level] = round_;
  }
}

// True if it moved since the same place of the last round.
bool JobWindows::recent(int round) const
{
  return round >= round_ - 1;
}

// True if something moved on which the releases of the node depend.
bool JobWindows::release_may_move(Index index) const
{
  const JobNode & node = graph_.nodes[index];
  const auto moved = [&](Index one) { return recent(moved_in_[one]); };
  return moved(index) || std::any_of(node.topics.begin(), node.topics.end(), moved) ||
         std::any_of(node.from.begin(), node.from.end(), [&](const JobNode::From & from) {
           return moved(from.node);
         });
}

// True if something moved on which the ends of the node depend: the work of one of its segments'
// levels, or a run that blocks it.
bool JobWindows::end_may_move(Index node) const
{
  return std::any_of(segment_levels_[node].begin(), segment_levels_[node].end(), [&](Index level) {
    return recent(work_moved_in_[level]);
  });
}

int JobWindows::most_rounds() const
{
  // In clusters, each of the last rounds leaves one more node without ends.
  return kMostRoundsOfWindows + (graph_.clusters ? static_cast<int>(graph_.nodes.size()) : 0);
}

// One round over all nodes; false if nothing moved.
bool JobWindows::iterate()
{
  ++round_;
  bool moved = round_ == begin_round_;
  if (graph_.clusters) {
    clusters_.look_at(sets_);
  } else if (round_ > 1) {
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
    failed_ = failed_ || round_ - begin_round_ >= most_rounds() || looks_ > limit_;
  }
  return moved && !failed_;
}

// Finds the releases of all jobs of the node. Returns true if one of them, or the knowledge about a
// set, moved.
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

// True if a set may have changed in this round, after its topics were examined. Otherwise it is as
// in the round before.
bool JobWindows::set_may_move(const JobNode & node) const
{
  return round_ == begin_round_ ||
         std::any_of(node.topics.begin(), node.topics.end(), [&](Index topic) {
           return released_in_[topic] == round_ || !ends_[topic];
         });
}

// Finds the ends of all jobs of the node. Returns true if one of them moved.
bool JobWindows::find_ends(Index node)
{
  const bool ended = ends_[node];
  bool moved = false;
  JobWindow & window = windows_[node];
  for (std::int64_t job = 0; ends_[node] && job < graph_.nodes[node].jobs && !failed_; ++job) {
    Ns end = window.latest[job] + graph_.nodes[node].cost;
    if (round_ > 1) {
      end = graph_.clusters ? end_in_cluster({node, job}, nullptr) : end_of({node, job}, nullptr);
    }
    const bool from_above = search_ == Search::from_above;
    failed_ = failed_ || (graph_.clusters && !from_above && looks_ > limit_);
    if (!from_above && (end == kUnbounded || end - window.earliest[job] > horizon_)) {
      ends_[node] = false;
    } else {
      moved = move(window.end[job], end) || moved;
    }
    if (ends_[node] && graph_.clusters) {
      moved = move(window.sent[job], end) || moved;
    } else if (ends_[node]) {
      // The cost of a plan decides how long a search goes on. It does not include these looks.
      const std::int64_t looks = looks_;
      const Ns sent = end_without_followers({node, job}, end);
      looks_ = looks;
      moved = move(window.sent[job], sent) || moved;
    }
  }
  ended_[node] = window.end.rising_up();
  return moved || ended != static_cast<bool>(ends_[node]);
}

// The latest end of a job of a part with clusters. Where windows go on growing, it has none.
Ns JobWindows::end_in_cluster(const Job & job, BoundTerms * terms)
{
  const std::int64_t looks = clusters_.looks();
  const bool grows =
    search_ != Search::from_above && round_ - begin_round_ >= kMostRoundsOfClusters;
  const std::int64_t left = solved_ ? limit_ : limit_ - looks_;
  const Ns end = clusters_.end_of(job.node, job.number, most_length_, left, terms);
  looks_ += clusters_.looks() - looks;
  return grows && terms == nullptr && end > windows_[job.node].end.at(job.number) ? kUnbounded
                                                                                  : end;
}

// Moves a time up, or down if windows are known to hold. Returns true if it moved.
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

}  // namespace takt_plan::detail
