// takt_plan: makes a schedule for a system, with a bound for each chain.
//
// Exit codes: 0 each chain keeps its deadline and no core is overloaded, 1 a chain or core does not
// (or the output could not be written), 2 a file or the command line is faulty.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "analysis/end_to_end/history_depth.hpp"
#include "analysis/end_to_end/replaced.hpp"
#include "baselines.hpp"
#include "depth_report.hpp"
#include "explanation.hpp"
#include "long_run.hpp"
#include "plan_inputs.hpp"
#include "plan_report.hpp"
#include "plan_sequences.hpp"
#include "plan_trials.hpp"
#include "takt_rt/thread_attributes.hpp"
#include "takt_schedule/core_list.hpp"
#include "takt_schedule/named_system.hpp"
#include "takt_schedule/output_file.hpp"
#include "takt_schedule/parse_system.hpp"
#include "takt_schedule/program.hpp"
#include "takt_schedule/to_yaml.hpp"

namespace
{

using takt_plan::Planner;
using takt_plan::program::PlanReport;
using takt_schedule::kUnwritten;
using takt_schedule::refuse;

constexpr int kLate = 1;
constexpr std::size_t kMostReplaced = 3;  // chains that warnings name
constexpr double kAlmostAll = 0.9;  // a search that took this share of its time was ended by it
constexpr double kForPlans = 0.9;   // of --time; the rest is for trigger: false and sequences
constexpr takt_plan::Index kMostTried = 400;  // callbacks of systems that use them

struct Arguments
{
  std::string system;
  std::string output;
  std::string document;
  std::vector<std::string> models;
  bool json = false;
  bool all_trigger = false;                      ///< no `trigger: false`
  bool no_sequences = false;                     ///< no `sequences`
  std::optional<std::chrono::nanoseconds> time;  ///< limit of the search
  std::string time_given;                        ///< the same in the user's words
  takt_plan::PlanOptions options;
};

/// Reads "0,2-3", which counts for every host, or "car:0,2-3,gateway:1", where each host's cores
/// follow its name.
void read_cpus(const std::string & text, takt_plan::PlanOptions & options)
{
  const auto bad = [&] {
    return CLI::ValidationError(
      "--cpus",
      takt_schedule::quoted(text) + " is not a list of cores like 0,2-3 or car:0-3,gateway:1");
  };
  options.cpus.clear();
  options.host_cpus.clear();
  const auto add = [&](const std::string & host, const std::string & list) {
    if (list.empty()) {
      throw bad();
    }
    for (const int cpu : takt_schedule::cores_option("--cpus", list)) {
      const std::pair one(host, cpu);
      auto & known = options.host_cpus;
      if (host.empty()) {
        options.cpus.push_back(cpu);
      } else if (std::find(known.begin(), known.end(), one) == known.end()) {
        known.push_back(one);
      } else {
        throw CLI::ValidationError(
          "--cpus", fmt::format(
                      "{} names core {} of {} twice", takt_schedule::quoted(text), cpu,
                      takt_schedule::quoted(host)));
      }
    }
  };
  std::string rest = text;
  std::string host;
  for (std::size_t colon = 0; (colon = rest.find(':')) != std::string::npos;) {
    // The last word before the colon names the host of the next cores.
    const std::size_t comma = rest.rfind(',', colon);
    const std::size_t begin = comma == std::string::npos ? 0 : comma + 1;
    if (begin == colon || (begin == 0 && !host.empty())) {
      throw bad();
    }
    if (begin > 0) {
      add(host, rest.substr(0, begin - 1));
    }
    host = rest.substr(begin, colon - begin);
    rest.erase(0, colon + 1);
  }
  add(host, rest);
}

Planner read_planner(const std::string & text)
{
  std::string known;
  for (const Planner planner : takt_plan::kPlanners) {
    if (to_string(planner) == text) {
      return planner;
    }
    known += (known.empty() ? "" : ", ") + std::string(to_string(planner));
  }
  throw CLI::ValidationError("--planner: '" + text + "' is none of " + known);
}

/// True if the program may write to this path before the search ends, and replace the file later.
bool may_be_written_early(const std::string & path)
{
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return !path.empty() && !path.starts_with("/dev/") && !path.starts_with("/proc/") &&
         (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status));
}

/// Writes a plan. A better plan may replace it later.
void write_early(const Arguments & arguments, const takt_plan::Planned & planned)
{
  takt_schedule::Schedule schedule = planned.schedule;
  schedule.system =
    takt_schedule::name_of_system(arguments.system, arguments.output, arguments.models);
  const auto late = std::count_if(planned.chains.begin(), planned.chains.end(), [&](auto chain) {
    return missed(planned, chain);
  });
  const std::string header =
    fmt::format(
      "{}: takt plan has not ended; the best plan so far, {}.\n", arguments.system,
      late == 0 ? "all deadlines are proven"
                : fmt::format("{} chain{} not proven", late, late == 1 ? "" : "s")) +
    takt_plan::program::chain_table(planned.model, planned.bounds, planned.chains, nullptr);
  const takt_plan::program::EarlyWriting writing("takt_plan", arguments.output);
  // If the file cannot be written, the program says so at its end.
  static_cast<void>(
    takt_schedule::write_output(arguments.output, takt_schedule::to_yaml(schedule, header)));
}

/// As `takt_schedule::refuse`; with --json also on standard output.
int refuse_plan(const Arguments & arguments, const takt_rt::Faults & faults)
{
  if (arguments.json) {
    fmt::print(
      "{}",
      takt_plan::program::faults_as_json(arguments.system, arguments.options.planner, faults));
    return takt_schedule::kBadInput;
  }
  return refuse(faults);
}

/// Whether the plan may have keys that only save wake-ups; says why not where that is not the
/// user's choice.
bool may_save_wake_ups(const Arguments & arguments, takt_plan::Planned & planned)
{
  if (
    arguments.options.planner != Planner::takt ||
    (arguments.no_sequences && arguments.all_trigger)) {
    return false;
  }
  if (planned.model.tasks.size() > kMostTried) {
    planned.notes.push_back(fmt::format(
      "no sequences and no trigger: false were tried, which takes a simulation each: the system "
      "has "
      "more than {} callbacks",
      kMostTried));
    return false;
  }
  return true;
}

/// Says that the plan uses cores on which this process cannot run, and which option avoids it.
/// Empty: it uses none. Nor is anything said of several hosts, because nothing says which of them
/// this machine is.
std::string missing_cores(const takt_plan::Planned & planned, const takt_schedule::System & system)
{
  if (system.hosts.size() != 1) {
    return {};
  }
  const std::vector<int> here = takt_rt::usable_cores();
  const auto is_here = [&](int core) {
    return std::find(here.begin(), here.end(), core) != here.end();
  };
  const takt_schedule::HostModel & host = system.hosts.front();
  std::set<int> missing;
  for (const takt_plan::AssignedThread & thread : planned.assignment.threads) {
    const int core = planned.model.cores[thread.core].number;
    if (!is_here(core)) {
      missing.insert(core);
    }
  }
  if (missing.empty()) {
    return {};
  }
  std::vector<int> usable;
  std::copy_if(host.cores.begin(), host.cores.end(), std::back_inserter(usable), [&](int core) {
    return is_here(core) &&
           std::find(host.reserved.begin(), host.reserved.end(), core) == host.reserved.end();
  });
  const std::string cores = takt_schedule::print_cores(std::vector(missing.begin(), missing.end()));
  return fmt::format(
    "this machine cannot run the plan, because it uses core{} {}, and takt may use core{} {} here; "
    "{}",
    missing.size() == 1 ? "" : "s", cores, here.size() == 1 ? "" : "s",
    takt_schedule::print_cores(here),
    usable.empty()
      ? fmt::format(
          "to plan for this machine, change the cores of host '{}' in the model", host.name)
      : fmt::format("to plan for this machine: --cpus {}", takt_schedule::print_cores(usable)));
}

/// Adds a note that names the options without which the plan has these keys.
void say_how_to_leave_out(takt_plan::Planned & planned)
{
  bool sequences = false;
  bool inputs = false;
  for (const takt_schedule::ExecutorSchedule & executor : planned.schedule.executors) {
    sequences = sequences || !executor.sequences.empty();
    inputs = inputs || std::any_of(
                         executor.callbacks.begin(), executor.callbacks.end(),
                         [](const auto & rule) { return rule.non_triggering.has_value(); });
  }
  if (sequences || inputs) {
    planned.notes.push_back(fmt::format(
      "to leave {} out: {}{}{}; running programs get {} at their next start",
      sequences && inputs ? "them"
      : sequences         ? "sequences"
                          : "it",
      sequences ? "--no-sequences" : "", sequences && inputs ? ", " : "",
      inputs ? "--all-trigger" : "", sequences ? "them" : "it"));
  }
}

/// Tells how many of the candidates have been tried: "planned; trying sequences, tried 12 of 80".
std::function<void(std::size_t, std::size_t)> tell_trials(
  takt_plan::program::Progress & progress, std::string what)
{
  return [&progress, what = std::move(what)](std::size_t tried, std::size_t of) {
    progress.now(fmt::format("planned; {}, tried {} of {}", what, tried, of));
  };
}

int run(const Arguments & arguments)
{
  takt_plan::program::end_when_interrupted("takt_plan");
  for (const auto & [option, path] :
       {std::pair("--output", arguments.output), std::pair("--document", arguments.document)}) {
    if (path.empty()) {
      continue;
    }
    if (takt_schedule::same_file(path, arguments.system)) {
      return refuse_plan(
        arguments, {std::string(option) + " names the input file; name another file"});
    }
    const auto status = takt_schedule::check_output(path);
    if (!status.ok()) {
      return refuse_plan(
        arguments, {std::string(option) + ": " + to_string(status.faults().front())});
    }
  }
  if (
    !arguments.document.empty() && takt_schedule::same_file(arguments.document, arguments.output)) {
    return refuse_plan(arguments, {"--output and --document name the same file; name two files"});
  }
  const auto system = takt_schedule::load_system(arguments.system);
  if (!system) {
    return refuse_plan(arguments, system.faults());
  }
  std::vector<std::string> warnings = sentences(system->warnings);
  takt_schedule::warn(warnings);
  std::optional<takt_plan::program::Progress> progress(std::in_place, "takt_plan", "planning");
  takt_plan::PlanOptions options = arguments.options;
  options.walks = !arguments.time || arguments.time->count() > 0;
  if (arguments.time && options.walks) {
    const auto start = std::chrono::steady_clock::now();
    options.time_used = [start, time = kForPlans * std::chrono::duration<double>(*arguments.time)] {
      return (std::chrono::steady_clock::now() - start) / time;
    };
  }
  const auto may_go_on = [&] { return !options.time_used || options.time_used() * kForPlans < 1; };
  bool written = false;
  const bool early = may_be_written_early(arguments.output);
  if (early) {
    options.better_found = [&](const takt_plan::Planned & planned) {
      write_early(arguments, planned);
      written = true;
    };
  }
  options.progress = [&](const takt_plan::PlanProgress & now) {
    progress->now(fmt::format(
      "planning: {} plans tried, {} of {} chains proven{}", now.plans, now.proven, now.chains,
      written ? ", the best plan so far is in " + arguments.output : ""));
  };
  auto planned = takt_plan::plan_schedule(*system, options);
  if (!planned) {
    progress.reset();
    return refuse_plan(arguments, planned.faults());
  }
  const bool time_is_up = options.time_used && options.time_used() >= kAlmostAll;
  if (early) {
    write_early(arguments, *planned);
  }
  std::optional<takt_plan::SimulatedPlan> simulated;
  if (options.walks) {
    progress->now("planned; simulating");
    if (auto run = takt_plan::simulate_plan(*system, planned->schedule)) {
      simulated = std::move(*run);
    }
  }
  const std::vector<double> loads = takt_plan::program::thread_loads(*planned);
  if (simulated && may_save_wake_ups(arguments, *planned)) {
    if (!arguments.all_trigger) {
      takt_plan::program::Trials trials{
        may_go_on, tell_trials(*progress, "trying trigger: false of subscriptions")};
      takt_plan::program::use_inputs(*system, *planned, *simulated, options.keep_slack, trials);
    }
    if (!arguments.no_sequences) {
      takt_plan::program::Trials trials{may_go_on, tell_trials(*progress, "trying sequences")};
      takt_plan::program::use_sequences(*system, *planned, *simulated, trials);
    }
    say_how_to_leave_out(*planned);
  }
  for (const takt_plan::Index chain : planned->paid.chains) {
    if (simulated) {
      simulated->chains[chain].pays_for_periods = true;
    }
  }
  progress->now("planned; checking the depths of histories");
  std::optional<std::size_t> short_histories;
  std::vector<std::string> found;
  if (const auto depths = takt_plan::history_depths(planned->model)) {
    auto more = takt_plan::program::depth_warnings(*system, *depths);
    short_histories = more.size();
    if (*short_histories > 1) {
      more.resize(1);
      more.push_back(
        fmt::format("takt explain names all {} histories that may be too short", *short_histories));
    }
    found = std::move(more);
  }
  auto replaced = takt_plan::replaced_warnings(planned->model, planned->chains);
  const std::size_t endless = replaced.size();
  if (endless > kMostReplaced) {
    replaced.resize(kMostReplaced);
    replaced.push_back(fmt::format("takt explain names all {} such chains", endless));
  }
  found.insert(found.end(), replaced.begin(), replaced.end());
  std::vector<std::string> baselines;
  if (simulated) {
    baselines =
      takt_plan::program::better_baselines(*system, arguments.options, *planned, *simulated);
  }
  planned->schedule.system =
    takt_schedule::name_of_system(arguments.system, arguments.output, arguments.models);
  progress->now("planned; searching for changes that let late chains meet their deadlines");
  takt_plan::PlanOptions late_options = arguments.options;
  // The plans have kForPlans of --time, and the limit of `misfits` counts from all of it.
  if (options.time_used) {
    late_options.time_used = [&options] { return kForPlans * options.time_used(); };
  }
  const auto misfits = takt_plan::misfits(*system, late_options, *planned);
  progress.reset();
  takt_plan::program::writing_now();
  takt_schedule::warn(found);
  warnings.insert(warnings.end(), found.begin(), found.end());
  const PlanReport report{
    *planned,
    misfits,
    warnings,
    arguments.options.planner,
    arguments.system,
    short_histories,
    endless,
    simulated,
    baselines,
    time_is_up ? arguments.time_given : "",
    loads};
  const std::string yaml = takt_schedule::to_yaml(planned->schedule, header(report));
  if (!arguments.output.empty()) {
    const auto written = takt_schedule::write_output(arguments.output, yaml);
    if (!written.ok()) {
      fmt::print(stderr, "takt_plan: {}\n", to_string(written.faults().front()));
      return kUnwritten;
    }
  }
  const std::string document =
    arguments.json || !arguments.document.empty() ? as_json(report) : std::string();
  if (!arguments.document.empty()) {
    const auto written = takt_schedule::write_output(arguments.document, document);
    if (!written.ok()) {
      fmt::print(stderr, "takt_plan: {}\n", to_string(written.faults().front()));
      return kUnwritten;
    }
  }
  if (arguments.json) {
    fmt::print("{}", document);
  } else if (arguments.output.empty()) {
    // The user may redirect the schedule. So the report goes to the error output.
    fmt::print("{}", yaml);
    fmt::print(stderr, "{}", as_text(report));
  } else {
    fmt::print("{}\nschedule: {}\n", as_text(report), arguments.output);
  }
  if (arguments.options.cpus.empty() && arguments.options.host_cpus.empty()) {
    if (const std::string sentence = missing_cores(*planned, *system); !sentence.empty()) {
      std::fflush(stdout);
      fmt::print(stderr, "takt_plan: {}\n", sentence);
    }
  }
  const bool fine = misfits.empty() && planned->shortfalls.empty() &&
                    takt_plan::program::refuted_bounds(report) == 0;
  return fine ? 0 : kLate;
}

}  // namespace

int main(int argc, char ** argv)
{
  CLI::App app{"Makes a schedule for a system, with a bound for every chain.", "takt_plan"};
  Arguments arguments;
  app.add_option("system", arguments.system, "the system model file")->required();
  app.add_option(
    "-o,--output", arguments.output, "the file for the schedule (default: standard output)");
  app.add_option_function<std::string>(
    "--cpus", [&](const std::string & text) { read_cpus(text, arguments.options); },
    "cores to use, as in 0,2-3 or car:0-3,gateway:1 (default: all that are not reserved)");
  app.add_option_function<std::string>(
    "--planner", [&](const std::string & text) { arguments.options.planner = read_planner(text); },
    "takt (default), picas, isolated, rate-monotonic, competition or competition-literal");
  app.add_option_function<std::string>(
    "--executors",
    [&](const std::string & text) {
      arguments.options.executors =
        takt_schedule::number_option("--executors", text, 1, takt_plan::kMostExecutors);
    },
    "limit of executors per host, for picas (default: none) and competition (default: one per "
    "core)");
  app.add_option_function<std::string>(
    "--executor-threads",
    [&](const std::string & text) {
      arguments.options.executor_threads = takt_schedule::number_option(
        "--executor-threads", text, 1, takt_plan::kMostExecutorThreads);
    },
    "threads of each executor, for competition (default: one per core)");
  app.add_option_function<std::string>(
    "--keep-slack",
    [&](const std::string & text) {
      arguments.options.keep_slack = takt_schedule::number_option("--keep-slack", text, 0.0, 1.0);
    },
    "share of its deadline that each chain keeps to spare where threads are merged, and where "
    "subscriptions get trigger: false (default: 0.05)");
  app.add_option_function<std::string>(
    "--time",
    [&](const std::string & text) {
      arguments.time = takt_schedule::duration_option("--time", text);
      arguments.time_given = text;
    },
    "time of the search, as in 30s; the search ends earlier when the plan cannot be improved. "
    "Meanwhile --output has the best plan so far. 0s: take the first plan (default: some "
    "ten seconds, up to about a minute if chains are late; counted by the terms of bounds)");
  app.add_option_function<std::string>(
    "--seed",
    [&](const std::string & text) {
      arguments.options.seed =
        takt_schedule::number_option<std::uint64_t>("--seed", text, 0, UINT64_MAX / 2);
    },
    "seed of the search, which tries plans at random (default: 1)");
  app.add_option(
    "--models", arguments.models,
    "folders of shipped models; the schedule names these models without a path");
  app.add_flag("--json", arguments.json, "print the report as JSON");
  app.add_flag(
    "--no-sequences", arguments.no_sequences,
    "no sequences; else callbacks that start each other on one thread follow by direct call, where "
    "no chain gets worse");
  app.add_flag(
    "--all-trigger", arguments.all_trigger,
    "no trigger: false; else messages of subscriptions with `stores` wait for the callbacks that "
    "use them, where each chain keeps --keep-slack or gets no worse");
  app.add_option("--document", arguments.document, "a file for the report as JSON (default: none)");
  return takt_schedule::run_program(app, argc, argv, [&] { return run(arguments); });
}
