#include "takt_workload/analysis.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace takt_workload
{

using takt_core::Duration;
using takt_core::Time;

namespace
{

class Analyst
{
public:
  Analyst(
    const Graph & graph, const CallbackTable & table, const Causality & causality,
    const StallIndex & stalls, Analysis & result)
  : graph_(graph),
    table_(table),
    causality_(causality),
    stalls_(stalls),
    result_(result)
  {
  }

  bool measured(Time time) const
  {
    return time >= result_.measured_from && time < result_.measured_to;
  }

  void callbacks()
  {
    result_.callbacks.resize(table_.callbacks().size());
    std::vector<std::uint64_t> previous(table_.callbacks().size(), 0);
    double applied = 0.0;
    for (RunIndex i = 0; i < causality_.runs().size(); ++i) {
      const RunRecord & run = causality_.runs()[i];
      CallbackFigures & figures = result_.callbacks[run.callback];
      const std::uint64_t before = previous[run.callback];
      if (run.taken != 0 && !run.foreign) {
        previous[run.callback] = run.taken;
      }
      figures.skipped_periods += skipped_in_time(run);
      if (!measured(run.start)) {
        continue;
      }
      result_.foreign_messages += run.foreign ? 1 : 0;
      result_.unmatched_takes +=
        run.taken != 0 && !run.foreign && causality_.source(i) == kNoRun ? 1 : 0;
      if (before != 0 && !run.foreign && run.taken > before + 1) {
        figures.lost_messages += run.taken - before - 1;
      }
      figures.start_delay_ns.push_back((run.start - run.release).count());
      figures.execution_ns.push_back((run.end - run.start).count());
      figures.response_ns.push_back((run.end - run.release).count());
      if (run.work_asked.count() > 0) {
        figures.work_cpu_ns.push_back(run.work_cpu.count());
        applied += static_cast<double>(run.work_cpu.count());
      }
      if (figures.runs_on_thread.size() <= run.thread) {
        figures.runs_on_thread.resize(run.thread + 1, 0);
      }
      ++figures.runs_on_thread[run.thread];
    }
    for (std::uint32_t i = 0; i < result_.callbacks.size(); ++i) {
      result_.callbacks[i].callback = i;
      result_.skipped_periods += result_.callbacks[i].skipped_periods;
      result_.drops += result_.callbacks[i].lost_messages;
    }
    const auto span = static_cast<double>((result_.measured_to - result_.measured_from).count());
    result_.load.applied = span > 0.0 ? applied / span : 0.0;
    const std::vector<CallbackLoad> loads = table_.loads(graph_);
    for (std::size_t i = 0; i < loads.size(); ++i) {
      result_.load.asked += loads[i].utilisation;
      if (loads[i].work_rate > 0.0 && span > 0.0) {
        result_.load.margin +=
          static_cast<double>(table_.callbacks()[i].work.longest.count()) / span;
      }
    }
    if (span <= 0.0) {
      result_.load.margin = result_.load.asked;  // ended before it was measured
    }
  }

  void hot_path()
  {
    const std::uint32_t sink = table_.find(graph_.kpis.hot_path_sink);
    std::vector<std::uint32_t> roots;
    for (const std::string & root : graph_.kpis.hot_path_roots) {
      roots.push_back(table_.find(root));
    }
    if (sink == kNone || roots.empty()) {
      return;
    }
    const auto between = callbacks_between(graph_, table_, roots, sink);
    for (const std::uint32_t callback : between) {
      result_.hot_path.drops += result_.callbacks[callback].lost_messages;
    }
    std::set<std::uint32_t> measured_from;
    for (RunIndex i = 0; i < causality_.runs().size(); ++i) {
      const RunRecord & run = causality_.runs()[i];
      if (run.callback != sink || !measured(run.start)) {
        continue;
      }
      const RunRecord * later = nullptr;
      for (const RunIndex root : causality_.roots(i)) {
        const RunRecord & one = causality_.runs()[root];
        if (
          std::find(roots.begin(), roots.end(), one.callback) != roots.end() &&
          (later == nullptr || later->start < one.start)) {
          later = &one;
        }
      }
      if (later != nullptr) {
        measured_from.insert(later->callback);
        result_.hot_path.latency.add(
          run.start - later->start, run.start, stalls_.overlaps(later->release, run.start));
        result_.hot_path.from_due_ns.push_back((run.start - later->release).count());
        hot_path_parts(i, *later);
      }
    }
    if (measured_from.empty()) {
      measured_from.insert(roots.begin(), roots.end());  // what a sample could have been of
    }
    result_.hot_path.floor_ns = floor_of(between, measured_from, sink);
  }

  void planner()
  {
    const std::uint32_t planner = table_.find(graph_.kpis.planner);
    if (planner == kNone) {
      return;
    }
    const std::uint32_t obstacles = table_.find(graph_.kpis.obstacle_input);
    const RunRecord * previous = nullptr;
    for (RunIndex i = 0; i < causality_.runs().size(); ++i) {
      const RunRecord & run = causality_.runs()[i];
      if (run.callback != planner) {
        continue;
      }
      if (measured(run.start)) {
        result_.planner.lateness.add(
          run.start - run.release, run.start, stalls_.overlaps(run.release, run.start));
        if (previous != nullptr) {
          result_.planner.period_ns.push_back((run.start - previous->start).count());
        }
        if (obstacles != kNone && !causality_.was_fresh(i, obstacles)) {
          ++result_.planner.stale_cycles;
        }
      }
      previous = &run;
    }
  }

private:
  // A start after a long wait drops the periods that were due meanwhile; warm-up's do not count.
  std::uint64_t skipped_in_time(const RunRecord & run) const
  {
    const Duration period = table_.callbacks()[run.callback].period;
    std::uint64_t count = 0;
    for (std::uint32_t i = 1; i <= run.skipped && period.count() > 0; ++i) {
      count += measured(run.release + i * period) ? 1 : 0;
    }
    return count;
  }

  // Goes back from message to message; a way that ends elsewhere tells nothing about this sample.
  void hot_path_parts(RunIndex sink, const RunRecord & root)
  {
    Duration work{}, held_up{}, publishing{}, handing_over{};
    const RunRecord * next = &causality_.runs()[sink];
    for (RunIndex i = sink; next != &root;) {
      i = causality_.source(i);
      if (i == kNoRun) {
        return;
      }
      const RunRecord & run = causality_.runs()[i];
      const bool worked = run.work_end != Time{};
      work += run.work_cpu;
      held_up += worked ? run.work_end - run.start - run.work_cpu : Duration{};
      publishing += run.end - (worked ? run.work_end : run.start);
      handing_over += next->start - run.end;
      next = &run;
    }
    HotPathParts & parts = result_.hot_path.parts;
    parts.work_ns.push_back(work.count());
    parts.held_up_ns.push_back(held_up.count());
    parts.publishing_ns.push_back(publishing.count());
    parts.handing_over_ns.push_back(handing_over.count());
  }

  // What no sample can be faster than: the least work on any way from one of these roots to the sink,
  // without the sink's. Inputs of a fusion are alternatives, of which one works.
  std::int64_t floor_of(
    const std::vector<std::uint32_t> & between, const std::set<std::uint32_t> & roots,
    std::uint32_t sink)
  {
    std::map<std::uint32_t, std::int64_t> least;  // by topic: work until it is published
    std::optional<std::int64_t> floor;
    // No shortest way passes a callback twice, so as many rounds as callbacks settle it.
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
          const std::int64_t published = until + median_work(callback);
          const auto least_here = least.emplace(entry.output_topic, published).first;
          least_here->second = std::min(least_here->second, published);
        }
      }
    }
    return floor.value_or(0);
  }

  // Of a node that joins its inputs whichever callback completes them works.
  std::int64_t median_work(std::uint32_t callback)
  {
    const std::uint32_t node = table_.callbacks()[callback].node;
    std::vector<std::int64_t> work;
    for (const std::uint32_t one : table_.of_node(node)) {
      if (one == callback || graph_.nodes[node].joins()) {
        const auto & more = result_.callbacks[one].work_cpu_ns;
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
  const Causality & causality_;
  const StallIndex & stalls_;
  Analysis & result_;
};

// A topic of whose publisher nothing is known is believed.
void mark_foreign(
  const std::vector<ProcessRecord> & processes, const CallbackTable & table,
  std::vector<RunRecord> & runs)
{
  std::map<std::uint32_t, std::uint64_t> publishers;
  for (const ProcessRecord & process : processes) {
    for (const PublisherRecord & publisher : process.publishers) {
      publishers[publisher.topic] = publisher.gid;
    }
  }
  for (RunRecord & run : runs) {
    const auto known = publishers.find(table.callbacks()[run.callback].input_topic);
    run.foreign = run.taken != 0 && known != publishers.end() && known->second != run.taken_from;
  }
}

}  // namespace

std::vector<RunRecord> runs_of(const Graph & graph, const std::vector<ProcessRecord> & processes)
{
  std::vector<RunRecord> runs;
  for (const ProcessRecord & process : processes) {
    if (process.error.empty()) {
      runs.insert(runs.end(), process.runs.begin(), process.runs.end());
    }
  }
  mark_foreign(processes, CallbackTable(graph), runs);
  return runs;
}

Analysis analyse(const Graph & graph, const std::vector<ProcessRecord> & processes)
{
  Analysis result;
  result.measured_to = takt_core::kNever;
  result.observed_to = takt_core::kNever;
  std::size_t usable = 0;
  for (const ProcessRecord & process : processes) {
    if (!process.error.empty()) {
      continue;
    }
    ++usable;
    result.stalls.insert(result.stalls.end(), process.stalls.begin(), process.stalls.end());
    result.measured_from = std::max(result.measured_from, process.measured_from);
    result.measured_to = std::min(result.measured_to, process.measured_to);
    result.observed_to =
      std::min(result.observed_to, std::max(process.measured_to, process.observed_to));
  }
  if (usable == 0) {
    result.measured_to = result.measured_from;
  }
  std::vector<RunRecord> runs = runs_of(graph, processes);
  const std::vector<Stall> work = overruns(runs);
  result.stalls.insert(result.stalls.end(), work.begin(), work.end());
  const StallIndex stalls(result.stalls);
  const CallbackTable table(graph);
  const Causality causality(graph, table, std::move(runs));
  Analyst analyst(graph, table, causality, stalls, result);
  analyst.callbacks();
  analyst.hot_path();
  analyst.planner();
  for (const Chain & chain : graph.chains) {
    result.chains.push_back(analyse_chain(
      chain, table, causality, stalls, result.measured_from, result.measured_to,
      result.observed_to));
  }
  for (const ProcessRecord & process : processes) {
    for (const CallbackCounters & counters : process.counters) {
      result.callbacks[counters.callback].overwritten += counters.overwritten;
    }
  }
  return result;
}

}  // namespace takt_workload
