#include "figures/causality.hpp"

#include <algorithm>
#include <tuple>

namespace takt_workload
{
namespace
{

std::vector<RunRecord> by_start(std::vector<RunRecord> runs)
{
  std::stable_sort(runs.begin(), runs.end(), [](const RunRecord & a, const RunRecord & b) {
    return a.start < b.start;
  });
  return runs;
}

// Runs of one node take turns in the order of their starts, because a record does not have the time
// at which the run stored its message.
takt_trace::RunFlow flow_of(
  const Graph & graph, const CallbackTable & table, const std::vector<RunRecord> & runs)
{
  std::vector<takt_trace::FlowCallback> callbacks;
  for (const CallbackEntry & one : table.callbacks()) {
    callbacks.push_back({one.node, one.input_topic, graph.nodes[one.node].joins() && !one.timer});
  }
  std::vector<takt_trace::FlowRun> all;
  all.reserve(runs.size());
  for (const RunRecord & run : runs) {
    const CallbackEntry & callback = table.callbacks()[run.callback];
    takt_trace::FlowRun & one = all.emplace_back();
    one.callback = run.callback;
    one.process = run.process;
    one.release = takt_rt::to_ns(run.release);
    one.start = one.kept = takt_rt::to_ns(run.start);
    one.end = takt_rt::to_ns(run.end);
    if (run.taken != 0 && !run.foreign) {
      one.taken.push_back({callback.input_topic, run.taken});
    }
    if (run.published != 0) {
      one.published.push_back(
        {callback.output_topic, {callback.output_topic, run.published}, one.start});
    }
  }
  return {std::move(callbacks), all};
}

}  // namespace

Causality::Causality(const Graph & graph, const CallbackTable & table, std::vector<RunRecord> runs)
: table_(table),
  runs_(by_start(std::move(runs))),
  flow_(flow_of(graph, table, runs_))
{
  find_contributors(graph);
}

void Causality::find_contributors(const Graph & graph)
{
  // The inputs of a planner do not publish.
  std::vector<std::uint32_t> topics;
  for (const CallbackEntry & one : table_.callbacks()) {
    const Node & node = graph.nodes[one.node];
    topics.push_back(node.joins() ? table_.find_topic(node.output) : one.output_topic);
  }
  for (RunIndex run = 0; run < runs_.size(); ++run) {
    const std::uint32_t topic = topics[runs_[run].callback];
    if (const RunIndex carrier = flow_.held(run, topic).carrier; carrier != kNoRun) {
      contributors_[carrier].push_back(run);
    }
  }
  // A cycle comes before the runs whose messages it found in its slots.
  const auto place = [&](RunIndex run) {
    const std::uint32_t callback = runs_[run].callback;
    return std::tuple(!table_.callbacks()[callback].timer, callback);
  };
  for (auto & [carrier, parts] : contributors_) {
    std::sort(
      parts.begin(), parts.end(), [&](RunIndex a, RunIndex b) { return place(a) < place(b); });
  }
}

const std::vector<RunIndex> & Causality::contributors(RunIndex run) const
{
  static const std::vector<RunIndex> none;
  const auto found = contributors_.find(run);
  return found == contributors_.end() ? none : found->second;
}

RunIndex Causality::source(RunIndex run) const
{
  const takt_trace::FlowingRun own = flow_.runs()[run];
  return own.taken == 0 ? kNoRun : flow_.source(flow_.taken(own, 0));
}

bool Causality::was_fresh(RunIndex timer_run, std::uint32_t input) const
{
  for (const RunIndex part : contributors(timer_run)) {
    if (runs_[part].callback == input) {
      return true;
    }
  }
  return false;
}

std::vector<RunIndex> Causality::roots(RunIndex run) const
{
  std::vector<RunIndex> found;
  std::vector<RunIndex> open{run};
  std::vector<RunIndex> seen;
  while (!open.empty()) {
    const RunIndex one = open.back();
    open.pop_back();
    if (std::find(seen.begin(), seen.end(), one) != seen.end()) {
      continue;
    }
    seen.push_back(one);
    if (table_.callbacks()[runs_[one].callback].timer) {
      found.push_back(one);
      continue;
    }
    const RunIndex from = source(one);
    if (from == kNoRun) {
      continue;
    }
    if (table_.callbacks()[runs_[from].callback].timer) {
      found.push_back(from);  // the messages in a planner's slots belong to its last cycle
      continue;
    }
    for (const RunIndex part : contributors(from)) {
      open.push_back(part);
    }
  }
  return found;
}

}  // namespace takt_workload
