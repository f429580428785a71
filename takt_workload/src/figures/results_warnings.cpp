#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "figures/results.hpp"
#include "figures/run_stalls.hpp"
#include "records/thread_text.hpp"
#include "run/refusals.hpp"
#include "takt_rt/readable.hpp"

namespace takt_workload
{

namespace
{

using takt_rt::Fault;
using takt_rt::FaultKind;

// A warning, with the process that it comes from unless all processes have it.
struct Told
{
  Fault fault;
  std::optional<std::uint32_t> process{};
};

// For refusals, the hash uses only the values that differ between threads.
struct FaultHash
{
  std::size_t operator()(const Fault * fault) const noexcept
  {
    std::size_t sum = 0;
    const auto add = [&](std::size_t one) { sum = sum * 31 + one; };
    const std::hash<std::string> of;
    add(static_cast<std::size_t>(fault->kind));
    add(static_cast<std::size_t>(fault->line));
    add(static_cast<std::size_t>(fault->column));
    for (const std::string * text : {&fault->file, &fault->place, &fault->text}) {
      add(of(*text));
    }
    if (fault->refusal) {
      add(of(fault->refusal->thread));
      add(static_cast<std::size_t>(fault->refusal->tid));
    }
    return sum;
  }
};

struct SameFault
{
  bool operator()(const Fault * a, const Fault * b) const { return *a == *b; }
};

std::string printed(const Told & told)
{
  const std::string sentence = to_string(told.fault);
  return told.process ? fmt::format("process {}: {}", *told.process, sentence) : sentence;
}

// A warning of all processes appears once. A schedule for all parts has rules for callbacks of each
// part, so a rule without a match matters only if no process has a match.
std::vector<Told> process_warnings(const std::vector<ProcessRecord> & processes)
{
  struct Said
  {
    std::size_t times = 0;
    bool told = false;
  };
  std::unordered_map<const Fault *, Said, FaultHash, SameFault> said;
  std::size_t complete = 0;
  for (const ProcessRecord & process : processes) {
    complete += process.error.empty() ? 1 : 0;
    for (const Fault & warning : process.warnings) {
      ++said[&warning].times;
    }
  }
  std::vector<Told> warnings;
  for (const ProcessRecord & process : processes) {
    for (const Fault & warning : process.warnings) {
      Said & one = said[&warning];
      if (one.times == complete && !one.told) {
        warnings.push_back({warning});
        one.told = true;
      } else if (one.times != complete && warning.kind != FaultKind::unmatched) {
        warnings.push_back({warning, process.process});
      }
    }
  }
  return warnings;
}

// A schedule of another or older graph has many rules without a match: keeps one warning for all of
// them.
std::vector<Told> without_misfits(
  const std::vector<Told> & warnings, const std::vector<ProcessRecord> & processes)
{
  constexpr std::size_t kMost = 10;
  const auto misfit = [](const Told & told) { return told.fault.kind == FaultKind::unmatched; };
  const auto count =
    static_cast<std::size_t>(std::count_if(warnings.begin(), warnings.end(), misfit));
  const bool nothing_fits = std::none_of(
    processes.begin(), processes.end(),
    [](const ProcessRecord & process) { return process.error.empty() && process.schedule_fits; });
  std::vector<Told> kept;
  std::size_t seen = 0;
  for (const Told & warning : warnings) {
    if (!misfit(warning)) {
      kept.push_back(warning);
      continue;
    }
    ++seen;
    if (nothing_fits) {
      if (seen == 1) {
        kept.push_back(
          {"no rule and no chain of the schedule names a callback of this graph: all ran on its "
           "default threads; `takt graph ids` lists their ids"});
      }
    } else if (seen <= kMost) {
      kept.push_back(warning);
    } else if (seen == count) {
      kept.push_back({fmt::format(
        "and {} more that match no callback; `takt check --against` lists them all",
        count - kMost)});
    }
  }
  return kept;
}

// The warning without the name of a thread.
Told of_any_thread(Told told)
{
  if (told.fault.kind == FaultKind::process_threads) {
    told.fault.place.clear();
  }
  if (told.fault.refusal) {
    told.fault.refusal->tid = 0;
  }
  return told;
}

// Keeps one of several equal warnings about threads, with a count.
std::vector<std::string> without_repeats(const std::vector<Told> & warnings)
{
  std::map<std::string, std::size_t> times;
  std::vector<std::string> keys;
  for (const Told & warning : warnings) {
    keys.push_back(printed(of_any_thread(warning)));
    ++times[keys.back()];
  }
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < warnings.size(); ++i) {
    std::size_t & count = times[keys[i]];
    if (count > 1) {
      kept.push_back(fmt::format("{} (and {} more like this)", printed(warnings[i]), count - 1));
    } else if (count == 1) {
      kept.push_back(printed(warnings[i]));
    }
    count = 0;
  }
  return kept;
}

bool is_realtime(const ThreadRecord & thread)
{
  return takt_rt::has_rt_priority(thread.granted.policy) ||
         thread.granted.policy == takt_rt::Policy::deadline;
}

// True if throttling may delay a thread. Threads that only watch the run sleep nearly always, and
// do not count.
bool has_realtime(const std::vector<ProcessRecord> & processes)
{
  return std::any_of(processes.begin(), processes.end(), [](const ProcessRecord & process) {
    return process.middleware_ceiling > 0 ||
           std::any_of(
             process.threads.begin(), process.threads.end(), [](const ThreadRecord & thread) {
               return is_realtime(thread) &&
                      (thread.executor ||
                       !(thread.name.starts_with("witness") || thread.name == "reference"));
             });
  });
}

// True if only nice levels distinguish the executors' threads: the kernel granted no priority.
bool counts_on_nice(const std::vector<ProcessRecord> & processes)
{
  bool nice = false;
  for (const ProcessRecord & process : processes) {
    for (const ThreadRecord & thread : process.threads) {
      if (thread.executor && is_realtime(thread)) {
        return false;
      }
      nice = nice || (thread.executor && thread.granted.nice.value_or(0) != 0);
    }
  }
  return nice;
}

}  // namespace

std::vector<std::string> warnings_of(
  const RunOptions & options, const Host & host, const std::vector<ProcessRecord> & processes,
  const Analysis & analysis)
{
  std::vector<Told> warnings;
  for (const ProcessRecord & process : processes) {
    if (!process.error.empty()) {
      warnings.push_back({"incomplete: " + process.error});
    }
  }
  Refusals refusals;
  std::vector<Told> faults;  // faults of threads, without refusals
  for (const ProcessRecord & process : processes) {
    for (const ThreadRecord & thread : process.threads) {
      const std::string who =
        processes.size() > 1 ? fmt::format("{}/{}", process.process, thread.name) : thread.name;
      const std::string granted = describe_without_cores(thread.granted);
      for (const Fault & fault : thread.faults) {
        if (!refusals.take(who, fault, granted)) {
          faults.push_back({within(who, fault)});
        }
      }
    }
  }
  for (const Told & warning : without_misfits(process_warnings(processes), processes)) {
    const bool of_threads = warning.fault.kind == FaultKind::process_threads;
    const std::string before =
      of_threads && warning.process ? fmt::format("{}/", *warning.process) : std::string();
    // A later warning describes the nice levels that the threads really had.
    if (warning.fault.kind != FaultKind::session_nice && !refusals.take(warning.fault, before)) {
      warnings.push_back(warning);
    }
  }
  for (const ProcessRecord & process : processes) {
    if (process.unrecorded_runs > 0) {
      warnings.push_back(
        {fmt::format("{} runs did not fit into the record", process.unrecorded_runs)});
    }
  }
  for (const std::string & sentence : refusals.sentences()) {
    warnings.push_back({sentence});
  }
  warnings.insert(warnings.end(), faults.begin(), faults.end());
  if (host.autogroup && counts_on_nice(processes)) {
    warnings.push_back(
      {"threads have nice values, and autogroup is on: they count only among the processes of this "
       "terminal session (`sysctl kernel.sched_autogroup_enabled=0` ends that)"});
  }
  if (
    host.rt_runtime_us >= 0 && host.rt_runtime_us < host.rt_period_us && has_realtime(processes)) {
    warnings.push_back({fmt::format(
      "real-time threads are throttled after {} ms of {} ms (`sysctl "
      "kernel.sched_rt_runtime_us=-1` "
      "ends that)",
      host.rt_runtime_us / 1000, host.rt_period_us / 1000)});
  }
  const HeldUp held_back = held_up(
    analysis.stalls, Stall::Source::throttled, analysis.measured_from, analysis.measured_to);
  if (held_back.times > 0) {
    warnings.push_back({fmt::format(
      "the kernel held real-time threads back {}, {} in all (throttling, or "
      "threads of priority 99): no stall of the host, and left out of no figure",
      held_back.times == 1 ? "once" : fmt::format("{} times", held_back.times),
      takt_rt::human(held_back.time))});
  }
  if (analysis.foreign_messages > 0) {
    warnings.push_back({fmt::format(
      "{} messages came from publishers outside of the graph: choose another --domain",
      analysis.foreign_messages)});
  }
  if (analysis.load.overloaded()) {
    warnings.push_back({fmt::format(
      "overload: of {:.2f} cores of work {:.2f} were done", analysis.load.asked,
      analysis.load.applied)});
  }
  if (!options.witness) {
    warnings.push_back({"stalls of the host are not witnessed: --witness off"});
  }
  return without_repeats(warnings);
}

}  // namespace takt_workload
