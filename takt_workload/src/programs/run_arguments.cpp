#include "programs/run_arguments.hpp"

#include <cstdint>

#include "programs/command_line.hpp"
#include "takt_core/names.hpp"
#include "takt_schedule/program.hpp"

namespace takt_workload
{

namespace
{

std::string orders()
{
  std::string all;
  for (const auto & [order, name] : takt_core::names<takt_core::Order>()) {
    all += (all.empty() ? "" : ", ") + std::string(name);
  }
  return all;
}

std::uint64_t parse_seed(const std::string & option, const std::string & word)
{
  return takt_schedule::number_option<std::uint64_t>(option, word, 0, UINT64_MAX);
}

RunOptions::Restart restart_of(const std::string & text)
{
  const std::size_t at = text.find('@');
  if (at == std::string::npos) {
    throw CLI::ValidationError(
      "--restart", "'" + text + "' has no time; write PART@TIME, as in 2@5s");
  }
  const int part = takt_schedule::number_option("--restart", text.substr(0, at), 1, 64);
  return {part - 1, takt_schedule::duration_option("--restart", text.substr(at + 1))};
}

}  // namespace

void add_run_options(CLI::App & app, RunArguments & a)
{
  RunOptions & run = a.run;
  app.add_option("GRAPH", a.graph, "graph file, or the name of a shipped one")->required();
  app.add_option("--schedule", run.schedule, "schedule file, or the name of a shipped one");
  app.add_option("--executor", run.executor, "which executor of the schedule")->needs("--schedule");
  app
    .add_option_function<std::string>(
      "--order",
      [&run](const std::string & word) {
        run.order = takt_core::from_string<takt_core::Order>(word);
        if (!run.order) {
          throw CLI::ValidationError("--order", "'" + word + "' is not one of " + orders());
        }
      },
      "order of the ready queues, without a schedule: " + orders())
    ->excludes("--schedule")
    ->default_str("fifo");
  add_whole(
    app, "--threads", [&run](int threads) { run.threads = threads; }, 1, 63,
    "executor threads, without a schedule")
    ->excludes("--schedule")
    ->default_str("1");
  app.add_option_function<std::string>(
    "--cores",
    [&run](const std::string & text) { run.cores = usable_cores_option("--cores", text); },
    "confine the process to these cores, e.g. 0,2-3");
  add_duration(app, "--duration", run.duration, "measured time");
  add_duration(app, "--warmup", run.warmup, "time before it that is left out");
  add_duration(app, "--match-timeout", run.match_timeout, "longest wait for discovery");
  app
    .add_option_function<std::string>(
      "--phases",
      [&run](const std::string & word) {
        if (word.starts_with("random:")) {
          run.random_phases = parse_seed("--phases random:SEED", word.substr(7));
        } else if (word != "fixed") {
          throw CLI::ValidationError("--phases", "'" + word + "' is neither fixed nor random:SEED");
        }
      },
      "timers' phases: fixed (as the graph says) or random:SEED")
    ->default_str("fixed");
  app
    .add_option_function<std::string>(
      "--seed", [&run](const std::string & word) { run.seed = parse_seed("--seed", word); },
      "of work times drawn from distributions")
    ->default_str("0")
    ->type_name("N");
  add_factor(app, "--work-scale", run.work_scale, 1000.0, "factor for all work times");
  add_whole(
    app, "--split", [&run](int split) { run.split = split; }, 1, 64,
    "number of processes, at most one for each node")
    ->default_str("1");
  app.add_option("--split-map", run.split_map, "nodes of each process, \"A,B;C\"")
    ->needs("--split");
  app
    .add_option_function<std::string>(
      "--restart", [&run](const std::string & text) { run.restart = restart_of(text); },
      "end a process in the warm-up and start it again, PART@TIME as in 2@5s")
    ->needs("--split");
  app
    .add_option_function<std::string>(
      "--witness",
      [&run](const std::string & word) {
        if (word != "auto" && word != "off") {
          throw CLI::ValidationError("--witness", "'" + word + "' is neither auto nor off");
        }
        run.witness = word == "auto";
      },
      "watch for stalls of the host: auto or off")
    ->default_str("auto");
  add_whole(
    app, "--domain", [&run](int domain) { run.domain = static_cast<std::size_t>(domain); }, 0, 232,
    "ROS domain id; default: a free one")
    ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  add_whole(
    app, "--reference-timer", [&run](int priority) { run.reference_timer = priority; }, 1, 99,
    "SCHED_FIFO priority of a bare timer thread");
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

}  // namespace takt_workload
