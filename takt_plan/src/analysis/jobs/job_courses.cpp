#include "analysis/jobs/job_courses.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace takt_plan::detail
{
namespace
{

constexpr std::size_t kMostNodesOfCourses = 64;  // more have too many orders
constexpr std::int64_t kMostLooksOfCourses = 5'000'000;
constexpr std::size_t kMostStored = 8'000'000;  // numbers in keys: some hundred megabytes in all
constexpr std::size_t kWaitingOfLook = 16;  // a look copies so many waiting jobs in its own time
constexpr Ns kMostHyperperiods = 4;         // a job that waits longer has no end

/// Cores, and the cores to which messages go from there.
using CoreLinks = std::map<Index, std::set<Index>>;

/// True if a way leads from some core back to it.
bool come_back(CoreLinks links)
{
  // Omits cores from which no message goes on, until none is left, or only ways that come back.
  for (bool omitted = true; omitted;) {
    omitted = false;
    for (auto & [core, to] : links) {
      const std::size_t before = to.size();
      std::erase_if(to, [&](Index next) {
        const auto at = links.find(next);
        return at == links.end() || at->second.empty();
      });
      omitted = omitted || to.size() < before;
    }
  }
  return std::any_of(
    links.begin(), links.end(), [](const auto & link) { return !link.second.empty(); });
}

CoreLinks core_links(const JobGraph & graph)
{
  const auto core_of = [&](Index node) { return graph.levels[graph.nodes[node].level].core; };
  CoreLinks links;
  for (Index node = 0; node < graph.nodes.size(); ++node) {
    for (const JobNode::From & from : graph.nodes[node].from) {
      if (core_of(from.node) != core_of(node)) {
        links[core_of(from.node)].insert(core_of(node));
      }
    }
  }
  return links;
}

bool covers_level(const JobGraph & graph, Index level)
{
  return !graph.levels[level].shared && !graph.levels[level].sequences &&
         graph.ceilings[level] == 0 && graph.others[level].empty();
}

bool covers_node(const Model & model, const JobNode & node)
{
  const Task & task = model.tasks[node.task];
  const bool pinned =
    task.threads.size() == 1 && model.threads[task.threads.front()].cores.size() == 1;
  return pinned && (node.topics.empty() || node.start == SetStart::first) && !node.any_start &&
         !node.unphased && node.from.size() <= 1 && !task.input && task.border == kNone &&
         task.reads.empty() && task.condition_wait == 0 && !task.overtakes &&
         task.sequence == kNone;
}

/// True if sets wait for few sources, all of one process.
bool covers_sets(const Model & model, const JobGraph & graph)
{
  std::size_t sources = 0;
  bool sets = false, one = true;
  for (const JobNode & node : graph.nodes) {
    sets = sets || !node.topics.empty();
    sources += is_source(node) ? 1 : 0;
    one = one && model.tasks[node.task].executor == model.tasks[graph.nodes.front().task].executor;
  }
  return !sets || (one && sources <= JobCourses::kMostSourcesOfSets);
}

}  // namespace

bool JobCourses::covers(const Model & model, const JobGraph & graph)
{
  if (!graph.refusal.empty() || graph.nodes.size() > kMostNodesOfCourses) {
    return false;
  }
  for (Index level = 0; level < graph.levels.size(); ++level) {
    if (!covers_level(graph, level)) {
      return false;
    }
  }
  return covers_sets(model, graph) &&
         std::all_of(graph.nodes.begin(), graph.nodes.end(), [&](const JobNode & node) {
           return covers_node(model, node);
         });
}

bool JobCourses::goes_back(const JobGraph & graph)
{
  return come_back(core_links(graph));
}

bool JobCourses::goes_back(const Model & model)
{
  const auto core_of = [&](Index task) {
    return model.threads[model.tasks[task].threads.front()].cores.front();
  };
  CoreLinks links;
  for (Index task = 0; task < model.tasks.size(); ++task) {
    for (const Link & link : model.tasks[task].triggers) {
      if (core_of(link.from) != core_of(task)) {
        links[core_of(link.from)].insert(core_of(task));
      }
    }
  }
  return come_back(std::move(links));
}

JobCourses::JobCourses(
  const Model & model, const JobGraph & graph, const CourseTerms & terms, std::int64_t most)
: graph_(graph),
  terms_(terms),
  most_(std::min(most, kMostLooksOfCourses))
{
  if (most <= 0 || !covers(model, graph)) {
    return;
  }
  for (const JobNode & node : graph.nodes) {
    ends_.emplace_back(node.jobs, graph.hyperperiod);
    std::fill_n(&ends_.back()[0], node.jobs, std::numeric_limits<Ns>::min());
    const Task & task = model.tasks[node.task];
    before_pick_.push_back(terms.pick ? task.before_pick(node.cost) : 0);
    punctual_.push_back(is_source(node) && task.timer && task.release->jitter == 0 ? 1 : 0);
  }
  find_threads();
  find_receivers();
  find_sets();
  found_ = search();
  for (JobTimes & ends : ends_) {
    // No course has the job: where a term is left out.
    std::replace_if(
      &ends[0], &ends[0] + ends.jobs(),
      [](Ns end) { return end == std::numeric_limits<Ns>::min(); }, kUnbounded);
  }
  states_ = {};
  known_ = {};
  open_ = {};
}

void JobCourses::find_threads()
{
  std::vector<std::pair<Index, int>> places;  // core and urgency of each thread
  for (const JobNode & node : graph_.nodes) {
    const JobLevel & level = graph_.levels[node.level];
    const std::pair place{level.core, level.urgency};
    const auto at = std::find(places.begin(), places.end(), place);
    thread_of_.push_back(static_cast<Index>(at - places.begin()));
    if (at == places.end()) {
      places.push_back(place);
    }
  }
  threads_.resize(places.size());
  for (Index a = 0; a < places.size(); ++a) {
    for (Index b = 0; b < places.size(); ++b) {
      if (places[a].first == places[b].first && places[a].second < places[b].second) {
        threads_[a].above.push_back(b);
        threads_[b].below.push_back(a);
      }
    }
  }
}

void JobCourses::find_receivers()
{
  receivers_.resize(graph_.nodes.size());
  caused_.assign(graph_.nodes.size(), 1);
  for (Index node = graph_.nodes.size(); node-- > 0;) {
    const std::vector<Index> & topics = graph_.nodes[node].topics;
    if (!topics.empty()) {
      caused_[topics[graph_.nodes[node].slowest]] += caused_[node];
    }
    if (graph_.nodes[node].from.empty()) {
      continue;
    }
    const JobNode::From & from = graph_.nodes[node].from.front();
    receivers_[from.node].push_back({node, from.delay});
    caused_[from.node] += caused_[node];  // each node stands behind its sender
  }
}

void JobCourses::find_sets()
{
  topic_.assign(graph_.nodes.size(), kNone);
  work_.assign(graph_.nodes.size(), kNone);
  Index topics = 0;
  for (Index index = 0; index < graph_.nodes.size(); ++index) {
    const JobNode & node = graph_.nodes[index];
    for (const Index topic : node.topics) {
      works_.push_back(topic == node.topics[node.slowest] ? index : kNone);
      topic_[topic] = topics++;
      work_[topic] = index;
      sets_ = true;
    }
    source_of_.push_back(
      !node.topics.empty() ? kNone
      : is_source(node)    ? sources_.size()
                           : source_of_[node.from.front().node]);
    if (is_source(node)) {
      sources_.push_back(index);
    }
  }
  kept_.assign(topics, no_origins());
  responses_.assign(graph_.nodes.size(), std::vector<Ns>(sources_.size(), 0));
}

/// Adds the states of all starts. Without sets, one start of all sources covers all others.
void JobCourses::add_starts()
{
  std::vector<Ns> moments{0};
  for (const Index source : sources_) {
    const JobNode & node = graph_.nodes[source];
    for (std::int64_t job = 0; sets_ && terms_.starts && job < node.jobs; ++job) {
      const Ns release = node.offset + job * node.period;
      moments.push_back(release + 1);
      moments.push_back(release + node.jitter + 1);
    }
  }
  std::sort(moments.begin(), moments.end());
  moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
  for (const Ns moment : moments) {
    add_starts({}, moment);
  }
}

/// Adds the states of starts at the moment, if the first sources have these first jobs.
void JobCourses::add_starts(const std::vector<std::int64_t> & first, Ns moment)
{
  if (looks_ > most_) {
    return;
  }
  if (first.size() < sources_.size()) {
    const JobNode & node = graph_.nodes[sources_[first.size()]];
    // Each release that may be at this moment or later, while the one before may be earlier.
    const std::int64_t least =
      std::max<std::int64_t>(0, floor_div(moment - 1 - node.offset - node.jitter, node.period) + 1);
    for (std::int64_t job = least; job == least || node.offset + (job - 1) * node.period < moment;
         ++job) {
      std::vector<std::int64_t> more = first;
      more.push_back(job);
      add_starts(more, moment);
    }
    return;
  }
  ++looks_;
  State state;
  state.next = first;
  state.running.assign(threads_.size(), {});
  state.kept = kept_;
  state.from = moment;
  state.free.assign(threads_.size(), moment);
  static_cast<void>(move_back(state));
  add(state);
}

bool JobCourses::search()
{
  add_starts();
  while (!open_.empty()) {
    examined_ = states_[open_.begin()->second];  // a copy: new states may move all others
    open_.erase(open_.begin());
    if (!go_on(examined_)) {
      return false;
    }
  }
  return true;
}

void JobCourses::find_candidates(const State & state)
{
  candidates_.clear();
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const JobNode & node = graph_.nodes[sources_[i]];
    const Ns release = node.offset + state.next[i] * node.period;
    Run job{sources_[i], sets_ ? 0 : state.next[i]};
    if (sets_) {
      job.origins[i] = state.next[i];
    }
    candidates_.push_back({job, release, release + node.jitter, i, false});
  }
  Index before = kNone;
  for (std::size_t i = 0; i < state.waiting.size(); ++i) {
    const Waiting & one = state.waiting[i];
    if (one.job.node != before) {
      candidates_.push_back({one.job, state.from, one.ready, i, one.here});
    }
    before = one.job.node;
  }
}

/// The time by which some job begins.
Ns JobCourses::next_begin(const State & state) const
{
  Ns next = kUnbounded;
  for (const Candidate & one : candidates_) {
    const Index thread = thread_of_[one.job.node];
    Ns begins = std::max(one.ready, state.free[thread]);
    for (const Index above : threads_[thread].above) {
      begins = std::max(begins, state.free[above]);
    }
    next = std::min(next, begins + before_pick_[one.job.node]);
  }
  return next;
}

/// The latest begin of the first job, if the second one may precede it; kUnbounded: it does not.
/// kNever: the second one begins before.
Ns JobCourses::latest_before(const Candidate & one, const Candidate & other) const
{
  const JobLevel & level = graph_.levels[graph_.nodes[one.job.node].level];
  const JobLevel & by = graph_.levels[graph_.nodes[other.job.node].level];
  if (by.core != level.core || !by.above(level)) {
    return kUnbounded;
  }
  if (other.here) {
    return kNever;
  }
  const bool punctual =
    punctual_[one.job.node] != 0 && punctual_[other.job.node] != 0 && by.urgency == level.urgency;
  return other.ready - (punctual ? 1 : 0);
}

/// Examines all jobs that may begin next. False: the search has to end.
bool JobCourses::go_on(const State & state)
{
  find_candidates(state);
  const Ns next = next_begin(state);
  for (const Candidate & one : candidates_) {
    Ns latest = next;
    for (const Candidate & other : candidates_) {
      latest = std::min(latest, latest_before(one, other));
    }
    looks_ += static_cast<std::int64_t>(candidates_.size());
    if (std::max(one.earliest, state.from) <= latest) {
      begin(state, one, latest);
    }
  }
  return looks_ <= most_ && stored_ <= kMostStored && !endless_;
}

/// The job begins by `latest`.
void JobCourses::begin(const State & state, const Candidate & one, Ns latest)
{
  State & after = after_ = state;
  looks_ += static_cast<std::int64_t>(state.waiting.size() / kWaitingOfLook);
  const JobNode & node = graph_.nodes[one.job.node];
  if (node.from.empty()) {
    ++after.next[one.place];
    // A timer that skips a period changes sets.
    endless_ = endless_ || (sets_ && latest >= one.earliest + node.period);
  } else {
    after.waiting.erase(after.waiting.begin() + static_cast<std::ptrdiff_t>(one.place));
  }
  const Run job = topic_[one.job.node] == kNone ? one.job : keep(after, one.job);
  const Ns cost = job.node == one.job.node ? node.cost : node.run;
  after.from = terms_.shorter ? std::max(one.earliest, state.from) : latest;
  const Index thread = thread_of_[job.node];
  end_runs(after, thread, latest);
  for (const Index above : threads_[thread].above) {
    end_runs(after, above, latest);
  }
  if (terms_.preempted) {
    delay_less_urgent(after, thread, cost);
  }
  const Ns end = after.free[thread] = latest + cost;
  if (!threads_[thread].above.empty()) {
    after.running[thread] = job;
  }
  note_end(job, end);
  send(after, job, end);
  clean(after);
  endless_ = endless_ || end - after.from > multiply(graph_.hyperperiod, kMostHyperperiods);
  if (move_back(after) && !terms_.again) {
    return;
  }
  add(after);
}

/// Keeps a message in its set. Returns the run: the work, if the set is complete.
JobCourses::Run JobCourses::keep(State & state, const Run & message) const
{
  state.kept[topic_[message.node]] = message.origins;
  const Index work = work_[message.node];
  Run run{work, 0};
  for (const Index topic : graph_.nodes[work].topics) {
    const Origins & kept = state.kept[topic_[topic]];
    if (kept == no_origins()) {
      return message;
    }
    for (Index source = 0; source < kept.size(); ++source) {
      std::int64_t & origin = run.origins[source];
      const bool both = origin != kNever && kept[source] != kNever;
      origin = both ? std::min(origin, kept[source]) : std::max(origin, kept[source]);
    }
  }
  for (const Index topic : graph_.nodes[work].topics) {
    state.kept[topic_[topic]] = no_origins();
  }
  return run;
}

/// All runs of the thread have ended by then.
void JobCourses::end_runs(State & state, Index thread, Ns by) const
{
  state.free[thread] = std::min(state.free[thread], by);
  state.running[thread] = {};
  for (Waiting & one : state.waiting) {
    const JobNode::From & from = graph_.nodes[one.job.node].from.front();
    if (thread_of_[from.node] == thread) {
      one.ready = std::min(one.ready, by + from.delay);
      one.here = one.here || from.delay == 0;
    }
  }
}

/// A run of the thread takes so much time from runs that may go on.
void JobCourses::delay_less_urgent(State & state, Index thread, Ns cost)
{
  for (const Index below : threads_[thread].below) {
    const Run & run = state.running[below];
    if (run.node == kNone || state.free[below] <= state.from) {
      continue;
    }
    state.free[below] += cost;
    note_end(run, state.free[below]);
    for (Waiting & one : state.waiting) {
      const Run sender{
        graph_.nodes[one.job.node].from.front().node, one.job.number, one.job.origins};
      if (sender == run) {
        one.ready += cost;
      }
    }
  }
}

void JobCourses::send(State & state, const Run & job, Ns end) const
{
  for (const Receiver & receiver : receivers_[job.node]) {
    const auto behind = std::upper_bound(
      state.waiting.begin(), state.waiting.end(), receiver.node,
      [](Index node, const Waiting & one) { return node < one.job.node; });
    state.waiting.insert(
      behind, {{receiver.node, job.number, job.origins}, end + receiver.delay, false});
  }
}

/// Forgets times that are over.
void JobCourses::clean(State & state) const
{
  for (Index thread = 0; thread < threads_.size(); ++thread) {
    if (state.free[thread] <= state.from) {
      state.free[thread] = state.from;
      state.running[thread] = {};
    }
  }
  for (Waiting & one : state.waiting) {
    one.here = one.here || one.ready < state.from;
    one.ready = std::max(one.ready, state.from);
  }
}

/// Moves the state back to the first hyperperiod. Returns true if it was in a later one.
bool JobCourses::move_back(State & state) const
{
  std::int64_t turns = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    turns = std::min(turns, floor_div(state.next[i], graph_.nodes[sources_[i]].jobs));
  }
  if (turns == 0) {
    return false;
  }
  const Ns time = turns * graph_.hyperperiod;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    state.next[i] -= turns * graph_.nodes[sources_[i]].jobs;
  }
  for (Waiting & one : state.waiting) {
    move_back(one.job, turns);
    one.ready -= time;
  }
  for (Index thread = 0; thread < threads_.size(); ++thread) {
    move_back(state.running[thread], turns);
    state.free[thread] -= time;
  }
  for (Origins & kept : state.kept) {
    move_back(kept, turns);
  }
  state.from -= time;
  return true;
}

void JobCourses::move_back(Run & run, std::int64_t turns) const
{
  if (run.node != kNone) {
    run.number -= sets_ ? 0 : turns * graph_.nodes[run.node].jobs;
    move_back(run.origins, turns);
  }
}

void JobCourses::move_back(Origins & origins, std::int64_t turns) const
{
  for (Index source = 0; sets_ && source < sources_.size(); ++source) {
    std::int64_t & origin = origins[source];
    origin -= origin == kNever ? 0 : turns * graph_.nodes[sources_[source]].jobs;
  }
}

std::size_t JobCourses::Hash::operator()(const Key & key) const noexcept
{
  std::uint64_t hash = 1469598103934665603U;  // FNV-1a, of whole numbers
  for (const std::int64_t one : key) {
    hash = (hash ^ static_cast<std::uint64_t>(one)) * 1099511628211U;
  }
  return static_cast<std::size_t>(hash ^ (hash >> 32U));
}

void JobCourses::add_run(const Run & run, Key & key) const
{
  key.push_back(static_cast<std::int64_t>(run.node));
  if (sets_) {
    key.insert(key.end(), run.origins.begin(), run.origins.end());
  } else {
    key.push_back(run.number);
  }
}

void JobCourses::find_key(const State & state, Key & key) const
{
  key = state.next;
  for (const Run & run : state.running) {
    add_run(run, key);
  }
  for (const Waiting & one : state.waiting) {
    add_run(one.job, key);
    key.push_back(one.here ? 1 : 0);
  }
  for (const Origins & kept : state.kept) {
    key.insert(key.end(), kept.begin(), kept.end());
  }
}

/// The number of jobs that have begun.
std::int64_t JobCourses::begun(const State & state) const
{
  std::int64_t count = 0;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    count += state.next[i] * caused_[sources_[i]];
  }
  for (const Waiting & one : state.waiting) {
    count -= caused_[one.job.node];
  }
  for (Index topic = 0; topic < state.kept.size(); ++topic) {
    const bool waits = works_[topic] != kNone && state.kept[topic] != no_origins();
    count -= waits ? caused_[works_[topic]] : 0;
  }
  return count;
}

/// Returns true if `into` changed.
bool JobCourses::merge(State & into, const State & other) const
{
  bool changed = other.from < into.from;
  into.from = std::min(into.from, other.from);
  const auto raise = [&](Ns & time, Ns by) {
    changed = changed || by > time;
    time = std::max(time, by);
  };
  for (Index thread = 0; thread < threads_.size(); ++thread) {
    raise(into.free[thread], other.free[thread]);
  }
  for (std::size_t i = 0; i < into.waiting.size(); ++i) {
    raise(into.waiting[i].ready, other.waiting[i].ready);
  }
  return changed;
}

void JobCourses::add(const State & state)
{
  find_key(state, key_);
  const auto [at, added] = known_.try_emplace(key_, states_.size());
  const Index index = at->second;
  if (added) {
    states_.push_back(state);
    stored_ += key_.size();
  } else if (!merge(states_[index], state)) {
    return;
  }
  open_.emplace(begun(states_[index]), index);
}

void JobCourses::note_end(const Run & job, Ns end)
{
  std::vector<Ns> & responses = responses_[job.node];
  const auto note = [&](Index source, std::int64_t number) {
    const JobNode & node = graph_.nodes[sources_[source]];
    responses[source] = std::max(responses[source], end - node.offset - number * node.period);
  };
  if (sets_) {
    for (Index source = 0; source < sources_.size(); ++source) {
      if (job.origins[source] != kNever) {
        note(source, job.origins[source]);
      }
    }
    return;
  }
  note(source_of_[job.node], job.number);
  JobTimes & ends = ends_[job.node];
  const std::int64_t turns = floor_div(job.number, ends.jobs());
  Ns & known = ends[job.number - turns * ends.jobs()];
  known = std::max(known, end - turns * graph_.hyperperiod);
}

}  // namespace takt_plan::detail
