// takt_exec: runs a program, and with it the executors of rclcpp in it under takt.
//
// Exit codes: the program's own; 128 + n if signal n ended it; 126 or 127 if it cannot be run or found, as a
// shell gives; 2 where the command line or the schedule is wrong.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "exec/child.hpp"
#include "exec/exec_report.hpp"
#include "exec/observed_system.hpp"
#include "exec/program_file.hpp"
#include "takt_schedule/duration.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_schedule/parse_system.hpp"
#include "takt_schedule/to_yaml.hpp"

namespace
{

namespace fs = std::filesystem;

constexpr int kBadInput = 2;

struct Arguments
{
  std::string schedule;
  std::string executor;
  std::string report;
  std::string observe;
  std::string chains;
  std::string duration;
  takt_core::Duration lasts{};
  bool observing = false;  // as `takt observe`
  bool strict = false;
  bool children = false;
  bool quiet = false;
  std::vector<std::string> command;
};

const char * g_command = "takt exec";

int refuse(const std::string & sentence, int code = kBadInput)
{
  fmt::print(stderr, "{}: {}\n", g_command, sentence);
  return code;
}

// Beside this program: lib/takt_rclcpp/takt_exec and lib/libtakt_preload.so, or one folder of a build.
fs::path find_library(const char * name)
{
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path & folder : {here.parent_path(), here}) {
    if (fs::exists(folder / name, error)) {
      return folder / name;
    }
  }
  return {};
}

void set(const char * name, const std::string & value)
{
  if (value.empty()) {
    ::unsetenv(name);
  } else {
    ::setenv(name, value.c_str(), 1);
  }
}

int check_schedule(const Arguments & arguments)
{
  if (arguments.schedule.empty()) {
    return arguments.executor.empty() ? 0 : refuse("--executor needs --schedule");
  }
  takt_schedule::Machine machine;
  machine.executor = arguments.executor;
  const auto schedule = takt_schedule::load_schedule(arguments.schedule, machine);
  for (const auto & fault : schedule.faults()) {
    fmt::print(stderr, "{}\n", takt_core::to_string(fault));
  }
  if (!schedule.ok()) {
    return kBadInput;
  }
  if (!arguments.executor.empty() && schedule->find(arguments.executor) == nullptr) {
    std::string names;
    for (const auto & executor : schedule->executors) {
      names += (names.empty() ? "" : ", ") + executor.name;
    }
    return refuse(fmt::format(
      "{} has no executor '{}'; its executors are: {}", arguments.schedule, arguments.executor,
      names));
  }
  return 0;
}

int write_model(
  const Arguments & arguments, const nlohmann::ordered_json & report,
  const std::vector<takt_schedule::ChainSchedule> & chains)
{
  if (report["executors"].empty()) {
    return refuse(
      "no model is written: takt ran no executor; the program spins none of rclcpp's, or it was "
      "killed",
      1);
  }
  const auto observed = takt_exec::observed_system(report, chains);
  std::ofstream file(arguments.observe);
  file << takt_schedule::to_yaml(observed.system, observed.header);
  file.close();
  if (!file) {
    return refuse(fmt::format("cannot write {}: {}", arguments.observe, std::strerror(errno)));
  }
  for (const std::string & note : observed.notes) {
    fmt::print(stderr, "note: {}\n", note);
  }
  fmt::print(
    stderr, "{} callbacks and {} chains are in {}\n", observed.system.callbacks.size(),
    observed.system.chains.size(), arguments.observe);
  return 0;
}

int tell(
  const Arguments & arguments, const fs::path & folder,
  const std::vector<takt_schedule::ChainSchedule> & chains)
{
  const auto report = takt_exec::join_reports(folder);
  if (!arguments.observe.empty()) {
    return write_model(arguments, report, chains);
  }
  if (arguments.report.empty()) {
    if (!arguments.quiet) {
      fmt::print(stderr, "{}", takt_exec::to_text(report));
    }
    return 0;
  }
  std::ofstream file(arguments.report);
  file << report.dump(1) << '\n';
  file.close();
  return file ? 0
              : refuse(fmt::format("cannot write {}: {}", arguments.report, std::strerror(errno)));
}

int run(const Arguments & arguments)
{
  if (const int code = check_schedule(arguments); code != 0) {
    return code;
  }
  std::vector<takt_schedule::ChainSchedule> chains;
  if (!arguments.chains.empty()) {
    const auto earlier = takt_schedule::load_system(arguments.chains);
    for (const auto & fault : earlier.faults()) {
      fmt::print(stderr, "{}\n", takt_core::to_string(fault));
    }
    if (!earlier.ok()) {
      return kBadInput;
    }
    chains = earlier->chains;
  }
  const fs::path preload = find_library("libtakt_preload.so");
  if (preload.empty()) {
    return refuse("libtakt_preload.so is not where takt was installed; install takt_rclcpp again");
  }
  if (find_library("libtakt_rclcpp.so").empty()) {
    return refuse(
      "this takt was built without rclcpp, so it cannot run rclcpp programs; source ROS 2, or name "
      "a "
      "folder that has rclcpp (OVERLAY=DIR), and run `make build` again");
  }
  const auto program = takt_exec::find_program(arguments.command.front());
  if (program.path.empty()) {
    return refuse(
      arguments.command.front() + ": " + std::strerror(program.error),
      program.error == ENOENT ? 127 : 126);
  }
  if (!program.obstacle.empty()) {
    const std::string sentence =
      program.path + " runs without takt: nothing can be preloaded, because " + program.obstacle;
    if (arguments.strict) {
      return refuse(sentence);
    }
    refuse(sentence);
  }
  std::error_code error;
  std::string folder = (fs::temp_directory_path(error) / "takt-exec-XXXXXX").string();
  if (error || ::mkdtemp(folder.data()) == nullptr) {
    return refuse(
      fmt::format("cannot make a folder in {}: {}", folder, std::strerror(errno)) +
      "; set TMPDIR to a folder that can be written");
  }

  const char * const others = std::getenv("LD_PRELOAD");
  set("LD_PRELOAD", preload.string() + (others == nullptr ? "" : ":" + std::string(others)));
  set(
    "TAKT_SCHEDULE",
    arguments.schedule.empty() ? "" : fs::absolute(arguments.schedule, error).string());
  set("TAKT_EXECUTOR", arguments.executor);
  set("TAKT_STRICT", arguments.strict ? "1" : "");
  set("TAKT_CHILDREN", arguments.children ? "1" : "");
  set("TAKT_QUIET", arguments.quiet ? "1" : "");
  set("TAKT_REPORT_DIR", folder);
  if (arguments.observing && !arguments.quiet) {
    fmt::print(
      stderr, "observing {}{}; Ctrl-C ends it and writes the model\n", arguments.command.front(),
      arguments.lasts.count() > 0 ? " for " + arguments.duration : "");
  }
  const int status = takt_exec::run(program.path, arguments.command, arguments.lasts);
  if (status == -1) {
    const int code = errno == ENOENT ? 127 : 126;
    refuse(program.path + ": " + std::strerror(errno));
    fs::remove_all(folder, error);
    return code;
  }
  const int told = tell(arguments, folder, chains);
  fs::remove_all(folder, error);
  if (arguments.lasts.count() > 0) {
    return told;  // takt ended the program
  }
  const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return code != 0 ? code : told;
}

constexpr const char * kExec =
  "Runs a program, compiled and unchanged, with the executors of rclcpp in it under takt. At the "
  "end it "
  "prints on standard error how often each callback ran, for how long, and how long it waited.";
constexpr const char * kObserve =
  "Runs a program, compiled and unchanged, and writes a system model of it: its callbacks, how "
  "long they "
  "take, the topics between them, and the chains that they make. `takt plan` makes a schedule from "
  "it.";

void add_options(CLI::App & app, Arguments & arguments)
{
  app.add_option(
    "--schedule", arguments.schedule, "schedule file; without it takt only watches the program");
  app.add_option(
    "--executor", arguments.executor,
    "the schedule's executor for this program; default: the one whose rules name its callbacks");
  if (arguments.observing) {
    app.add_option("-o,--output", arguments.observe, "write the system model to this file")
      ->required();
    app.add_option(
      "--chains", arguments.chains, "keep the chains of this earlier model; default: all paths");
  } else {
    app.add_option("--report", arguments.report, "write the report to this file, as JSON");
  }
  app.add_option(
    "--duration", arguments.duration,
    "end the program, and all that it starts, after this time (as by Ctrl-C); default: when it "
    "ends");
  app.add_flag(
    "--strict", arguments.strict,
    "end with exit code 2 where rclcpp's own loop would have to run instead of takt's");
  app.add_flag(
    "--children", arguments.children,
    "also for the programs that an adopted program starts; launchers always pass takt on");
  app.add_flag("--quiet", arguments.quiet, "print errors only, and no report");
  app.add_option("program", arguments.command, "the program and its arguments, after --")
    ->required();
  app.positionals_at_end();
  app.footer(
    arguments.observing ? "takt observe -o car.yaml --duration 60s -- ros2 run my_robot bringup"
                        : "takt exec --schedule schedule.yaml -- ros2 run my_robot bringup");
}

}  // namespace

int main(int argc, char ** argv)
{
  Arguments arguments;
  // Put in front by the command `takt observe`.
  if (argc > 1 && std::strcmp(argv[1], "--observing") == 0) {
    arguments.observing = true;
    g_command = "takt observe";
    std::rotate(argv + 1, argv + 2, argv + argc);
    --argc;
  }
  CLI::App app{arguments.observing ? kObserve : kExec, g_command};
  add_options(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError & error) {
    if (error.get_exit_code() == 0) {
      return app.exit(error);
    }
    return refuse(std::string(error.what()) + "; see " + g_command + " --help");
  }
  if (!arguments.duration.empty()) {
    const auto duration = takt_schedule::parse_duration(arguments.duration);
    if (!duration.ok()) {
      return refuse("--duration: " + takt_core::to_string(duration.faults().front()));
    }
    arguments.lasts = *duration;
    if (arguments.lasts.count() <= 0) {
      return refuse("--duration must be above zero");
    }
  }
  return run(arguments);
}
