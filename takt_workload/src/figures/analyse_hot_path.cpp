#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "figures/figures.hpp"
#include "graph/callbacks_between.hpp"

namespace takt_workload
{

using takt_rt::Duration;
using takt_rt::Time;

namespace
{

// Goes back from message to message. A way that ends at another root does not explain this sample.
void add_parts(
  const Causality & causality, RunIndex sink, const RunRecord & root, HotPathParts & parts)
{
  Duration work{}, held_up{}, publishing{}, handing_over{};
  const RunRecord * next = &causality.runs()[sink];
  for (RunIndex i = sink; next != &root;) {
    i = causality.source(i);
    if (i == kNoRun) {
      return;
    }
    const RunRecord & run = causality.runs()[i];
    const bool worked = run.work_end != Time{};
    // If a message woke a more urgent thread on the same core, the next run begins before the end
    // of this one.
    const Time left = std::min(run.end, next->start);
    const Duration effort = run.work_cpu + run.slept;
    work += effort;
    held_up += worked ? run.work_end - run.start - effort : Duration{};
    publishing += left - (worked ? run.work_end : run.start);
    handing_over += next->start - left;
    next = &run;
  }
  parts.work_ns.push_back(work.count());
  parts.held_up_ns.push_back(held_up.count());
  parts.publishing_ns.push_back(publishing.count());
  parts.handing_over_ns.push_back(handing_over.count());
}

class Floor
{
public:
  Floor(
    const Graph & graph, const CallbackTable & table,
    const std::vector<CallbackFigures> & callbacks)
  : graph_(graph),
    table_(table),
    callbacks_(callbacks)
  {
  }

  // The lower limit of all samples: the least work on any way from one of these roots to the sink,
  // without the sink's work. The inputs of a fusion are alternatives; the work of one of them
  // counts.
  std::int64_t operator()(
    const std::vector<std::uint32_t> & between, const std::set<std::uint32_t> & roots,
    std::uint32_t sink) const
  {
    std::map<std::uint32_t, std::int64_t> work;  // by callback
    for (const std::uint32_t callback : between) {
      work[callback] = median_work(callback);
    }
    std::map<std::uint32_t, std::int64_t> least;  // by topic: work until its publication
    std::optional<std::int64_t> floor;
    // A shortest way has each callback at most once, so this number of rounds is enough.
    for (std::size_t round = 0; round < between.size(); ++round) {
      for (const std::uint32_t callback : between) {
        const CallbackEntry & entry = table_.callbacks()[callback];
        std::int64_t until = 0;
        if (!roots.contains(callback)) {
          const auto before = least.find(entry.input_topic);
          if (entry.timer || before == least.end()) {
            continue;
          }
          until = before->second;
        }
        if (callback == sink) {
          floor = std::min(floor.value_or(until), until);
        } else if (entry.output_topic != kNone) {
          const std::int64_t published = until + work[callback];
          const auto least_here = least.emplace(entry.output_topic, published).first;
          least_here->second = std::min(least_here->second, published);
        }
      }
    }
    return floor.value_or(0);
  }

private:
  // A node that joins its inputs works in the callback that completes them.
  std::int64_t median_work(std::uint32_t callback) const
  {
    const std::uint32_t node = table_.callbacks()[callback].node;
    std::vector<std::int64_t> work;
    for (const std::uint32_t one : table_.of_node(node)) {
      if (one == callback || graph_.nodes[node].joins()) {
        const auto & more = callbacks_[one].effort_ns;
        work.insert(work.end(), more.begin(), more.end());
      }
    }
    if (work.empty()) {
      return 0;
    }
    const auto middle = work.begin() + static_cast<std::ptrdiff_t>(work.size() / 2);
    std::nth_element(work.begin(), middle, work.end());
    return *middle;
  }

  const Graph & graph_;
  const CallbackTable & table_;
  const std::vector<CallbackFigures> & callbacks_;
};

}  // namespace

HotPathFigures analyse_hot_path(
  const Graph & graph, const CallbackTable & table, const Causality & causality,
  const StallIndex & stalls, const std::vector<CallbackFigures> & callbacks, Time from, Time to)
{
  HotPathFigures figures;
  const std::uint32_t sink = table.find(graph.kpis.hot_path_sink);
  std::vector<std::uint32_t> roots;
  for (const std::string & root : graph.kpis.hot_path_roots) {
    roots.push_back(table.find(root));
  }
  if (sink == kNone || roots.empty()) {
    return figures;
  }
  const auto between = callbacks_between(graph, table, roots, sink);
  for (const std::uint32_t callback : between) {
    figures.drops += callbacks[callback].lost_messages;
  }
  std::set<std::uint32_t> measured_from;
  for (RunIndex i = 0; i < causality.runs().size(); ++i) {
    const RunRecord & run = causality.runs()[i];
    if (run.callback != sink || run.start < from || run.start >= to) {
      continue;
    }
    const RunRecord * later = nullptr;
    for (const RunIndex root : causality.roots(i)) {
      const RunRecord & one = causality.runs()[root];
      if (
        std::find(roots.begin(), roots.end(), one.callback) != roots.end() &&
        (later == nullptr || later->start < one.start)) {
        later = &one;
      }
    }
    if (later != nullptr) {
      measured_from.insert(later->callback);
      figures.latency.add(
        run.start - later->start, run.start, stalls.overlaps(later->release, run.start));
      figures.from_due_ns.push_back((run.start - later->release).count());
      add_parts(causality, i, *later, figures.parts);
    }
  }
  if (measured_from.empty()) {
    measured_from.insert(roots.begin(), roots.end());  // roots with samples in the measured time
  }
  figures.floor_ns = Floor(graph, table, callbacks)(between, measured_from, sink);
  return figures;
}

}  // namespace takt_workload
