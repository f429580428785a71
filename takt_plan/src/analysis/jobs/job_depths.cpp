#include "analysis/jobs/job_depths.hpp"

#include <algorithm>

#include "analysis/limits.hpp"
#include "analysis/waits.hpp"

namespace takt_plan::detail
{
namespace
{

constexpr std::int64_t kMostLooksOfDepths = 100'000'000;  // about a second

/// The times at which the messages of one way may wait.
struct Waiting
{
  JobTimes from;            ///< earliest arrivals
  JobTimes until;           ///< latest takes
  std::vector<char> spare;  ///< per job: true if no set has its message; empty: each message counts
};

/// Marks the messages of the node that no set has. Each message counts if the node belongs to no
/// set of newest messages, or if the set is not known because another topic has no latest end.
std::vector<char> spare_messages(const JobGraph & graph, const JobWindows & windows, Index index)
{
  std::vector<char> spare(static_cast<std::size_t>(graph.nodes[index].jobs), 0);
  for (Index work = 0; work < graph.nodes.size(); ++work) {
    const std::vector<Index> & topics = graph.nodes[work].topics;
    const auto topic = std::find(topics.begin(), topics.end(), index);
    if (topic == topics.end() || windows.set(work).works.empty()) {
      continue;
    }
    // A callback has one set, so no other work takes the node's messages.
    const auto & works = windows.set(work).works[static_cast<Index>(topic - topics.begin())];
    std::transform(works.begin(), works.end(), spare.begin(), [](const auto & of) {
      return of.empty() ? 1 : 0;
    });
  }
  return spare;
}

bool comes_by(const Model & model, const Flow & flow, Index stream, Index topic)
{
  const Stream & of = flow.streams.all()[stream];
  return std::any_of(of.from.begin(), of.from.end(), [&](const Stream::From & from) {
    return model.tasks[of.task].triggers[from.link].topic == topic;
  });
}

}  // namespace

std::vector<Index> starting_topics(const Task & task)
{
  std::vector<Index> topics;
  for (const Link & link : task.triggers) {
    if (!link.call) {  // each caller has one request under way
      topics.push_back(link.topic);
    }
  }
  std::sort(topics.begin(), topics.end());
  topics.erase(std::unique(topics.begin(), topics.end()), topics.end());
  return topics;
}

JobDepths::JobDepths(const Model & model) : model_(model), flow_(model)
{
  if (any_waits(model)) {
    return;  // the analysis needs the execution times of windows
  }
  graphs_ = job_graphs(model, flow_);
  windows_.resize(graphs_.size());
  for (Index part = 0; part < graphs_.size(); ++part) {
    if (graphs_[part].refusal.empty()) {
      auto windows = std::make_unique<JobWindows>(
        model, graphs_[part], JobTerms{}, horizon(model, 0), kMostLooksOfDepths,
        [] { return std::vector<Ns>{}; });
      windows_[part] = windows->solved() ? std::move(windows) : nullptr;
    }
  }
}

JobDepths::~JobDepths() = default;

std::optional<Ns> most_waiting(
  const Model & model, const Flow & flow, const std::vector<JobGraph> & graphs,
  const PartWindows & windows, Index task, Index topic, Waits which)
{
  std::vector<Waiting> ways;
  for (const Index stream : flow.streams.of(task)) {
    if (!comes_by(model, flow, stream, topic)) {
      continue;
    }
    const auto part = std::find_if(graphs.begin(), graphs.end(), [&](const JobGraph & graph) {
      return graph.refusal.empty() && graph.node_of_stream[stream] != kNone;
    });
    const JobWindows * const solved =
      part == graphs.end() ? nullptr : windows[static_cast<Index>(part - graphs.begin())].get();
    if (solved == nullptr || !solved->solved()) {
      return std::nullopt;
    }
    const JobWindows & of = *solved;
    const Index index = part->node_of_stream[stream];
    const JobNode & node = part->nodes[index];
    if (node.joined || !of.ends(index)) {
      return std::nullopt;
    }
    Waiting way{of.window(index).from, of.window(index).end, {}};
    if (which == Waits::may_matter) {
      way.spare = spare_messages(*part, of, index);
    }
    // A run that keeps a message may take no time at all. If it works, it took the message before.
    const Ns least = flow.streams.set(task) == nullptr ? model.tasks[task].time : 0;
    for (std::int64_t job = 0; job < node.jobs; ++job) {
      way.until[job] -= least;
    }
    way.until = way.until.rising_up();
    ways.push_back(std::move(way));
  }
  if (ways.empty()) {
    return std::nullopt;
  }
  std::int64_t most = 1;
  if (ways.size() == 1 && which == Waits::may_matter) {
    const Waiting & way = ways.front();
    for (std::int64_t job = 0; job < way.from.jobs(); ++job) {
      const std::int64_t newest = way.from.before(way.from.at(job) + 1);
      std::int64_t oldest = way.until.before(way.from.at(job));
      while (oldest < newest && way.spare[within(oldest, way.from.jobs())]) {
        ++oldest;
      }
      most = std::max(most, newest - oldest);
    }
    return most;
  }
  for (const Waiting & way : ways) {
    for (const Ns time : way.from.all()) {
      std::int64_t waiting = 0;
      for (const Waiting & other : ways) {
        waiting +=
          std::max<std::int64_t>(other.from.before(time + 1) - other.until.before(time), 0);
      }
      most = std::max(most, waiting);
    }
  }
  return most;
}

}  // namespace takt_plan::detail
