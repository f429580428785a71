// The latest end of a job by the whole way from its source, over several cores: work that comes
// once to a core counts once, and not again in each segment there. analysis/priority/whole_way.hpp
// has the theorem.
//
// The jobs that count are those whose windows meet the time from the earliest release of the way's
// first job to the end: they may have been released before the end, and may end after that release.
#include <algorithm>
#include <set>

#include "analysis/jobs/job_windows.hpp"

namespace takt_plan::detail
{
namespace
{

constexpr std::size_t kMostNodesOfWays = 500;  // each way has a list of nodes

}  // namespace

void JobWindows::find_ways()
{
  ways_.resize(graph_.nodes.size());
  if (!terms_.ways || graph_.nodes.size() > kMostNodesOfWays) {
    return;
  }
  for (Index node = 0; node < graph_.nodes.size(); ++node) {
    ways_[node] = way_of(node);
  }
  find_sources();
}

// Finds the work of the joint busy time: the part of the model whose tasks start each other or
// share cores is the graph. No source may be late, so that the order of all releases is known.
void JobWindows::find_sources()
{
  const bool covered =
    std::all_of(graph_.nodes.begin(), graph_.nodes.end(), [&](const JobNode & node) {
      return node.topics.empty() && !node.unphased && node.jitter == 0 && node.from.size() <= 1 &&
             !joins(model_.tasks[node.task]) && !model_.tasks[node.task].newest &&
             graph_.others[node.level].empty();
    });
  if (!covered) {
    return;
  }
  source_of_.resize(graph_.nodes.size());
  Ns load = 0;
  for (Index index = 0; index < graph_.nodes.size(); ++index) {
    const JobNode & node = graph_.nodes[index];
    if (node.from.empty()) {
      source_of_[index] = sources_.size();
      sources_.push_back({index, 0, {}});
    } else {
      source_of_[index] = source_of_[node.from.front().node];
    }
    Source & source = sources_[source_of_[index]];
    const Ns cost = add(node.cost, node.from.empty() ? 0 : node.from.front().delay);
    source.cost = add(source.cost, cost);
    load = add(load, multiply(cost, node.jobs));
    for (Index before = 0; before < index; ++before) {
      if (follows(index, before) && !preempts(index, before)) {
        ways_[before].not_yet = add(ways_[before].not_yet, cost);
      }
    }
  }
  if (load >= graph_.hyperperiod) {
    sources_.clear();
    return;
  }
  find_pending();
}

// Finds the longest time that work which was released before each job of a source takes from then
// on. After two hyperperiods the second one is that of all later ones.
void JobWindows::find_pending()
{
  struct Release
  {
    Ns time = 0;
    Index source = kNone;
    std::int64_t job = 0;
  };
  std::vector<Release> releases;
  for (Index i = 0; i < sources_.size(); ++i) {
    const JobNode & node = graph_.nodes[sources_[i].root];
    sources_[i].pending.assign(static_cast<std::size_t>(node.jobs), 0);
    for (std::int64_t job = 0; job < node.jobs; ++job) {
      const Ns time = node.offset + job * node.period;
      const std::int64_t turn = floor_div(time, graph_.hyperperiod);
      releases.push_back({time - turn * graph_.hyperperiod, i, job - turn * node.jobs});
    }
  }
  std::sort(releases.begin(), releases.end(), [](const Release & a, const Release & b) {
    return a.time < b.time;
  });
  Ns pending = 0, now = 0;  // work that waits at `now`
  for (Ns turn = 0; turn < 2; ++turn) {
    for (std::size_t first = 0; first < releases.size();) {
      const Ns time = releases[first].time + turn * graph_.hyperperiod;
      pending = std::max<Ns>(0, pending - (time - now));
      now = time;
      Ns more = 0;
      std::size_t next = first;
      for (; next < releases.size() && releases[next].time == releases[first].time; ++next) {
        Source & source = sources_[releases[next].source];
        source.pending[within(releases[next].job, graph_.nodes[source.root].jobs)] = pending;
        more += source.cost;
      }
      pending += more;
      first = next;
    }
  }
}

// Work that is released at the very moment at which a job without work of its own would end goes
// first. So its count includes that moment: 1. Other jobs still have work before their end: 0.
Ns JobWindows::released_with(Index node) const
{
  return graph_.nodes[node].cost == 0 ? 1 : 0;
}

// The latest end of the job by the joint busy time of all cores; kUnbounded: there is none.
Ns JobWindows::joint_end(const Job & job, BoundTerms * terms)
{
  if (sources_.empty()) {
    return kUnbounded;
  }
  const Source & own = sources_[source_of_[job.node]];
  const JobNode & root = graph_.nodes[own.root];
  const Ns release = root.offset + job.number * root.period;
  const Ns pending = own.pending[within(job.number, root.jobs)];
  const Ns fixed = add(pending, own.cost - ways_[job.node].not_yet);
  const Ns ties = released_with(job.node);
  const auto count = [&](const Source & source, Ns until) {
    const JobNode & node = graph_.nodes[source.root];
    const auto before = [&](Ns time) {
      return floor_div(time - node.offset - 1, node.period) + 1;  // jobs that are released earlier
    };
    return before(until + ties) - before(release) - (&source == &own ? 1 : 0);
  };
  Ns length = fixed;
  for (;;) {
    Ns next = fixed;
    for (const Source & source : sources_) {
      next = add(next, multiply(source.cost, count(source, release + length)));
    }
    looks_ += static_cast<std::int64_t>(sources_.size());
    if (next <= length) {
      break;
    }
    length = next;
    if (length > most_length_ || looks_ > limit_) {
      return kUnbounded;
    }
  }
  if (terms != nullptr) {
    for (Index index = 0; index < graph_.nodes.size(); ++index) {
      const JobNode & node = graph_.nodes[index];
      const Source & source = sources_[source_of_[index]];
      const std::int64_t times = count(source, release + length);
      const Ns cost = add(node.cost, node.from.empty() ? 0 : node.from.front().delay);
      add_term(*terms, {TermKind::interference, multiply(cost, times), node.task});
    }
    add_term(*terms, {TermKind::work, own.cost - ways_[job.node].not_yet});
    add_term(*terms, {TermKind::started_before, pending});
  }
  return release + length;
}

// The way to the node, if it has several segments; otherwise a way without nodes.
JobWindows::Way JobWindows::way_of(Index last) const
{
  const auto level_at = [&](Index node) { return graph_.nodes[node].level; };
  const auto core_of = [&](Index node) { return graph_.levels[level_at(node)].core; };
  Way way;
  bool several = false;
  for (Index index = last;;) {
    const JobNode & node = graph_.nodes[index];
    if (!node.topics.empty() || node.unphased || !graph_.others[node.level].empty()) {
      break;
    }
    way.nodes.push_back(index);
    if (node.from.size() != 1 || joins(model_.tasks[node.task])) {
      break;
    }
    index = node.from.front().node;
  }
  if (way.nodes.empty()) {
    return way;
  }
  std::set<Index> preferred;
  Ns section = 0;
  std::vector<int> urgencies;  // of `way.threads`, with the cores
  std::vector<Index> cores;
  for (auto at = way.nodes.rbegin(); at != way.nodes.rend(); ++at) {
    const JobNode & node = graph_.nodes[*at];
    const JobLevel & own = graph_.levels[node.level];
    const bool first = at == way.nodes.rbegin();
    const bool stays = !first && node.from.front().delay == 0 && core_of(*(at - 1)) == own.core;
    several = several || (!first && !stays);
    way.fixed = add(way.fixed, add(node.cost, first ? 0 : node.from.front().delay));
    way.delays = add(way.delays, first ? 0 : node.from.front().delay);
    const Ns most = terms_.ceiling ? graph_.ceilings[node.level] : 0;
    way.ceiling = add(way.ceiling, stays ? std::max<Ns>(0, most - section) : most);
    section = stays ? std::max(section, most) : most;
    for (const Index other : on_[own.core]) {
      if (!own.above(graph_.levels[level_at(other)])) {
        preferred.insert(other);
      }
    }
    if (stays && graph_.levels[level_at(*(at - 1))].urgency == own.urgency && !own.shared) {
      continue;  // its thread begins no less urgent run before it
    }
    Index thread = 0;
    while (thread < cores.size() &&
           !(cores[thread] == own.core && urgencies[thread] == own.urgency)) {
      ++thread;
    }
    if (thread == cores.size()) {
      cores.push_back(own.core);
      urgencies.push_back(own.urgency);
      way.threads.emplace_back();
    }
    ++way.threads[thread].times;
  }
  if (!several) {
    return {};
  }
  way.fixed = add(way.fixed, way.ceiling);
  way.preferred.assign(preferred.begin(), preferred.end());
  for (const Index node : way.preferred) {
    if (graph_.nodes[node].unphased) {
      return {};
    }
  }
  for (Index thread = 0; thread < way.threads.size(); ++thread) {
    std::vector<Index> & below = way.threads[thread].below;
    for (const Index node : on_[cores[thread]]) {
      const JobLevel & level = graph_.levels[level_at(node)];
      if (level.urgency == urgencies[thread] && preferred.count(node) == 0) {
        below.push_back(node);
        if (graph_.nodes[node].unphased) {
          return {};
        }
      }
    }
    std::stable_sort(below.begin(), below.end(), [&](Index a, Index b) {
      return graph_.nodes[a].run > graph_.nodes[b].run;
    });
  }
  return way;
}

// The jobs of the node whose windows meet [from, until): numbers [first, last).
JobWindows::Met JobWindows::met(Index node, Ns from, Ns until) const
{
  return {ended_[node].before(from + 1), windows_[node].from.before(until)};
}

// The time that jobs of a preferred node take from `from` to `until`, beside the way to `job`.
Ns JobWindows::taken_beside(
  const Job & job, Index node, Ns from, Ns until, std::vector<Job> * jobs) const
{
  const Way & way = ways_[job.node];
  const Ns cost = graph_.nodes[node].cost;
  Met found = met(node, from, until);
  if (follows(node, job.node)) {
    found.last = std::min(found.last, job.number);  // the others wait for the end of the job
  }
  const bool own = std::find(way.nodes.begin(), way.nodes.end(), node) != way.nodes.end();
  Ns sum = 0;
  for (std::int64_t number = found.first; number < found.last; ++number) {
    if (own && number == job.number) {
      continue;
    }
    const Ns left = ended_[node].at(number) - from;
    if (left >= cost && jobs == nullptr) {
      const std::int64_t more = found.last - number;
      const bool own_later = own && job.number >= number && job.number < found.last;
      return add(sum, multiply(cost, more - (own_later ? 1 : 0)));
    }
    sum = add(sum, std::min(cost, left));
    if (jobs != nullptr) {
      jobs->push_back({node, number});
    }
  }
  return sum;
}

// The latest end of the job by its whole way; kUnbounded: there is none.
Ns JobWindows::end_of_way(const Job & job, LatestEnd * how, BoundTerms * terms)
{
  const Way & way = ways_[job.node];
  const auto ends = [&](Index node) { return ends_[node] != 0; };
  const bool all_end =
    !way.nodes.empty() && std::all_of(way.preferred.begin(), way.preferred.end(), ends) &&
    std::all_of(way.threads.begin(), way.threads.end(), [&](const Way::Thread & thread) {
      return std::all_of(thread.below.begin(), thread.below.end(), ends);
    });
  const JobWindow & head = windows_[way.nodes.empty() ? job.node : way.nodes.back()];
  const auto describe = [&](Ns end, bool joint) {
    if (how != nullptr) {
      *how = {};
      how->time = end;
      how->begin = how->released = head.latest.at(job.number);
      how->level = graph_.nodes[job.node].level;
      how->whole = true;
      how->joint = joint;
      for (const Index node : way.nodes) {
        how->segment.push_back({node, job.number});
      }
    }
    return end;
  };
  if (way.nodes.empty()) {
    return kUnbounded;
  }
  const Ns joint = joint_end(job, nullptr);
  if (!all_end) {
    return joint == kUnbounded ? joint : describe(joint, true);
  }
  const Ns from = head.earliest.at(job.number);
  const Ns begin = head.latest.at(job.number);
  const Ns followers = without_followers_ ? 0 : preempted_[job.node];
  const Ns ties = released_with(job.node);
  const auto all = [&](Ns end, BoundTerms * to) {
    const Ns until = end + ties;
    Ns sum = add(way.fixed, followers);
    for (const Index node : way.preferred) {
      std::vector<Job> jobs;
      const Ns taken = taken_beside(job, node, from, until, to == nullptr ? nullptr : &jobs);
      sum = add(sum, taken);
      if (to != nullptr) {
        BoundTerm term{TermKind::interference, taken, graph_.nodes[node].task};
        for (const Job & one : jobs) {
          term.jobs.push_back(counted(one));
        }
        add_term(*to, term);
      }
    }
    for (const Way::Thread & thread : way.threads) {
      std::int64_t left = terms_.blocking ? thread.times : 0;
      for (const Index node : thread.below) {
        const Met found = met(node, from, until);
        const std::int64_t times = std::clamp<std::int64_t>(found.last - found.first, 0, left);
        const Ns taken = multiply(graph_.nodes[node].run, times);
        sum = add(sum, taken);
        left -= times;
        if (to != nullptr) {
          BoundTerm term{TermKind::blocking, taken, graph_.nodes[node].task};
          for (std::int64_t one = found.first; one < found.last; ++one) {
            term.jobs.push_back(counted({node, one}));
          }
          add_term(*to, term);
        }
      }
    }
    looks_ += static_cast<std::int64_t>(way.preferred.size());
    return sum;
  };
  Ns length = way.fixed;
  for (;;) {
    const Ns next = all(begin + length, nullptr);
    if (next <= length) {
      break;
    }
    length = next;
    if (length > most_length_ || looks_ > limit_ || begin + length >= joint) {
      return joint == kUnbounded ? joint : describe(joint, true);
    }
  }
  describe(begin + length, false);
  if (terms != nullptr) {
    for (const Index node : way.nodes) {
      add_term(*terms, {TermKind::work, graph_.nodes[node].cost});
    }
    add_term(*terms, {TermKind::under_way, way.delays});
    add_term(*terms, {TermKind::ceiling, way.ceiling});
    all(begin + length, terms);
    for (const Index node : way.preferred) {
      if (followers > 0 && preempts(node, job.node)) {
        BoundTerm follower{
          TermKind::interference, graph_.nodes[node].cost, graph_.nodes[node].task};
        follower.jobs.push_back(counted({node, job.number}));
        add_term(*terms, follower);
      }
    }
  }
  return begin + length;
}

}  // namespace takt_plan::detail
