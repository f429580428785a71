#include "figures/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "figures/original_kpis.hpp"
#include "records/thread_text.hpp"
#include "takt_control/phase_state_json.hpp"
#include "takt_rt/json_values.hpp"

namespace takt_workload
{

using nlohmann::json;
using takt_rt::or_null;
using takt_rt::to_ns;

namespace
{

json numbers(const std::vector<char> & marks)
{
  json list = json::array();
  for (const char mark : marks) {
    list.push_back(static_cast<int>(mark));
  }
  return list;
}

double share(const std::vector<char> & marks)
{
  const auto marked = std::count(marks.begin(), marks.end(), 1);
  return marks.empty() ? 0.0 : static_cast<double>(marked) / static_cast<double>(marks.size());
}

json options_json(const RunOptions & options)
{
  return {
    {"phases", options.random_phases ? fmt::format("random:{}", *options.random_phases) : "fixed"},
    {"seed", options.seed},
    {"work_scale", options.work_scale},
    {"split", options.split},
    {"duration_ns", options.duration.count()},
    {"warmup_ns", options.warmup.count()},
    {"label", options.label}};
}

json host_json(const Host & host)
{
  return {
    {"cores", host.cores},
    {"kernel", host.kernel},
    {"realtime_allowed", host.realtime_allowed},
    {"autogroup", host.autogroup},
    {"rt_runtime_us", host.rt_runtime_us},
    {"rt_period_us", host.rt_period_us}};
}

json thread_json(const ThreadRecord & thread)
{
  return {
    {"process", thread.process},
    {"name", thread.name},
    {"tid", thread.tid},
    {"executor", thread.executor},
    {"number", thread.executor ? json(thread.number) : json()},
    {"asked", thread.asked ? describe(*thread.asked) : ""},
    {"granted", describe(thread.granted)},
    {"faults", sentences(thread.faults)},
    {"cpu_ns", thread.cpu.count()},
    {"run_queue_wait_ns", thread.queue_wait.count()},
    {"voluntary_switches", thread.voluntary_switches},
    {"involuntary_switches", thread.involuntary_switches}};
}

json callback_json(
  const Graph & graph, const CallbackEntry & entry, const CallbackFigures & figures)
{
  std::int64_t work = 0;
  for (const std::int64_t one : figures.work_cpu_ns) {
    work += one;
  }
  const Node & node = graph.nodes[entry.node];
  json callback{
    {"id", entry.id},
    {"node", node.name},
    {"group", entry.group},
    {"kind", entry.timer ? "timer" : "subscription"},
    {"count", figures.execution_ns.size()},
    {"skipped_periods", figures.skipped_periods},
    {"overwritten", figures.overwritten},
    {"lost_messages", figures.lost_messages},
    {"start_delay", to_json(summarise(figures.start_delay_ns))},
    {"execution", to_json(summarise(figures.execution_ns))},
    {"response", to_json(summarise(figures.response_ns))},
    {"work", to_json(summarise(figures.work_cpu_ns))},
    {"cpu_ns_total", work},
    {"period_ns", entry.timer ? json(entry.period.count()) : json()},
    {"offset_ns", entry.timer ? json(node.offset.value_or(node.period).count()) : json()},
    {"runs_on_thread", figures.runs_on_thread}};
  if (!entry.sleep.none()) {
    callback["slept"] = to_json(summarise(figures.slept_ns));
  }
  return callback;
}

json chain_json(const Chain & chain, const ChainFigures & figures)
{
  const bool bounded = chain.deadline != takt_rt::kForever;
  return {
    {"name", chain.name},
    {"path", chain.path},
    {"priority", chain.priority},
    {"deadline_ns", bounded ? json(chain.deadline.count()) : json()},
    {"hot_path", chain.hot_path},
    {"released", figures.released},
    {"completed", figures.completed},
    {"superseded", figures.superseded},
    {"lost", figures.lost},
    {"unfinished", figures.unfinished},
    {"skipped", figures.skipped},
    {"late", figures.late},
    {"overdue", figures.overdue},
    {"missed_deadlines", figures.missed_deadlines},
    {"processes", figures.processes},
    {"response", to_json(summarise(figures.responses.ns))},
    {"responses_ns", figures.responses.ns},
    {"releases_ns", figures.responses.at_ns},
    {"stalled", numbers(figures.responses.stalled)},
    {"catching_up", numbers(figures.catching_up)},
    {"stalled_share", share(figures.responses.stalled)}};
}

json kpis_json(
  const Graph & graph, const std::vector<ProcessRecord> & processes, const Analysis & analysis)
{
  json kpis = {{"skipped_periods", analysis.skipped_periods}};
  const auto unstalled = [](const Samples & samples) {
    return to_json(summarise(without_stalled(samples.ns, samples.stalled)));
  };
  if (!graph.kpis.hot_path_sink.empty()) {
    const HotPathFigures & hot = analysis.hot_path;
    kpis["hot_path"] = {
      {"latency_ns", hot.latency.ns},
      {"from_due_ns", hot.from_due_ns},
      {"at_ns", hot.latency.at_ns},
      {"stalled", numbers(hot.latency.stalled)},
      {"stalled_share", share(hot.latency.stalled)},
      {"floor_ns", hot.floor_ns},
      {"drops", hot.drops},
      {"parts",
       {{"work", to_json(summarise(hot.parts.work_ns))},
        {"held_up", to_json(summarise(hot.parts.held_up_ns))},
        {"publishing", to_json(summarise(hot.parts.publishing_ns))},
        {"handing_over", to_json(summarise(hot.parts.handing_over_ns))}}},
      {"latency", to_json(summarise(hot.latency.ns))},
      {"latency_unstalled", unstalled(hot.latency)},
      {"from_due", to_json(summarise(hot.from_due_ns))},
      {"from_due_unstalled",
       to_json(summarise(without_stalled(hot.from_due_ns, hot.latency.stalled)))}};
  }
  if (!graph.kpis.planner.empty()) {
    const PlannerFigures & planner = analysis.planner;
    kpis["planner"] = {
      {"period_ns", planner.period_ns},
      {"start_lateness_ns", planner.lateness.ns},
      {"at_ns", planner.lateness.at_ns},
      {"stalled", numbers(planner.lateness.stalled)},
      {"stalled_share", share(planner.lateness.stalled)},
      {"cycles", planner.lateness.ns.size()},
      {"stale_cycles", planner.stale_cycles},
      {"period", to_json(summarise(planner.period_ns))},
      {"start_lateness", to_json(summarise(planner.lateness.ns))},
      {"start_lateness_unstalled", unstalled(planner.lateness)}};
  }
  kpis["original"] = original_kpis_json(graph, processes, analysis);
  const auto & lateness = processes.front().reference_lateness_ns;
  if (!lateness.empty()) {
    kpis["reference_timer"] = {
      {"lateness_ns", lateness}, {"lateness", to_json(summarise(lateness))}};
  }
  return kpis;
}

}  // namespace

json to_json(const Summary & summary)
{
  return {
    {"count", summary.count},
    {"mean", summary.mean},
    {"std", summary.std},
    {"min", summary.min},
    {"max", summary.max},
    {"p50", or_null<json>(summary.p50)},
    {"p90", or_null<json>(summary.p90)},
    {"p99", or_null<json>(summary.p99)},
    {"p999", or_null<json>(summary.p999)}};
}

std::vector<std::string> executors_of(const std::vector<ProcessRecord> & processes)
{
  std::vector<std::string> names;
  for (const ProcessRecord & process : processes) {
    const std::string & name = process.executor_name;
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  return names;
}

json results_json(
  const Graph & graph, const RunOptions & options, const Host & host,
  const std::vector<ProcessRecord> & processes, const Analysis & analysis)
{
  json results = options_json(options);
  results["version"] = kResultsVersion;
  results["graph"] = graph.name;
  results["schedule"] = options.schedule.empty() ? json()
                                                 : json{
                                                     {"file", options.schedule},
                                                     {"name", processes.front().executor_name},
                                                     {"executors", executors_of(processes)}};
  results["order"] = processes.front().order;
  results["host"] = host_json(host);
  results["epoch_ns"] = to_ns(processes.front().epoch);
  results["measured_from_ns"] = to_ns(analysis.measured_from);
  results["measured_to_ns"] = to_ns(analysis.measured_to);
  results["middleware_ceiling"] = processes.front().middleware_ceiling;
  results["phase_states"] = json::array();
  for (const ProcessRecord & process : processes) {
    if (process.phases) {
      results["phase_states"].push_back(
        {{"process", process.process},
         {"executor", process.executor_name},
         {"state", takt_control::phase_state_json<json>(process.phases, process.measured_to)},
         {"before",
          takt_control::phase_state_json<json>(process.phases_before, process.measured_from)}});
    }
  }
  results["thread_count"] = 0;
  results["threads"] = json::array();
  for (const ProcessRecord & process : processes) {
    for (const ThreadRecord & thread : process.threads) {
      results["threads"].push_back(thread_json(thread));
      results["thread_count"] = results["thread_count"].get<int>() + (thread.executor ? 1 : 0);
    }
  }
  const CallbackTable table(graph);
  results["callbacks"] = json::array();
  for (const CallbackFigures & figures : analysis.callbacks) {
    results["callbacks"].push_back(
      callback_json(graph, table.callbacks()[figures.callback], figures));
  }
  results["chains"] = json::array();
  for (std::size_t i = 0; i < analysis.chains.size(); ++i) {
    results["chains"].push_back(chain_json(graph.chains[i], analysis.chains[i]));
  }
  results["kpis"] = kpis_json(graph, processes, analysis);
  results["load"] = {
    {"asked", analysis.load.asked},
    {"applied", analysis.load.applied},
    {"margin", analysis.load.margin}};
  results["stalls"] = json::array();
  for (const Stall & stall : analysis.stalls) {
    results["stalls"].push_back(
      {{"core", stall.core >= 0 ? json(stall.core) : json()},
       {"begin_ns", to_ns(stall.begin)},
       {"certain_from_ns", to_ns(stall.certain_from)},
       {"end_ns", to_ns(stall.end)},
       {"source", stall.source == Stall::Source::witness   ? "witness"
                  : stall.source == Stall::Source::overrun ? "overrun"
                                                           : "throttled"}});
  }
  std::uint64_t unrecorded = 0;
  results["incomplete"] = json::array();
  for (const ProcessRecord & process : processes) {
    unrecorded += process.unrecorded_runs;
    if (!process.error.empty()) {
      results["incomplete"].push_back(process.error);
    }
  }
  results["messages"] = {
    {"drops", analysis.drops},
    {"foreign", analysis.foreign_messages},
    {"unmatched", analysis.unmatched_takes},
    {"unrecorded_runs", unrecorded}};
  results["defaulted_callbacks"] = json::array();
  for (const ProcessRecord & process : processes) {
    for (const std::string & id : process.defaulted_callbacks) {
      results["defaulted_callbacks"].push_back(id);
    }
  }
  results["warnings"] = warnings_of(options, host, processes, analysis);
  return results;
}

}  // namespace takt_workload
