#include "analysis/jobs/job_bounds.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "analysis/jobs/job_depths.hpp"
#include "analysis/jobs/job_graph.hpp"
#include "analysis/jobs/job_windows.hpp"
#include "analysis/jobs/node_ways.hpp"
#include "analysis/limits.hpp"
#include "takt_plan/end_to_end.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan::detail
{
namespace
{

using takt_rt::Faults;
using takt_rt::Result;

/// For each node of the part: the smallest limit of the chains that end there. Only for nodes where
/// the work on each set belongs to the chain's message.
std::vector<Ns> latest_ends(
  const Model & model, const Flow & flow, const JobGraph & graph, const std::vector<Ns> & limits)
{
  std::vector<Ns> latest(graph.nodes.size(), kUnbounded);
  for (Index chain = 0; chain < std::min(limits.size(), model.chains.size()); ++chain) {
    const auto & streams = flow.streams.of(model.chains[chain].path.front());
    if (
      limits[chain] == kUnbounded || reads(model, model.chains[chain]) || streams.empty() ||
      graph.node_of_stream[streams.front()] == kNone ||
      graph.nodes[graph.node_of_stream[streams.front()]].unphased) {
      continue;  // other analyses find smaller bounds for unphased sources
    }
    for (const std::vector<Index> & way : ways_of_nodes(flow, graph, model.chains[chain])) {
      bool own = true;
      for (Index i = 1; i < way.size(); ++i) {
        const JobNode & node = graph.nodes[way[i]];
        own = own && (node.topics.empty() || node.topics[node.slowest] == way[i - 1]);
      }
      if (own) {
        latest[way.back()] = std::min(latest[way.back()], limits[chain]);
      }
    }
  }
  return latest;
}

/// The bounds of one part of the model.
class PartBounds
{
public:
  PartBounds(const Model & model, const Flow & flow, const JobGraph & graph, JobWindows & windows)
  : model_(model),
    flow_(flow),
    graph_(graph),
    windows_(windows)
  {
  }

  Result<Ns> of(Index task)
  {
    Ns bound = 0;
    std::vector<Index> nodes;
    for (const Index stream : flow_.streams.of(task)) {
      nodes.push_back(graph_.node_of_stream[stream]);
    }
    if (flow_.streams.set(task) != nullptr) {
      nodes.push_back(
        graph_.node_of_stream[flow_.streams.after(task).front()]);  // the work on the set
    }
    for (const Index node : nodes) {
      if (!windows_.ends(node)) {
        return Faults{takt_rt::Fault{without_end(node)}};
      }
      for (std::int64_t job = 0; job < graph_.nodes[node].jobs; ++job) {
        bound = std::max(bound, windows_.window(node).end[job] - start({node, job}));
      }
    }
    return bound;
  }

  Result<ChainBound> of(const Chain & chain, bool explain) const
  {
    ChainBound worst;
    std::vector<Job> worst_run;  // empty: none so far
    for (const std::vector<Index> & way : ways_of_nodes(flow_, graph_, chain)) {
      const std::int64_t jobs = graph_.nodes[way.front()].jobs;
      for (std::int64_t job = 0; job < jobs; ++job) {
        for (const std::vector<Job> & run : runs(way, job)) {
          if (!windows_.ends(run.back().node)) {
            return Faults{takt_rt::Fault{without_end(run.back().node)}};
          }
          const Ns bound = end(run.back()) - nominal(way.front(), job);
          if (worst_run.empty() || bound > worst.bound) {
            worst.bound = bound;
            worst_run = run;
          }
        }
      }
    }
    if (worst_run.empty()) {
      return Faults{takt_rt::Fault{"no message of it gets to its end"}};
    }
    worst.segments = segments(worst_run, explain);
    return worst;
  }

private:
  /// The reason why the node's jobs have no latest ends.
  std::string without_end(Index node) const
  {
    const auto name = [&](Index of) {
      return takt_schedule::quoted(model_.tasks[graph_.nodes[of].task].id);
    };
    Index first = node;  // of those that start it and have no latest ends
    for (Index before = node; before != kNone;) {
      first = before;
      before = kNone;
      for (const JobNode::From & from : graph_.nodes[first].from) {
        before = windows_.ends(from.node) ? before : from.node;
      }
      for (const Index topic : graph_.nodes[first].topics) {
        before = windows_.ends(topic) ? before : topic;
      }
    }
    const bool own = graph_.nodes[first].task == graph_.nodes[node].task;
    return name(node) + " has no bound: " +
           (own ? std::string("its jobs") : "jobs of " + name(first) + ", which it waits for,") +
           " have no latest end, because work that may delay them fills their cores, or nearly so";
  }

  /// The nominal release of the job's source; the earliest if there are several. For a set, the
  /// message that completes it decides.
  Ns start(const Job & job)
  {
    const JobNode & node = graph_.nodes[job.node];
    if (is_source(node)) {
      return nominal(job.node, job.number);
    }
    std::vector<std::optional<Ns>> & known = starts_[job.node];
    known.resize(static_cast<std::size_t>(node.jobs));
    const std::int64_t turn = floor_div(job.number, node.jobs);
    const std::int64_t number = job.number - turn * node.jobs;
    std::optional<Ns> & found = known[static_cast<std::size_t>(number)];
    if (!found) {
      Ns earliest = kUnbounded;
      for (const JobNode::From & from : node.from) {
        earliest = std::min(earliest, start({from.node, number}));
      }
      for (const Job & message : completing({job.node, number})) {
        earliest = std::min(earliest, start(message));
      }
      found = earliest == kUnbounded ? nominal(job.node, number) : earliest;  // kUnbounded: the
                                                                              // source never starts
                                                                              // it
    }
    return *found + turn * graph_.hyperperiod;
  }

  /// The messages that may complete the set of this job of the first hyperperiod. If that is not
  /// known: all messages that the set may have.
  std::vector<Job> completing(const Job & job) const
  {
    const JobNode & node = graph_.nodes[job.node];
    std::vector<Job> found;
    if (node.topics.empty()) {
      return found;
    }
    const JobSet & set = windows_.set(job.node);
    const auto & by = set.by[static_cast<std::size_t>(job.number)];
    for (Index topic = 0; topic < by.size(); ++topic) {
      const Index from = node.topics[topic];
      const std::int64_t jobs = graph_.nodes[from].jobs;
      if (by[topic].possible && by[topic].message) {
        found.push_back({from, *by[topic].message});
      }
      for (std::int64_t message = 0; by[topic].possible && !by[topic].message && message < jobs;
           ++message) {
        for (const std::int64_t work : set.works[topic][static_cast<std::size_t>(message)]) {
          if ((work - job.number) % node.jobs == 0) {
            found.push_back({from, message - (work - job.number) / node.jobs * jobs});
          }
        }
      }
    }
    return found;
  }

  Ns nominal(Index node, std::int64_t job) const
  {
    return graph_.nodes[node].offset + job * graph_.nodes[node].period;
  }
  Ns end(const Job & job) const { return windows_.window(job.node).end.at(job.number); }

  /// The jobs along the way that may have the root's message, one list for each set that may have
  /// it.
  std::vector<std::vector<Job>> runs(const std::vector<Index> & way, std::int64_t job) const
  {
    std::vector<std::vector<Job>> found{{{way.front(), job}}};
    for (Index i = 1; i < way.size(); ++i) {
      const JobNode & node = graph_.nodes[way[i]];
      std::vector<std::vector<Job>> longer;
      for (const std::vector<Job> & run : found) {
        if (node.topics.empty()) {
          longer.push_back(run);
          longer.back().push_back({way[i], run.back().number});
          continue;
        }
        const auto topic = static_cast<Index>(
          std::find(node.topics.begin(), node.topics.end(), way[i - 1]) - node.topics.begin());
        const auto & works = windows_.set(way[i]).works;
        if (!windows_.ends(way[i]) || works.empty()) {
          longer.push_back(run);  // its end shows that it has no bound
          longer.back().push_back({way[i], 0});
          continue;
        }
        const std::int64_t jobs = graph_.nodes[way[i - 1]].jobs;
        const std::int64_t turn = floor_div(run.back().number, jobs);
        for (const std::int64_t work :
             works[topic][static_cast<std::size_t>(run.back().number - turn * jobs)]) {
          longer.push_back(run);
          longer.back().push_back({way[i], work + turn * node.jobs});
        }
      }
      found = std::move(longer);
    }
    return found;
  }

  /// Goes backwards: each segment begins where the busy interval of its last job begins, or behind
  /// a set.
  std::vector<SegmentBound> segments(const std::vector<Job> & run, bool explain) const
  {
    std::vector<SegmentBound> result;
    const Ns start = nominal(run.front().node, run.front().number);
    Index last = run.size();  // the position behind the segment
    while (last > 0) {
      Index end_at = last - 1;
      Ns waiting = 0;
      if (works(run[end_at])) {
        // The part ends with the run that keeps the message. After it come the wait for the set and
        // the work on it.
        --end_at;
        waiting = end(run[last - 1]) - end(run[end_at]);
      }
      append(run, end_at, explain, start, result);
      if (waiting < 0) {
        // The run that keeps the message comes before the work, whose latest end is closer.
        result.back().response += waiting;
        if (explain) {
          add_term(result.back().terms, {TermKind::head_start, waiting});
        }
        waiting = 0;
      }
      result.back().waiting = waiting;
      last = first_of(run, end_at);
    }
    std::reverse(result.begin(), result.end());
    return result;
  }

  bool works(const Job & job) const { return !graph_.nodes[job.node].topics.empty(); }

  /// The first job of the segment that ends with job `last` of the run. It does not precede the
  /// work on a set.
  Index first_of(const std::vector<Job> & run, Index last) const
  {
    const LatestEnd how = windows_.latest_end(run[last]);
    Index first = last;
    for (Index i = 1; i < how.segment.size() && first > 0 && !works(run[first - 1]); ++i) {
      --first;
    }
    return first;
  }

  void append(
    const std::vector<Job> & run, Index last, bool explain, Ns start,
    std::vector<SegmentBound> & result) const
  {
    const Index first = first_of(run, last);
    SegmentBound segment;
    segment.analysis = Analysis::jobs;
    for (Index i = first; i <= last; ++i) {
      segment.tasks.push_back(graph_.nodes[run[i].node].task);
    }
    // An analysis without phases may know an end of the part that is earlier than the latest
    // release by windows. Then the part is released by this end, too.
    const Ns released =
      std::min(windows_.window(run[first].node).latest.at(run[first].number), end(run[last]));
    segment.released = released - start;
    segment.response = end(run[last]) - released;
    segment.activation = PhasedActivation{start, graph_.hyperperiod};
    if (explain) {
      const LatestEnd how = windows_.latest_end(run[last]);
      if ((how.level == kNone && !how.cluster) || how.time == kUnbounded) {
        add_term(segment.terms, {TermKind::any_phase, segment.response});
      } else {
        segment.terms = windows_.terms_of(how);
        // Analyses without phases may know an earlier end than the sum of these terms.
        add_term(
          segment.terms, {TermKind::head_start, how.begin - released + end(run[last]) - how.time});
      }
    }
    result.push_back(std::move(segment));
  }

  const Model & model_;
  const Flow & flow_;
  const JobGraph & graph_;
  JobWindows & windows_;
  std::map<Index, std::vector<std::optional<Ns>>>
    starts_;  // per node: the starts of the jobs of a hyperperiod
};

Index part_of(const std::vector<JobGraph> & graphs, const Flow & flow, Index task)
{
  for (Index part = 0; part < graphs.size(); ++part) {
    const auto & streams = flow.streams.of(task);
    if (
      !streams.empty() && graphs[part].refusal.empty() &&
      graphs[part].node_of_stream[streams.front()] != kNone) {
      return part;
    }
  }
  return kNone;
}

Index short_histories(
  const Model & model, const Flow & flow, const std::vector<JobGraph> & graphs,
  const PartWindows & windows)
{
  Index found = 0;
  for (Index task = 0; task < model.tasks.size(); ++task) {
    const Task & of = model.tasks[task];
    for (const Index topic : of.depth == 0 ? std::vector<Index>{} : starting_topics(of)) {
      const auto waiting = most_waiting(model, flow, graphs, windows, task, topic, Waits::all);
      found += waiting && *waiting > static_cast<Ns>(of.depth) ? 1 : 0;
    }
  }
  return found;
}

}  // namespace

JobBounds job_bounds(
  const Model & model, const Flow & flow, const BoundsOptions & options, std::size_t most_terms,
  const KnownEnds & known, double & looks, std::int64_t most)
{
  const std::vector<JobGraph> graphs = job_graphs(model, flow);
  std::vector<std::unique_ptr<JobWindows>> windows(graphs.size());
  for (Index part = 0; part < graphs.size(); ++part) {
    if (graphs[part].refusal.empty()) {
      windows[part] = std::make_unique<JobWindows>(
        model, graphs[part], options.jobs, detail::horizon(model, options.horizon), most, known,
        options.give_up_above.empty()
          ? std::vector<Ns>{}
          : latest_ends(model, flow, graphs[part], options.give_up_above));
      looks += static_cast<double>(windows[part]->looks());
    }
  }
  JobBounds result;
  const auto without = [&](Index part) {
    return Faults{takt_rt::Fault{
      part == kNone ? "the phases of its timers are not known" : windows[part]->refusal()}};
  };
  const auto solved = [&](Index part) { return part != kNone && windows[part]->solved(); };
  for (Index task = 0; task < model.tasks.size(); ++task) {
    const Index of = part_of(graphs, flow, task);
    result.covered.push_back(of == kNone ? 0 : 1);
    result.tasks.push_back(
      solved(of) ? PartBounds(model, flow, graphs[of], *windows[of]).of(task)
                 : Result<Ns>(without(of)));
  }
  std::vector<Index> order(model.chains.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return model.chains[a].priority > model.chains[b].priority;
  });
  result.chains.assign(model.chains.size(), without(kNone));
  if (options.jobs_only) {
    result.short_histories = short_histories(model, flow, graphs, windows);
  }
  std::size_t terms = 0;
  for (const Index chain : order) {
    const Index of = part_of(graphs, flow, model.chains[chain].path.front());
    if (!solved(of)) {
      result.chains[chain] = without(of);
    } else {
      auto found = PartBounds(model, flow, graphs[of], *windows[of])
                     .of(model.chains[chain], terms < most_terms);
      for (const SegmentBound & segment : found ? found->segments : std::vector<SegmentBound>{}) {
        terms += size_of(segment.terms);
      }
      result.chains[chain] = std::move(found);
    }
  }
  return result;
}

}  // namespace takt_plan::detail
