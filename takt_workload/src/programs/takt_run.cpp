// Runs a graph and measures it. See `takt_run --help` and docs/graphs.md.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>

#include "figures/figures.hpp"
#include "figures/results.hpp"
#include "graph/graph_parse.hpp"
#include "programs/run_arguments.hpp"
#include "run/held_signals.hpp"
#include "run/host.hpp"
#include "run/part_schedule.hpp"
#include "run/record_size.hpp"
#include "run/run_graph.hpp"
#include "takt_rt/thread_attributes.hpp"
#include "takt_schedule/duration.hpp"
#include "takt_schedule/output_file.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_schedule/program.hpp"

namespace takt_workload
{

namespace
{

using takt_schedule::check_output;
using takt_schedule::kBadInput;
using takt_schedule::same_file;
using takt_schedule::write_output;

Progress progress_for(const RunArguments & a)
{
  const double whole = std::chrono::duration<double>(a.run.duration + a.run.warmup).count();
  if (a.json_progress) {
    return [whole](takt_rt::Duration elapsed) {
      fmt::print(
        "{{\"elapsed_s\": {:.1f}, \"of_s\": {:.1f}}}\n",
        std::chrono::duration<double>(elapsed).count(), whole);
      std::fflush(stdout);
    };
  }
  if (a.quiet || isatty(STDERR_FILENO) == 0) {
    return nullptr;
  }
  return [whole](takt_rt::Duration elapsed) {
    const double seconds = std::max(0.0, std::chrono::duration<double>(elapsed).count());
    fmt::print(stderr, "\r{:5.1f} of {:.1f} s", std::min(seconds, whole), whole);
  };
}

int fail(const std::string & what)
{
  fmt::print(stderr, "takt_run: {}\n", what);
  return kBadInput;
}

int report(const RunArguments & a, const Graph & graph, const std::vector<ProcessRecord> & records)
{
  const Analysis analysis = analyse(graph, records);
  const Host host = read_host();
  const auto write = [](const std::string & path, const std::string & text) {
    const auto written = write_output(path, text);
    if (!written.ok()) {
      fmt::print(stderr, "takt_run: {}\n", to_string(written.faults().front()));
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

// Reads the schedule if the command line names one. Faults: of the schedule itself, or of its use
// for this graph in several parts.
takt_rt::Faults read_schedule(RunArguments & a, const Graph & graph)
{
  if (a.run.schedule.empty()) {
    return {};
  }
  const std::string file = find_shipped(a.run.schedule, "schedules");
  std::error_code ignored;
  if (
    std::filesystem::exists(file, ignored) && !std::filesystem::is_regular_file(file, ignored) &&
    !std::filesystem::is_directory(file, ignored)) {
    return {file + " is not a regular file"};  // reading a pipe would block
  }
  auto schedule = takt_schedule::load_schedule(file);
  if (!schedule) {
    return schedule.faults();
  }
  a.run.read_schedule = std::make_shared<const takt_schedule::Schedule>(std::move(*schedule));
  const bool of_all_parts = a.run.split > 1 && a.part < 0;
  return of_all_parts ? misfits(*a.run.read_schedule, graph, a.run) : takt_rt::Faults{};
}

// The fault of the output path; the program never overwrites its input.
std::string output_fault(const RunArguments & a)
{
  if (!a.output.empty() && !a.records.empty() && same_file(a.output, a.records)) {
    return "--output and --records name the same file";
  }
  const std::string graph = find_shipped(a.graph, "graphs");
  const std::string schedule =
    a.run.schedule.empty() ? std::string() : find_shipped(a.run.schedule, "schedules");
  for (const auto & [option, path] : {std::pair{"--output", a.output}, {"--records", a.records}}) {
    for (const std::string & read : {graph, schedule}) {
      if (!path.empty() && !read.empty() && same_file(path, read)) {
        return fmt::format("{} names the input file; name another file", option);
      }
    }
  }
  return {};
}

std::string restart_fault(const RunOptions & options)
{
  if (!options.restart) {
    return {};
  }
  if (options.restart->part >= options.split) {
    return fmt::format(
      "--restart names part {}, and there are {}; name one of them", options.restart->part + 1,
      options.split);
  }
  return options.restart->after < options.warmup
           ? ""
           : fmt::format(
               "--restart is after {}, and the warm-up takes {}; choose a longer --warmup",
               takt_schedule::print_duration(options.restart->after),
               takt_schedule::print_duration(options.warmup));
}

int run(RunArguments & a, int argc, char ** argv)
{
  const auto loaded = load_graph(a.graph);
  if (!loaded) {
    for (const takt_rt::Fault & fault : loaded.faults()) {
      fmt::print(stderr, "{}\n", to_string(fault));
    }
    return kBadInput;
  }
  bool faulty = false;
  Graph graph = prepared(loaded.value(), a.run);
  try {
    parts_of(graph, a.run);
  } catch (const std::invalid_argument & error) {
    return fail(error.what());
  }
  if (const std::string fault = restart_fault(a.run); !fault.empty()) {
    return fail(fault);
  }
  if (a.run.reference_timer && graph.kpis.planner.empty()) {
    return fail(
      "--reference-timer is due whenever the planner is, and this graph names none; add 'planner' "
      "to "
      "its 'kpis'");
  }
  // Do this before reading the schedule, which may name only cores of this process.
  if (!a.run.cores.empty()) {
    takt_rt::ThreadAttributes attributes;
    attributes.cores = a.run.cores;
    if (const auto applied = takt_rt::apply(attributes); !applied.granted_all()) {
      return fail(to_string(applied.faults.front()));
    }
  }
  for (const takt_rt::Fault & fault : read_schedule(a, graph)) {
    fmt::print(stderr, "{}\n", to_string(fault));
    faulty = true;
  }
  if (faulty) {
    return kBadInput;
  }
  if (a.run.read_schedule != nullptr && !a.run.random_phases) {
    graph = with_offsets_of(*a.run.read_schedule, std::move(graph), a.run);
  }
  if (const std::string fault = output_fault(a); !fault.empty()) {
    return fail(fault);
  }
  for (const std::string & path : {a.output, a.records}) {
    if (!path.empty() && a.part < 0) {
      if (const auto status = check_output(path); !status.ok()) {
        return fail(to_string(status.faults().front()));
      }
    }
  }
  if (a.part < 0) {
    if (const auto status = check_record_size(graph, a.run, available_memory()); !status.ok()) {
      return fail(to_string(status.faults().front()));
    }
  }
  // Messages stay on this machine unless the user sets this variable.
  setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST", 0);
  // The client library needs a folder for its log, and by itself uses only the home directory.
  const bool homeless = getenv("HOME") == nullptr && getenv("ROS_HOME") == nullptr;
  if (homeless || a.run.split > 0) {
    std::error_code missing;
    const std::filesystem::path temporary = std::filesystem::temp_directory_path(missing);
    if (missing) {
      const char * named = getenv("TMPDIR");
      return fail(fmt::format(
        "TMPDIR={}: {}; set TMPDIR to a folder that exists", named == nullptr ? "" : named,
        missing.message()));
    }
    if (homeless) {
      setenv("ROS_LOG_DIR", temporary.c_str(), 0);
    }
  }
  // Before and after the run, while files are read and written, signals end the program as usual.
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
  takt_workload::RunArguments arguments;
  CLI::App app("Runs a graph of nodes on takt and measures it.", "takt_run");
  takt_workload::add_run_options(app, arguments);
  return takt_schedule::run_program(app, argc, argv, [&] {
    try {
      return takt_workload::run(arguments, argc, argv);
    } catch (const std::bad_alloc &) {
      // run_program prints the remedy.
      throw;
    } catch (const std::exception & error) {  // the run failed, although the input was right
      fmt::print(stderr, "takt_run: {}\n", error.what());
      return 1;
    }
  });
}
