#include "figures/figures.hpp"

#include <algorithm>
#include <map>

#include "figures/missing_releases.hpp"

namespace takt_workload
{

using takt_rt::Time;

namespace
{

class Analyst
{
public:
  Analyst(
    const Graph & graph, const CallbackTable & table, const Causality & causality,
    const StallIndex & stalls, const std::vector<takt_trace::UnstartedReleases> & missing,
    Analysis & result)
  : graph_(graph),
    table_(table),
    causality_(causality),
    stalls_(stalls),
    missing_(missing),
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
      if (run.slept.count() > 0) {
        figures.slept_ns.push_back(run.slept.count());
      }
      if (run.work_asked.count() > 0 || run.slept.count() > 0) {
        figures.effort_ns.push_back((run.work_cpu + run.slept).count());
      }
      if (figures.runs_on_thread.size() <= run.thread) {
        figures.runs_on_thread.resize(run.thread + 1, 0);
      }
      ++figures.runs_on_thread[run.thread];
    }
    for (std::uint32_t i = 0; i < result_.callbacks.size(); ++i) {
      result_.callbacks[i].callback = i;
      result_.callbacks[i].skipped_periods = missing_[i].skipped.size();
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
      result_.load.margin = result_.load.asked;  // the run ended before the measurement began
    }
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
  const Graph & graph_;
  const CallbackTable & table_;
  const Causality & causality_;
  const StallIndex & stalls_;
  const std::vector<takt_trace::UnstartedReleases> & missing_;
  Analysis & result_;
};

// A message counts as the graph's own if the records have no publisher for its topic.
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
  result.measured_to = takt_rt::kNever;
  result.observed_to = takt_rt::kNever;
  std::vector<TimerRecord> timers;
  std::size_t usable = 0;
  for (const ProcessRecord & process : processes) {
    if (!process.error.empty()) {
      continue;
    }
    ++usable;
    result.stalls.insert(result.stalls.end(), process.stalls.begin(), process.stalls.end());
    timers.insert(timers.end(), process.timers.begin(), process.timers.end());
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
  const StallIndex after(catching_up(result.stalls, runs));
  const CallbackTable table(graph);
  const Causality causality(graph, table, std::move(runs));
  const std::vector<takt_trace::UnstartedReleases> missing = missing_releases(
    table, causality.runs(), timers, result.measured_from, result.measured_to, result.observed_to);
  Analyst analyst(graph, table, causality, stalls, missing, result);
  analyst.callbacks();
  analyst.planner();
  result.hot_path = analyse_hot_path(
    graph, table, causality, stalls, result.callbacks, result.measured_from, result.measured_to);
  for (const Chain & chain : graph.chains) {
    result.chains.push_back(analyse_chain(
      chain, table, causality, stalls, after, missing, result.measured_from, result.measured_to,
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
