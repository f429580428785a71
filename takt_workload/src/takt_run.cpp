// Runs a graph and measures it. See `takt_run --help` and docs/graphs.md.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "command_line.hpp"
#include "output_file.hpp"
#include "part_schedule.hpp"
#include "takt_core/names.hpp"
#include "takt_core/thread_attributes.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_workload/analysis.hpp"
#include "takt_workload/graph_parse.hpp"
#include "takt_workload/host.hpp"
#include "takt_workload/record_size.hpp"
#include "takt_workload/results.hpp"
#include "takt_workload/run_graph.hpp"
#include "takt_workload/signals.hpp"

namespace takt_workload
{

namespace
{

struct Arguments
{
  RunOptions run;
  std::string graph;
  std::string output;
  std::string records;
  bool quiet = false;
  bool json_progress = false;
  // Given by the parent of a split run.
  int part = -1;
  int channel = -1;
  std::string record;
};

std::string orders()
{
  std::string all;
  for (const auto & [order, name] : takt_core::names<takt_core::Order>()) {
    all += (all.empty() ? "" : ", ") + std::string(name);
  }
  return all;
}

void add_options(CLI::App & app, Arguments & a)
{
  RunOptions & run = a.run;
  app.add_option("GRAPH", a.graph, "graph file, or the name of a shipped one")->required();
  app.add_option("--schedule", run.schedule, "schedule file, or the name of a shipped one");
  app.add_option("--executor", run.executor, "which executor of the schedule")->needs("--schedule");
  app.add_option_function<std::string>(
    "--order",
    [&run](const std::string & word) {
      run.order = takt_core::from_string<takt_core::Order>(word);
      if (!run.order) {
        throw CLI::ValidationError("--order", "'" + word + "' is not one of " + orders());
      }
    },
    "order of the ready queues: " + orders());
  app.add_option("--threads", run.threads, "executor threads, without a schedule")
    ->check(CLI::Range(1, 63))
    ->excludes("--schedule")
    ->capture_default_str();
  app.add_option_function<std::string>(
    "--cores", [&run](const std::string & text) { run.cores = parse_cores(text); },
    "confine the process to these cores, e.g. 0,2-3");
  add_duration(app, "--duration", run.duration, "measured time");
  add_duration(app, "--warmup", run.warmup, "time before it that is left out");
  add_duration(app, "--match-timeout", run.match_timeout, "longest wait for discovery");
  app.add_option_function<std::string>(
    "--phases",
    [&run](const std::string & word) {
      std::uint64_t seed = 0;
      if (word.starts_with("random:") && CLI::detail::lexical_cast(word.substr(7), seed)) {
        run.random_phases = seed;
      } else if (word != "fixed") {
        throw CLI::ValidationError("--phases", "'" + word + "' is neither fixed nor random:SEED");
      }
    },
    "timers' phases: fixed (as the graph says) or random:SEED");
  app.add_option("--seed", run.seed, "of work times drawn from distributions");
  app.add_option("--work-scale", run.work_scale, "factor for all work times")
    ->check(CLI::Range(0.0, 1000.0));
  app.add_option("--split", run.split, "number of processes")->check(CLI::Range(1, 64));
  app.add_option("--split-map", run.split_map, "nodes of each process, \"A,B;C\"")
    ->needs("--split");
  app.add_option_function<std::string>(
    "--witness",
    [&run](const std::string & word) {
      if (word != "auto" && word != "off") {
        throw CLI::ValidationError("--witness", "'" + word + "' is neither auto nor off");
      }
      run.witness = word == "auto";
    },
    "watch for stalls of the host: auto or off");
  app.add_option("--domain", run.domain, "ROS domain id; default: a free one")
    ->check(CLI::Range(0, 232))
    ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app
    .add_option(
      "--reference-timer", run.reference_timer, "SCHED_FIFO priority of a bare timer thread")
    ->check(CLI::Range(1, 99));
  app.add_option("--label", run.label, "kept in the results");
  app.add_option("--output", a.output, "where to write the results, e.g. results.json");
  app.add_option(
    "--records", a.records, "where to write the raw record of each run, some 80 bytes each");
  app.add_flag("--quiet", a.quiet, "no progress and no tables");
  app.add_flag("--json-progress", a.json_progress, "progress as lines of JSON on standard output");
  app.add_option("--part", a.part)->group("");
  app.add_option("--channel", a.channel)->group("");
  app.add_option("--record", a.record)->group("");
}

Progress progress_for(const Arguments & a)
{
  const double whole = std::chrono::duration<double>(a.run.duration + a.run.warmup).count();
  if (a.json_progress) {
    return [whole](takt_core::Duration elapsed) {
      fmt::print(
        "{{\"elapsed_s\": {:.1f}, \"of_s\": {:.1f}}}\n",
        std::chrono::duration<double>(elapsed).count(), whole);
      std::fflush(stdout);
    };
  }
  if (a.quiet || isatty(STDERR_FILENO) == 0) {
    return nullptr;
  }
  return [whole](takt_core::Duration elapsed) {
    const double seconds = std::max(0.0, std::chrono::duration<double>(elapsed).count());
    fmt::print(stderr, "\r{:5.1f} of {:.1f} s", std::min(seconds, whole), whole);
  };
}

int fail(const std::string & what)
{
  fmt::print(stderr, "takt_run: {}\n", what);
  return kBadInput;
}

int report(const Arguments & a, const Graph & graph, const std::vector<ProcessRecord> & records)
{
  const Analysis analysis = analyse(graph, records);
  const Host host = read_host();
  const auto write = [](const std::string & path, const std::string & text) {
    const auto written = write_output(path, text);
    if (!written.ok()) {
      fmt::print(stderr, "takt_run: {}\n", written.faults().front());
    }
    return written.ok();
  };
  if (!a.records.empty() && !write(a.records, records_json(graph, records))) {
    return 1;
  }
  if (
    !a.output.empty() &&
    !write(a.output, results_json(graph, a.run, host, records, analysis).dump(1) + '\n')) {
    return 1;
  }
  if (!a.quiet && !a.json_progress) {
    std::cout << results_table(graph, a.run, host, records, analysis);
  }
  return 0;
}

int run(int argc, char ** argv)
{
  Arguments a;
  CLI::App app("Runs a graph of nodes on takt and measures it.", "takt_run");
  add_options(app, a);
  if (const auto code = parse_or_explain(app, argc, argv)) {
    return *code;
  }
  const auto loaded = load_graph(a.graph);
  if (!loaded) {
    for (const std::string & fault : loaded.faults()) {
      fmt::print(stderr, "{}\n", fault);
    }
    return kBadInput;
  }
  const Graph graph = prepared(loaded.value(), a.run);
  try {
    parts_of(graph, a.run);
  } catch (const std::invalid_argument & error) {
    return fail(error.what());
  }
  if (!a.run.schedule.empty()) {
    const std::string file = find_shipped(a.run.schedule, "schedules");
    std::error_code ignored;
    if (
      std::filesystem::exists(file, ignored) && !std::filesystem::is_regular_file(file, ignored)) {
      return fail(file + " is not a regular file");  // a pipe would be waited for
    }
    const auto schedule = takt_schedule::load_schedule(file);
    takt_core::Faults faults = schedule.faults();
    if (schedule && a.run.split > 1 && a.part < 0) {
      faults = misfits(schedule.value(), graph, a.run);
    }
    for (const std::string & fault : faults) {
      fmt::print(stderr, "{}\n", fault);
    }
    if (!faults.empty()) {
      return kBadInput;
    }
  }
  for (const std::string & path : {a.output, a.records}) {
    if (!path.empty() && a.part < 0) {
      if (const auto status = check_output(path); !status.ok()) {
        return fail(status.faults().front());
      }
    }
  }
  if (a.part < 0) {
    if (const auto status = check_record_size(graph, a.run, available_memory()); !status.ok()) {
      return fail(status.faults().front());
    }
  }
  if (!a.run.cores.empty()) {
    takt_core::ThreadAttributes attributes;
    attributes.cores = a.run.cores;
    if (const auto applied = takt_core::apply(attributes); !applied.granted_all()) {
      return fail(applied.faults.front());
    }
  }
  // What is measured stays on this machine unless somebody says otherwise.
  setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST", 0);
  // Whatever is read or written before and after can be ended as usual.
  hold_signals();
  if (a.part >= 0) {
    return run_as_part(graph, a.run, static_cast<std::uint32_t>(a.part), a.channel, a.record);
  }
  const Progress progress = progress_for(a);
  const std::vector<ProcessRecord> records =
    run_graph(graph, a.run, std::vector<std::string>(argv, argv + argc), progress);
  release_signals();
  if (progress && !a.json_progress) {
    fmt::print(stderr, "\r{:20}\r", "");
  }
  const auto failed = [](const ProcessRecord & record) { return !record.error.empty(); };
  bool bad_input = false;
  for (const ProcessRecord & record : records) {
    if (failed(record)) {
      fmt::print(stderr, "takt_run: {}\n", record.error);
      bad_input = bad_input || record.bad_input;
    }
  }
  if (bad_input) {
    return kBadInput;
  }
  if (std::all_of(records.begin(), records.end(), failed)) {
    return 1;
  }
  const int code = report(a, graph, records);
  return std::any_of(records.begin(), records.end(), failed) ? 1 : code;
}

}  // namespace

}  // namespace takt_workload

int main(int argc, char ** argv)
{
  try {
    return takt_workload::run(argc, argv);
  } catch (const std::exception & error) {
    fmt::print(stderr, "takt_run: {}\n", error.what());
    return 1;
  }
}
