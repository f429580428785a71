#include "analysis/jobs/job_depths.hpp"

#include <algorithm>

#include "analysis/limits.hpp"
#include "analysis/waits.hpp"

namespace takt_plan::detail
{
namespace
{

constexpr std::int64_t kMostLooksOfDepths = 100'000'000;  // a second or so

/// When the messages of one way may wait.
struct Waiting
{
  JobTimes from;   ///< they may be there
  JobTimes until;  ///< they are taken
};

}  // namespace

JobDepths::JobDepths(const Model & model) : model_(model), flow_(model)
{
  if (any_waits(model)) {
    return;  // windows need to know how long
  }
  graphs_ = job_graphs(model, flow_);
  windows_.resize(graphs_.size());
  for (Index part = 0; part < graphs_.size(); ++part) {
    if (graphs_[part].refusal.empty()) {
      auto windows = std::make_unique<JobWindows>(
        model, graphs_[part], JobTerms{}, horizon(model, 0), kMostLooksOfDepths);
      windows_[part] = windows->solved() ? std::move(windows) : nullptr;
    }
  }
}

JobDepths::~JobDepths() = default;

bool JobDepths::comes_by(Index stream, Index topic) const
{
  const Stream & of = flow_.streams.all()[stream];
  return std::any_of(of.from.begin(), of.from.end(), [&](const Stream::From & from) {
    return model_.tasks[of.task].triggers[from.link].topic == topic;
  });
}

std::optional<Ns> JobDepths::of(Index task, Index topic) const
{
  std::vector<Waiting> ways;
  for (const Index stream : flow_.streams.of(task)) {
    if (!comes_by(stream, topic)) {
      continue;
    }
    const auto part = std::find_if(graphs_.begin(), graphs_.end(), [&](const JobGraph & graph) {
      return graph.refusal.empty() && graph.node_of_stream[stream] != kNone;
    });
    if (part == graphs_.end() || !windows_[static_cast<Index>(part - graphs_.begin())]) {
      return std::nullopt;
    }
    const JobWindows & windows = *windows_[static_cast<Index>(part - graphs_.begin())];
    const Index index = part->node_of_stream[stream];
    const JobNode & node = part->nodes[index];
    if (node.joined || !windows.ends(index)) {
      return std::nullopt;
    }
    Waiting way{windows.window(index).from, windows.window(index).end};
    // A run that keeps a message may take any time from none on; where it works, the message was taken before.
    const Ns least = flow_.streams.set(task) == nullptr ? model_.tasks[task].time : 0;
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
