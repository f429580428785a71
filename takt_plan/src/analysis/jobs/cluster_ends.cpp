#include "analysis/jobs/cluster_ends.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "analysis/limits.hpp"

namespace takt_plan::detail
{
ClusterEnds::ClusterEnds(
  const Model & model, const JobGraph & graph, const JobTerms & terms, KnownJobs known)
: model_(model),
  graph_(graph),
  terms_(terms),
  known_(known)
{
  if (graph.clusters) {
    find_places();
    find_members();
    find_traits();
  }
}

Index ClusterEnds::add_place(const std::vector<Index> & threads)
{
  Place place;
  place.threads = threads;
  const auto & first = model_.threads[threads.front()].cores;
  place.cores = first.size();
  place.has_core.assign(model_.cores.size(), 0);
  for (const Index thread : threads) {
    const auto & cores = model_.threads[thread].cores;
    place.apart = place.apart || cores != first;
    place.cores = std::min(place.cores, cores.size());
    for (const Index core : cores) {
      place.has_core[core] = 1;
    }
  }
  places_.push_back(std::move(place));
  return places_.size() - 1;
}

void ClusterEnds::find_places()
{
  traits_.resize(graph_.nodes.size());
  std::map<std::vector<Index>, Index> known;
  for (Index node = 0; node < graph_.nodes.size(); ++node) {
    const std::vector<Index> & threads = model_.tasks[graph_.nodes[node].task].threads;
    const auto found = known.find(threads);
    traits_[node].place = found != known.end()
                            ? found->second
                            : known.emplace(threads, add_place(threads)).first->second;
  }
}

void ClusterEnds::find_members()
{
  const auto priority = [&](const Place & place) {
    return model_.threads[place.threads.front()].priority;
  };
  std::vector<std::vector<Index>> nodes(places_.size());
  for (Index node = 0; node < graph_.nodes.size(); ++node) {
    nodes[traits_[node].place].push_back(node);
  }
  const auto have_common = [&](const Place & place, const Place & other) {
    const auto has = [&](Index thread) {
      const auto & cores = model_.threads[thread].cores;
      return std::any_of(
        cores.begin(), cores.end(), [&](Index core) { return place.has_core[core] != 0; });
    };
    return std::any_of(other.threads.begin(), other.threads.end(), has);
  };
  // Of each place, the groups of its nodes. Tasks without a group have one of their own.
  std::vector<Index> groups(places_.size(), 0);
  for (Index place = 0; place < places_.size(); ++place) {
    std::map<std::pair<bool, Index>, Index> known;
    for (const Index node : nodes[place]) {
      const Index task = graph_.nodes[node].task;
      const Index group = model_.tasks[task].group;
      const auto key = std::pair(group == kNone, group == kNone ? task : group);
      const bool pool = places_[place].threads.size() > 1;
      const Index of = pool ? known.emplace(key, known.size()).first->second : 0;
      traits_[node].group = of;
      groups[place] = std::max(groups[place], of + 1);
      places_[place].own.push_back({node, of});
    }
    places_[place].own_entities = groups[place];
  }
  for (Place & place : places_) {
    for (Index index = 0; index < places_.size(); ++index) {
      const Place & other = places_[index];
      if (&other == &place || !have_common(place, other)) {
        continue;
      }
      if (priority(other) < priority(place)) {
        for (const Index node : nodes[index]) {
          const Task & task = model_.tasks[graph_.nodes[node].task];
          const bool raised = std::any_of(
            other.threads.begin(), other.threads.end(),
            [&](Index thread) { return model_.threads[thread].ceiling > 0; });
          place.section = std::max(place.section, raised ? task.section() : 0);
        }
        continue;
      }
      Index pool = kNone;
      if (other.threads.size() > 1) {
        pool = place.pools.size();
        place.pools.push_back(other.threads.size());
      }
      const Index first = place.pool_of.size();
      place.pool_of.resize(first + groups[index], pool);
      for (const Index node : nodes[index]) {
        place.others.push_back({node, first + traits_[node].group});
      }
    }
  }
}

void ClusterEnds::find_traits()
{
  Index cores = 0;
  for (Index core = 0; core < model_.cores.size(); ++core) {
    cores += std::any_of(places_.begin(), places_.end(), [&](const Place & place) {
      return place.has_core[core] != 0;
    });
  }
  // With one core each, no thread moves to another core.
  const bool moves = std::any_of(places_.begin(), places_.end(), [&](const Place & place) {
    return std::any_of(place.threads.begin(), place.threads.end(), [&](Index thread) {
      return model_.threads[thread].cores.size() > 1;
    });
  });
  const auto switches = static_cast<Ns>(moves ? cores + 1 : 2);
  for (Index node = 0; node < graph_.nodes.size(); ++node) {
    const JobNode & of = graph_.nodes[node];
    const Task & task = model_.tasks[of.task];
    Traits & traits = traits_[node];
    const Place & place = places_[traits.place];
    traits.level =
      model_.threads[place.threads.front()].order == takt_core::Order::priority ? task.priority : 0;
    traits.change = task.dispatch / 2;  // it has two switches
    if (of.topics.empty()) {            // the work on a set belongs to the run of a message
      traits.wakes = place.threads.size() > 1 ? 2 : 1;
      traits.extra = multiply(traits.change, traits.wakes * switches - 2);
    }
  }
}

std::vector<std::vector<Index>> ClusterEnds::seen_by() const
{
  std::vector<std::vector<Index>> result(graph_.nodes.size());
  for (Index place = 0; place < places_.size(); ++place) {
    for (const auto * members : {&places_[place].own, &places_[place].others}) {
      for (const Member & member : *members) {
        result[member.node].push_back(place);
      }
    }
  }
  return result;
}

void ClusterEnds::look_at(const std::vector<JobSet> & sets)
{
  messages_.assign(graph_.nodes.size(), {});
  for (Index index = 0; index < graph_.nodes.size(); ++index) {
    const JobNode & node = graph_.nodes[index];
    if (node.topics.empty() || sets[index].works.empty()) {
      continue;
    }
    for (Index topic = 0; topic < node.topics.size(); ++topic) {
      const std::int64_t jobs = graph_.nodes[node.topics[topic]].jobs;
      JobTimes first(node.jobs, jobs);
      std::vector<char> any(static_cast<std::size_t>(node.jobs), 0);
      for (std::int64_t message = 0; message < jobs; ++message) {
        for (const std::int64_t work :
             sets[index].works[topic][static_cast<std::size_t>(message)]) {
          const std::int64_t turn = floor_div(work, node.jobs);
          const std::int64_t number = work - turn * node.jobs;
          const std::int64_t from = message - turn * jobs;
          char & seen = any[static_cast<std::size_t>(number)];
          first[number] = seen != 0 ? std::min(first[number], from) : from;
          seen = 1;
        }
      }
      const bool all = std::all_of(any.begin(), any.end(), [](char one) { return one != 0; });
      messages_[index].push_back(all ? std::optional(first.rising_down()) : std::nullopt);
    }
  }
}

/// Finds for each node the number from which on its jobs are released only after the job has begun.
void ClusterEnds::find_started(Index job, std::int64_t number)
{
  started_.assign(graph_.nodes.size(), kNever);
  started_[job] = number;
  looks_ += static_cast<std::int64_t>(graph_.nodes.size() - job);
  // A node stands behind the nodes that start it.
  for (Index index = job + 1; index < graph_.nodes.size(); ++index) {
    const JobNode & node = graph_.nodes[index];
    for (const JobNode::From & from : node.from) {
      started_[index] = std::min(started_[index], started_[from.node]);
    }
    for (Index topic = 0; topic < node.topics.size(); ++topic) {
      const std::int64_t message = started_[node.topics[topic]];
      if (message == kNever) {
        continue;
      }
      if (topic == node.slowest) {
        started_[index] = std::min(started_[index], message);
      } else if (topic < messages_[index].size() && messages_[index][topic]) {
        started_[index] = std::min(started_[index], messages_[index][topic]->before(message));
      }
    }
  }
}

/// The first job of the node that may end behind `from`.
std::int64_t ClusterEnds::first_behind(Index node, Ns from) const
{
  return known_.ended[node].before(from + 1);
}

Ns ClusterEnds::work_of(Index node, std::int64_t job, Ns from, Ns cost) const
{
  const Ns all = add(cost, traits_[node].extra);
  return known_.ends[node] ? std::min(all, known_.ended[node].at(job) - from) : all;
}

/// The node's jobs from job.from on that may be released before `until`; `with_started`: also those
/// that the job itself starts.
ClusterEnds::Counted ClusterEnds::count(
  const Job & job, Index node, Ns until, bool with_started) const
{
  Counted counted;
  counted.node = node;
  counted.first = first_behind(node, job.from);
  if (!terms_.begins) {
    counted.first = std::max(counted.first, known_.windows[node].from.before(job.from));
  }
  counted.last = known_.windows[node].from.before(until);
  if (node == job.node || !with_started) {
    counted.last = std::min(counted.last, started_[node]);
  }
  counted.last = std::max(counted.first, counted.last);
  for (std::int64_t one = counted.first; one < counted.last; ++one) {
    counted.time = add(counted.time, work_of(node, one, job.from, graph_.nodes[node].cost));
  }
  return counted;
}

/// Adds them. `mate`: to the group of the job that waits. Returns false if they have no end.
bool ClusterEnds::add_work(
  const Job & job, const Member & member, Ns until, bool with_started, bool mate, Work & work)
{
  if (!known_.ends[member.node]) {
    return false;
  }
  Counted counted = count(job, member.node, until, with_started);
  if (counted.first == counted.last) {
    return true;
  }
  looks_ += counted.last - counted.first;
  counted.entity = mate ? kNone : member.entity;
  work.mates += mate ? counted.last - counted.first : 0;
  Ns & sum = mate ? work.group : work.of[member.entity];
  sum = add(sum, counted.time);
  work.wakes += (counted.last - counted.first) * traits_[member.node].wakes;
  if (record_) {
    work.counted.push_back(counted);
  }
  return true;
}

/// Adds the longest run of a less urgent node of the place that may have begun.
void ClusterEnds::add_begun(const Job & job, Index index, Work & work)
{
  const JobNode & node = graph_.nodes[index];
  const Ns run = add(node.topics.empty() ? node.cost : node.run, traits_[index].extra);
  Counted most;
  most.node = index;
  if (!known_.ends[index]) {
    most.time = run;
  }
  std::int64_t last = known_.ends[index] ? known_.windows[index].from.before(job.from + 1)
                                         : std::numeric_limits<std::int64_t>::min();
  last = std::min(last, started_[index]);
  for (std::int64_t one = known_.ends[index] ? first_behind(index, job.from) : last; one < last;
       ++one) {
    const Ns time = std::min(run, known_.ended[index].at(one) - job.from);
    if (time > most.time) {
      most.first = one;
      most.last = one + 1;
      most.time = time;
    }
  }
  if (most.time > 0) {
    work.counted_begun.push_back(most);
  }
}

/// The jobs of the place that go before the job if it begins at `until` - 1 or earlier.
bool ClusterEnds::add_own(const Job & job, const Place & place, Ns until, Work & work)
{
  const Traits & own = traits_[job.node];
  const bool pool = place.threads.size() > 1;
  looks_ += static_cast<std::int64_t>(place.own.size());
  for (const Member & member : place.own) {
    const Traits & other = traits_[member.node];
    const Ns before = other.level > own.level ? until : job.from + 1;
    if (pool && other.group == own.group && !add_work(job, member, before, false, true, work)) {
      return false;
    }
  }
  // While a member of the group runs, the other threads begin what would come behind the job.
  const bool mates = work.mates > 0;
  for (const Member & member : place.own) {
    const Traits & other = traits_[member.node];
    if (pool && other.group == own.group) {
      continue;
    }
    if (mates || other.level >= own.level) {
      const bool by_begin = other.level > own.level || mates;
      const bool counts = other.level >= own.level || terms_.blocking;
      const Ns before = by_begin ? until : job.from + 1;
      if (counts && !add_work(job, member, before, false, false, work)) {
        return false;
      }
    } else if (terms_.blocking) {
      add_begun(job, member.node, work);
    }
  }
  std::vector<Counted> & begun = work.counted_begun;
  const std::size_t most = std::min(begun.size(), place.threads.size());
  std::partial_sort(
    begun.begin(), begun.begin() + static_cast<std::ptrdiff_t>(most), begun.end(),
    [](const Counted & a, const Counted & b) { return a.time > b.time; });
  begun.resize(most);
  for (const Counted & one : begun) {
    work.begun.push_back(one.time);
    work.wakes += traits_[one.node].wakes;
  }
  return true;
}

/// All jobs of the place that are released before `until`.
bool ClusterEnds::add_all(const Job & job, const Place & place, Ns until, Work & work)
{
  looks_ += static_cast<std::int64_t>(place.own.size());
  return std::all_of(place.own.begin(), place.own.end(), [&](const Member & member) {
    const bool mate =
      place.threads.size() > 1 && traits_[member.node].group == traits_[job.node].group;
    return add_work(job, member, until, !mate, mate, work);
  });
}

bool ClusterEnds::add_others(
  const Job & job, const Place & place, Ns until, bool with_started, Work & work)
{
  looks_ += static_cast<std::int64_t>(place.others.size());
  return std::all_of(place.others.begin(), place.others.end(), [&](const Member & member) {
    return add_work(job, member, until, with_started, false, work);
  });
}

/// The parts of the wait that are the same for each kind of sum.
void ClusterEnds::add_waits(
  const Job & job, const Place & place, std::int64_t wakes, std::int64_t mates, Wait & wait) const
{
  const auto more = static_cast<std::int64_t>(place.threads.size()) - 1;
  wait.sections = terms_.ceiling ? multiply(place.section, 1 + wakes) : 0;
  wait.switches = multiply(traits_[job.node].change, wakes + more * (1 + mates));
}

/// longest_busy; counts its looks.
Ns ClusterEnds::busy(const SharedWork & work, Index rate)
{
  const BusyTime found = longest_busy(work, rate);
  looks_ += found.looks;
  return found.time;
}

/// The least length after which the job has ended, from its latest release on. `wait_until`: its
/// wait if all work that may be there before a time counts; none: there is no end to it. `explain`:
/// adds the terms of a wait for threads and cores.
template <typename WaitUntil, typename Explain>
Ns ClusterEnds::least_end(
  const Job & job, Ns most, BoundTerms * terms, const WaitUntil & wait_until,
  const Explain & explain)
{
  const Ns cost = graph_.nodes[job.node].cost;
  const Ns at_the_end = cost == 0 ? 1 : 0;
  for (Ns length = cost;;) {
    const std::optional<Wait> wait = wait_until(job.from + length + at_the_end);
    if (!wait) {
      return kUnbounded;
    }
    const Ns all = add(cost, wait->sum());
    if (all <= length) {
      if (terms != nullptr) {
        add_terms(job, *wait, *terms);
        explain(*wait);
        add_term(*terms, {TermKind::switches, length - all});
      }
      return job.from + length;
    }
    length = all;
    if (length > most || looks_ > most_looks_) {
      return kUnbounded;
    }
  }
}

/// The wait for threads of the place, and that for cores, one after the other.
Ns ClusterEnds::end_apart(const Job & job, Ns most, BoundTerms * terms)
{
  const Place & place = places_[traits_[job.node].place];
  const Index threads = place.threads.size();
  const Index rate = place.apart ? place.cores : place.cores - threads + 1;
  const Ns cost = graph_.nodes[job.node].cost;
  const Ns before_pick =
    terms_.pick ? model_.tasks[graph_.nodes[job.node].task].before_pick(cost) : 0;
  Work own, others;
  const auto wait_of_others = [&](Ns until, bool with_started, Wait & wait) {
    others = {};
    others.of.assign(place.pool_of.size(), 0);
    if (!add_others(job, place, until, with_started, others)) {
      return false;
    }
    wait.others = busy({others.of, place.pool_of, place.pools}, rate);
    add_waits(job, place, own.wakes + others.wakes, own.mates, wait);
    return true;
  };
  Wait wait;
  for (Ns begin = 0;;) {  // without the time that its thread needs to come on a core
    own = {};
    own.of.assign(place.own_entities, 0);
    // Until its pick more urgent callbacks of the place go first, and others may take the core on
    // which its thread comes.
    const Ns until = job.from + begin + before_pick + 1;
    if (!add_own(job, place, until, own)) {
      return kUnbounded;
    }
    std::vector<Ns> work = own.of;
    work.insert(work.end(), own.begun.begin(), own.begun.end());
    wait.group = own.group;
    wait.place = busy({work, {}, {}}, threads);
    if (!wait_of_others(until, false, wait)) {
      return kUnbounded;
    }
    if (wait.sum() <= begin) {
      break;
    }
    begin = wait.sum();
    if (begin > most || looks_ > most_looks_) {
      return kUnbounded;
    }
  }
  return least_end(
    job, most, terms,
    [&](Ns until) {
      return wait_of_others(until, terms_.followers, wait) ? std::optional(wait) : std::nullopt;
    },
    [&](const Wait & found) {
      add_terms_of_group(own, *terms);
      add_busy(TermKind::threads_busy, threads, found.place, own, {own.of, {}, {}}, *terms);
      add_busy(
        TermKind::cores_busy, rate, found.others, others, {others.of, place.pool_of, place.pools},
        *terms);
    });
}

/// All work together.
Ns ClusterEnds::end_together(const Job & job, Ns most, BoundTerms * terms)
{
  const Place & place = places_[traits_[job.node].place];
  const Index rate = std::min(place.threads.size(), place.cores);
  // The entities of the place stand behind the others. They have no pool: the rate is at most their
  // number of threads.
  Work work;
  const auto shared = [&] { return SharedWork{work.of, place.pool_of, place.pools}; };
  return least_end(
    job, most, terms,
    [&](Ns until) -> std::optional<Wait> {
      Work own;
      own.of.assign(place.own_entities, 0);
      work = {};
      work.of.assign(place.pool_of.size(), 0);
      if (
        !add_all(job, place, until, own) ||
        !add_others(job, place, until, terms_.followers, work)) {
        return std::nullopt;
      }
      work.of.insert(work.of.end(), own.of.begin(), own.of.end());
      for (Counted one : own.counted) {
        one.entity = one.entity == kNone ? kNone : one.entity + place.pool_of.size();
        work.counted.push_back(one);
      }
      Wait wait;
      wait.group = own.group;
      wait.others = busy(shared(), rate);
      add_waits(job, place, own.wakes + work.wakes, own.mates, wait);
      return wait;
    },
    [&](const Wait & found) {
      add_terms_of_group(work, *terms);
      add_busy(TermKind::cores_busy, rate, found.others, work, shared(), *terms);
    });
}

Ns ClusterEnds::end_of(
  Index node, std::int64_t number, Ns most, std::int64_t most_looks, BoundTerms * terms)
{
  most_looks_ = add(looks_, most_looks);
  const Job job{node, number, known_.windows[node].latest.at(number)};
  const Place & place = places_[traits_[node].place];
  const Index threads = place.threads.size();
  find_started(node, number);
  record_ = terms != nullptr;
  BoundTerms apart, together;
  const bool has_apart = place.apart || threads <= place.cores;
  const bool has_together = !place.apart && threads > 1;
  const Ns one = has_apart ? end_apart(job, most, record_ ? &apart : nullptr) : kUnbounded;
  const Ns other =
    has_together ? end_together(job, most, record_ ? &together : nullptr) : kUnbounded;
  if (record_) {
    *terms = one <= other ? std::move(apart) : std::move(together);
  }
  return std::min(one, other);
}

BoundTerm ClusterEnds::term_of(TermKind kind, const Counted & counted) const
{
  BoundTerm term{kind, counted.time, graph_.nodes[counted.node].task};
  const JobWindow & window = known_.windows[counted.node];
  for (std::int64_t job = counted.first; job < counted.last; ++job) {
    term.jobs.push_back({window.earliest.at(job), window.latest.at(job)});
  }
  return term;
}

void ClusterEnds::add_terms(const Job & job, const Wait & wait, BoundTerms & terms) const
{
  const JobNode & node = graph_.nodes[job.node];
  const Task & task = model_.tasks[node.task];
  const Ns overhead = task.newest ? 0 : std::min(node.cost, add(task.dispatch, task.middleware));
  add_term(terms, {TermKind::work, node.cost - overhead});
  add_term(terms, {TermKind::overhead, overhead});
  add_term(terms, {TermKind::ceiling, wait.sections});
  add_term(terms, {TermKind::switches, wait.switches});
}

void ClusterEnds::add_terms_of_group(const Work & work, BoundTerms & terms) const
{
  for (const Counted & one : work.counted) {
    if (one.entity == kNone) {
      add_term(terms, term_of(TermKind::parked, one));
    }
  }
}

/// The time in which `rate` threads or cores are busy at once.
void ClusterEnds::add_busy(
  TermKind kind, Index rate, Ns time, const Work & work, const SharedWork & shared,
  BoundTerms & terms) const
{
  if (time == 0) {
    return;
  }
  if (rate == 1) {
    for (const Counted & one : work.counted) {
      if (one.entity != kNone) {
        add_term(terms, term_of(TermKind::interference, one));
      }
    }
    for (const Counted & one : work.counted_begun) {
      add_term(terms, term_of(TermKind::blocking, one));
    }
    return;
  }
  BoundTerm term{kind, time};
  term.threads = rate;
  // Of a pool whose threads would have to run more at once than they can, one part with all of its
  // callbacks.
  std::vector<BusyWork> of_pools;
  for (Index pool = 0; pool < shared.pools.size(); ++pool) {
    of_pools.push_back({{}, false, limit_of_pool(shared, pool, time)});
  }
  std::vector<BusyWork> of_entities;
  for (const Ns of : work.of) {
    of_entities.push_back({{}, false, std::min(of, time)});
  }
  for (const Counted & one : work.counted) {
    if (one.entity == kNone) {
      continue;
    }
    const Index pool = one.entity < shared.pool_of.size() ? shared.pool_of[one.entity] : kNone;
    const bool limited = pool != kNone && of_pools[pool].time != kUnbounded;
    (limited ? of_pools[pool] : of_entities[one.entity])
      .tasks.push_back(graph_.nodes[one.node].task);
  }
  for (auto * parts : {&of_pools, &of_entities}) {
    for (BusyWork & part : *parts) {
      std::sort(part.tasks.begin(), part.tasks.end());
      part.tasks.erase(std::unique(part.tasks.begin(), part.tasks.end()), part.tasks.end());
      if (!part.tasks.empty() && part.time > 0) {
        term.busy.push_back(std::move(part));
      }
    }
  }
  BusyWork begun{{}, true, 0};
  for (const Ns one : work.begun) {
    begun.time += std::min(one, time);
  }
  if (begun.time > 0) {
    term.busy.push_back(std::move(begun));
  }
  add_term(terms, term);
}

}  // namespace takt_plan::detail
