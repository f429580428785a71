#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <regex>
#include <string>

#include "run/refusals.hpp"
#include "takt_workload/results.hpp"
#include "takt_workload/stall_index.hpp"

namespace takt_workload
{

namespace
{

// What all processes say is said once. One schedule for all parts has rules for callbacks of each,
// so that a rule matches nothing is worth a word only if it does so everywhere.
std::vector<std::string> process_warnings(const std::vector<ProcessRecord> & processes)
{
  std::vector<std::string> warnings;
  std::map<std::string, std::size_t> said;
  std::size_t complete = 0;
  for (const ProcessRecord & process : processes) {
    complete += process.error.empty() ? 1 : 0;
    for (const std::string & warning : process.warnings) {
      ++said[warning];
    }
  }
  for (const ProcessRecord & process : processes) {
    for (const std::string & warning : process.warnings) {
      std::size_t & times = said[warning];
      if (times == complete) {
        warnings.push_back(warning);
        times = SIZE_MAX;
      } else if (times != SIZE_MAX && warning.find("matches no callback") == std::string::npos) {
        warnings.push_back(fmt::format("process {}: {}", process.process, warning));
      }
    }
  }
  return warnings;
}

// A schedule of another graph, or of an older one, has many rules that match nothing.
std::vector<std::string> without_misfits(
  const std::vector<std::string> & warnings, const std::vector<ProcessRecord> & processes)
{
  constexpr std::size_t kMost = 10;
  const auto misfit = [](const std::string & warning) {
    return warning.find(" matches no callback") != std::string::npos;
  };
  const auto count =
    static_cast<std::size_t>(std::count_if(warnings.begin(), warnings.end(), misfit));
  const bool nothing_fits = std::none_of(
    processes.begin(), processes.end(),
    [](const ProcessRecord & process) { return process.error.empty() && process.schedule_fits; });
  std::vector<std::string> kept;
  std::size_t seen = 0;
  for (const std::string & warning : warnings) {
    if (!misfit(warning)) {
      kept.push_back(warning);
      continue;
    }
    ++seen;
    if (nothing_fits) {
      if (seen == 1) {
        kept.push_back(
          "no rule and no chain of the schedule names a callback of this graph: all ran on its "
          "default threads; `takt graph ids` lists their ids");
      }
    } else if (seen <= kMost) {
      kept.push_back(warning);
    } else if (seen == count) {
      kept.push_back(fmt::format(
        "and {} more that match no callback; `takt check --against` lists them all",
        count - kMost));
    }
  }
  return kept;
}

// What is said of each of several threads: said once, with a count.
std::vector<std::string> without_repeats(const std::vector<std::string> & warnings)
{
  static const std::regex thread("thread '[^']*' \\([0-9]+\\)|for thread [0-9]+");
  std::map<std::string, std::size_t> times;
  const auto key = [](const std::string & text) {
    return text.size() > kLongestMatched ? text : std::regex_replace(text, thread, "");
  };
  for (const std::string & warning : warnings) {
    ++times[key(warning)];
  }
  std::vector<std::string> kept;
  for (const std::string & warning : warnings) {
    std::size_t & count = times[key(warning)];
    if (count > 1) {
      kept.push_back(fmt::format("{} (and {} more like this)", warning, count - 1));
    } else if (count == 1) {
      kept.push_back(warning);
    }
    count = 0;
  }
  return kept;
}

bool is_realtime(const ThreadRecord & thread)
{
  return thread.granted.starts_with("fifo") || thread.granted.starts_with("rr") ||
         thread.granted.starts_with("deadline");
}

// Whether throttling may hold anything back. What only watches the run sleeps nearly always.
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

// Whether nice levels are all that tells the executors' threads apart: no priority was granted.
bool counts_on_nice(const std::vector<ProcessRecord> & processes)
{
  bool nice = false;
  for (const ProcessRecord & process : processes) {
    for (const ThreadRecord & thread : process.threads) {
      if (thread.executor && is_realtime(thread)) {
        return false;
      }
      nice = nice || (thread.executor && thread.granted.find("nice") != std::string::npos);
    }
  }
  return nice;
}

}  // namespace

std::vector<std::string> warnings_of(
  const RunOptions & options, const Host & host, const std::vector<ProcessRecord> & processes,
  const Analysis & analysis)
{
  std::vector<std::string> warnings;
  for (const ProcessRecord & process : processes) {
    if (!process.error.empty()) {
      warnings.push_back("incomplete: " + process.error);
    }
  }
  Refusals refusals;
  std::vector<std::string> faults;  // of threads, others than refusals
  for (const ProcessRecord & process : processes) {
    for (const ThreadRecord & thread : process.threads) {
      const std::string who =
        processes.size() > 1 ? fmt::format("{}/{}", process.process, thread.name) : thread.name;
      const std::string granted = thread.granted.substr(0, thread.granted.find(", cores"));
      for (const std::string & fault : thread.faults) {
        if (!refusals.take(who, fault, granted)) {
          faults.push_back(fmt::format("{}: {}", who, fault));
        }
      }
    }
  }
  for (const std::string & warning : without_misfits(process_warnings(processes), processes)) {
    // Said below of what the threads really had.
    if (
      warning.find("nice levels only count within a session here") == std::string::npos &&
      !refusals.take(warning)) {
      warnings.push_back(warning);
    }
  }
  for (const ProcessRecord & process : processes) {
    if (process.unrecorded_runs > 0) {
      warnings.push_back(
        fmt::format("{} runs did not fit into the record", process.unrecorded_runs));
    }
  }
  const std::vector<std::string> refused = refusals.sentences();
  warnings.insert(warnings.end(), refused.begin(), refused.end());
  warnings.insert(warnings.end(), faults.begin(), faults.end());
  if (host.autogroup && counts_on_nice(processes)) {
    warnings.push_back(
      "threads have nice values, and autogroup is on: they count only among the processes of this "
      "terminal session (`sysctl kernel.sched_autogroup_enabled=0` ends that)");
  }
  if (
    host.rt_runtime_us >= 0 && host.rt_runtime_us < host.rt_period_us && has_realtime(processes)) {
    warnings.push_back(fmt::format(
      "real-time threads are throttled after {} ms of {} ms (`sysctl "
      "kernel.sched_rt_runtime_us=-1` "
      "ends that)",
      host.rt_runtime_us / 1000, host.rt_period_us / 1000));
  }
  const HeldUp held_back = held_up(
    analysis.stalls, Stall::Source::throttled, analysis.measured_from, analysis.measured_to);
  if (held_back.times > 0) {
    warnings.push_back(fmt::format(
      "the kernel held real-time threads back {}, {:.1f} ms in all (throttling, or "
      "threads of priority 99): no stall of the host, and left out of no figure",
      held_back.times == 1 ? "once" : fmt::format("{} times", held_back.times),
      static_cast<double>(held_back.time.count()) * 1e-6));
  }
  if (analysis.foreign_messages > 0) {
    warnings.push_back(fmt::format(
      "{} messages came from publishers outside of the graph: choose another --domain",
      analysis.foreign_messages));
  }
  if (analysis.load.overloaded()) {
    warnings.push_back(fmt::format(
      "overload: of {:.2f} cores of work {:.2f} were done", analysis.load.asked,
      analysis.load.applied));
  }
  if (!options.witness) {
    warnings.push_back("stalls of the host are not witnessed: --witness off");
  }
  return without_repeats(warnings);
}

}  // namespace takt_workload
