#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "figures/results.hpp"
#include "figures/run_stalls.hpp"
#include "graph/callback_table.hpp"
#include "records/thread_text.hpp"
#include "takt_rt/readable.hpp"

namespace takt_workload
{

namespace
{

std::string ms(double ns)
{
  return takt_rt::significant(ns / 1e6);
}

std::string ms(const std::optional<std::int64_t> & ns)
{
  return ns ? ms(static_cast<double>(*ns)) : "-";
}

// mean, p50, p99, p99.9, max; "-" if there are too few samples.
std::string row(const std::string & name, const Summary & s)
{
  if (s.count == 0) {
    return fmt::format("  {:<34} {:>7} {:>9}\n", name, 0, "-");
  }
  return fmt::format(
    "  {:<34} {:>7} {:>9} {:>9} {:>9} {:>9} {:>9}\n", name, s.count, ms(s.mean), ms(s.p50),
    ms(s.p99), ms(s.p999), ms(static_cast<double>(s.max)));
}

std::string head(const std::string & title)
{
  return fmt::format(
    "\n{:<36} {:>7} {:>9} {:>9} {:>9} {:>9} {:>9}\n", title, "count", "mean ms", "p50", "p99",
    "p99.9", "max");
}

std::string kpi_rows(const std::vector<ProcessRecord> & processes, const Analysis & analysis)
{
  const HotPathFigures & hot = analysis.hot_path;
  const PlannerFigures & planner = analysis.planner;
  std::string text;
  if (!hot.latency.ns.empty()) {
    text += row("hot path, from the later start", summarise(hot.latency.ns));
    const auto clean = without_stalled(hot.latency.ns, hot.latency.stalled);
    const double left_out =
      1.0 - static_cast<double>(clean.size()) / static_cast<double>(hot.latency.ns.size());
    text +=
      row(fmt::format("  without stalls ({:.1f} % left out)", 100.0 * left_out), summarise(clean));
    text += row("hot path, from its due time", summarise(hot.from_due_ns));
    text += fmt::format(
      "  {:<34} {:>7} {:>9}   drops {}\n", "  floor (its work alone)", "",
      ms(static_cast<double>(hot.floor_ns)), hot.drops);
  }
  if (!planner.lateness.ns.empty()) {
    text += row("planner period", summarise(planner.period_ns));
    text += row("planner start lateness", summarise(planner.lateness.ns));
    text +=
      fmt::format("  {:<34} {:>7}\n", "planner cycles without fresh data", planner.stale_cycles);
  }
  if (!processes.front().reference_lateness_ns.empty()) {
    text += row("bare timer's lateness", summarise(processes.front().reference_lateness_ns));
  }
  return text.empty() ? text : head("figures") + text;
}

// " (/Sensor:timer(25ms) 12, ...)": the timers that skipped periods. Most of them do so for one
// common cause.
std::string skipping_timers(const CallbackTable & table, const Analysis & analysis)
{
  std::string text;
  for (const CallbackFigures & callback : analysis.callbacks) {
    if (callback.skipped_periods > 0) {
      text += fmt::format(
        "{}{} {}", text.empty() ? " (" : ", ", table.callbacks()[callback.callback].id,
        callback.skipped_periods);
    }
  }
  return text.empty() ? text : text + ")";
}

// The callbacks without a rule in the schedule. Empty if no callback has a rule: then the schedule
// has no rules, or a warning says that it belongs to another graph.
std::string defaulted_line(
  const CallbackTable & table, const std::vector<ProcessRecord> & processes)
{
  constexpr std::size_t kMost = 10;
  std::vector<std::string> ids;
  for (const ProcessRecord & process : processes) {
    ids.insert(ids.end(), process.defaulted_callbacks.begin(), process.defaulted_callbacks.end());
  }
  if (ids.empty() || ids.size() >= table.callbacks().size()) {
    return "";
  }
  const std::size_t shown = std::min(ids.size(), kMost);
  return fmt::format(
    "on the default threads, for no rule matches them: {}{}\n",
    fmt::join(ids.begin(), ids.begin() + shown, ", "),
    ids.size() > shown ? fmt::format(" and {} more", ids.size() - shown) : "");
}

}  // namespace

std::string results_table(
  const Graph & graph, const RunOptions & options, const Host & host,
  const std::vector<ProcessRecord> & processes, const Analysis & analysis)
{
  const double span =
    static_cast<double>((analysis.measured_to - analysis.measured_from).count()) * 1e-9;
  std::string text = fmt::format(
    "{} on {} core{}, {}, order {}, {} process{}, {:.1f} s\n", graph.name, host.cores.size(),
    host.cores.size() == 1 ? "" : "s",
    options.schedule.empty()
      ? "no schedule"
      : fmt::format(
          "schedule {}, executor {}", options.schedule, fmt::join(executors_of(processes), ", ")),
    processes.front().order, processes.size(), processes.size() == 1 ? "" : "es", span);
  if (span <= 0.0) {
    return text + "nothing was measured: it ended in its warm-up\n";
  }
  text += kpi_rows(processes, analysis);
  text += head("chains, from release to end");
  for (std::size_t i = 0; i < analysis.chains.size(); ++i) {
    text += row(graph.chains[i].name, summarise(analysis.chains[i].responses.ns));
  }
  text += fmt::format(
    "\n{:<36} {:>8} {:>9} {:>10} {:>6} {:>10} {:>7} {:>6}\n", "activations", "released",
    "completed", "superseded", "lost", "unfinished", "skipped", "missed");
  for (std::size_t i = 0; i < analysis.chains.size(); ++i) {
    const ChainFigures & chain = analysis.chains[i];
    text += fmt::format(
      "  {:<34} {:>8} {:>9} {:>10} {:>6} {:>10} {:>7} {:>6}\n", graph.chains[i].name,
      chain.released, chain.completed, chain.superseded, chain.lost, chain.unfinished,
      chain.skipped, chain.missed_deadlines);
  }
  text += fmt::format(
    "\n{:<36} {:>22} {:>7} {:>9} {:>9} {:>9}\n", "executor threads", "granted", "cpu %", "waits s",
    "sleeps/s", "preempt/s");
  double others = 0.0;
  for (const ProcessRecord & process : processes) {
    for (const ThreadRecord & thread : process.threads) {
      const double cpu = static_cast<double>(thread.cpu.count()) * 1e-7 / span;
      if (!thread.executor) {
        others += cpu;
        continue;
      }
      text += fmt::format(
        "  {:<34} {:>22} {:>7.1f} {:>9.3f} {:>9.1f} {:>9.1f}\n",
        processes.size() > 1 ? fmt::format("{}/{}", process.process, thread.name) : thread.name,
        describe(thread.granted), cpu, static_cast<double>(thread.queue_wait.count()) * 1e-9,
        static_cast<double>(thread.voluntary_switches) / span,
        static_cast<double>(thread.involuntary_switches) / span);
    }
  }
  text += fmt::format("  {:<34} {:>22} {:>7.1f}\n", "all others (middleware, witness)", "", others);
  const auto held = [&](Stall::Source source) {
    return held_up(analysis.stalls, source, analysis.measured_from, analysis.measured_to);
  };
  const HeldUp stalled = held(Stall::Source::witness);
  text += fmt::format(
    "\nload {:.2f} of {:.2f} cores asked; {} periods skipped{}, {} messages lost; {} host stalls "
    "of {}, {} runs whose work overran\n",
    analysis.load.applied, analysis.load.asked, analysis.skipped_periods,
    skipping_timers(CallbackTable(graph), analysis), analysis.drops, stalled.times,
    takt_rt::human(stalled.time), held(Stall::Source::overrun).times);
  text += defaulted_line(CallbackTable(graph), processes);
  for (const std::string & warning : warnings_of(options, host, processes, analysis)) {
    text += "warning: " + warning + "\n";
  }
  return text;
}

}  // namespace takt_workload
