// takt_exec: runs a program, and runs its executors of rclcpp under takt.
//
// Exit codes: the program's own; 128 + n if signal n ended it; 0 if its time was up, unless it
// crashed then; 137 (128 + SIGKILL) if takt had to kill it; 126 or 127 if it cannot be run or
// found, as in a shell; 2 if the command line or the schedule is wrong, and with --strict if takt
// ran no executor; 1 with --check if a chain missed a deadline or never ended, or takt ran nothing
// under the schedule, and the program's own code was 0.
//
// Three modes serve launchers that start programs themselves, such as takt's launch action. Their
// first word chooses the mode; the help does not list them:
//
//     takt_exec --environment [--schedule FILE] [--executor NAME] [--strict] [--children] [--quiet]
//         FOLDER
//
// checks the arguments as for a run, and prints the variables that put a program under takt, as one
// JSON object. The launcher removes variables whose value is null. The programs write their reports
// to FOLDER.
//
//     takt_exec --judge --guard=WHICH --guard-ignore FILE FOLDER
//
// runs beside these programs, if they got --guard-ignore, and keeps the events of that list from
// raising alarms. It ends when its standard input does.
//
//     takt_exec --join [--report FILE] FOLDER
//
// joins the reports of FOLDER once the programs have ended. Prints them to standard error, or
// writes them to FILE.
#include <fmt/format.h>
#include <link.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "exec/audit/audit_report.hpp"
#include "exec/audit/race_log.hpp"
#include "exec/child.hpp"
#include "exec/ending.hpp"
#include "exec/environment.hpp"
#include "exec/exec_report.hpp"
#include "exec/guard/guard_report.hpp"
#include "exec/guard/judge.hpp"
#include "exec/program_file.hpp"
#include "exec/report_folder.hpp"
#include "takt_schedule/duration.hpp"
#include "takt_schedule/machine_costs.hpp"
#include "takt_schedule/named_system.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_schedule/parse_system.hpp"
#include "takt_schedule/program.hpp"
#include "takt_schedule/to_yaml.hpp"
#include "takt_schedule/topic_rules.hpp"
#include "takt_schedule/wait_warnings.hpp"
#include "takt_trace/observed_system.hpp"

namespace
{

namespace fs = std::filesystem;

using takt_schedule::kBadInput;
constexpr int kNoModel = 1;
constexpr int kLate = 1;

enum class Mode
{
  run,
  observe,
  environment,
  judge,
  join
};

struct Arguments
{
  Mode mode = Mode::run;
  std::string schedule;
  std::string executor;
  std::string report;
  std::string observe;
  std::string chains;
  std::string costs;
  double percentile = takt_trace::kLongestTime;
  std::string duration;
  std::string folder;        // the folder of the reports
  std::string guard;         // empty: no guard; rt, all: which threads it watches
  std::string guard_ignore;  // file
  takt_exec::IgnoreList ignored{};
  bool audit = false;
  takt_rt::Duration lasts{};
  bool check = false;
  std::vector<takt_exec::ChainWithDeadline> deadlines{};  // of the schedule
  bool strict = false;
  bool strict_schedule = false;  // the schedule file says `strict: true`
  bool force = false;
  bool children = false;
  bool quiet = false;
  std::vector<std::string> command;
};

const char * g_command = "takt exec";

// A path may hold bytes that are not UTF-8.
constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;

int refuse(const std::string & sentence, int code = kBadInput)
{
  fmt::print(stderr, "{}: {}\n", g_command, sentence);
  return code;
}

int refuse_faults(const takt_rt::Faults & faults)
{
  for (const auto & fault : faults) {
    fmt::print(stderr, "{}\n", takt_rt::to_string(fault));
  }
  return kBadInput;
}

// Finds files beside this program: lib/takt_rclcpp/takt_exec and lib/libtakt_preload.so, or in one
// folder of a build.
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

// The guard lies beside takt_rt's library, which this program has.
fs::path find_guard()
{
  fs::path found;
  ::dl_iterate_phdr(
    [](dl_phdr_info * object, std::size_t, void * to) {
      const fs::path path = object->dlpi_name;
      if (path.filename() == "libtakt_rt.so") {
        *static_cast<fs::path *>(to) = path.parent_path() / "libtakt_guard.so";
      }
      return 0;
    },
    &found);
  std::error_code error;
  found = fs::absolute(found, error);
  return fs::exists(found, error) ? found : fs::path();
}

bool is_sanitizer(const std::string & library)
{
  return library.find("libasan.so") != std::string::npos ||
         library.find("libclang_rt.asan") != std::string::npos;
}

/// The libraries to preload, as words of LD_PRELOAD. Empty: that library is not preloaded.
struct Preloaded
{
  std::string takt;
  std::string guard;

  std::string all() const { return guard + (guard.empty() || takt.empty() ? "" : ":") + takt; }
};

// An empty value means that the variable is not set. `sanitizer`: the runtime of AddressSanitizer
// that the program needs; empty: none.
std::vector<std::pair<const char *, std::string>> variables(
  const Arguments & arguments, const Preloaded & preloaded, const fs::path & folder,
  const std::optional<std::string> & inherited, std::string sanitizer = "",
  const std::string & guard_folder = "")
{
  const std::string preload = preloaded.all();
  std::error_code error;
  std::string libraries = inherited.value_or("");
  const std::size_t first = std::min(libraries.find_first_of(": "), libraries.size());
  if (const std::string given = libraries.substr(0, first); is_sanitizer(given)) {
    sanitizer = given;
    libraries.erase(0, first + 1);
  }
  // Add the library once, also if takt starts takt.
  if (libraries != preload && libraries.rfind(preload + ":", 0) != 0) {
    libraries = preload + (libraries.empty() ? "" : ":" + libraries);
  }
  if (!sanitizer.empty()) {
    // The sanitizer's runtime is first, because it ends programs that load another library before
    // it.
    libraries = sanitizer + ":" + libraries;
  }
  return {
    {"LD_PRELOAD", libraries},
    {"TAKT_LD_PRELOAD", sanitizer.empty()                ? ""
                        : inherited.value_or("").empty() ? ":"
                                                         : *inherited},
    {"TAKT_SCHEDULE",
     arguments.schedule.empty() ? "" : fs::absolute(arguments.schedule, error).string()},
    {"TAKT_EXECUTOR", arguments.executor},
    {"TAKT_STRICT", arguments.strict ? "1" : ""},
    {"TAKT_CHILDREN", arguments.children ? "1" : ""},
    {"TAKT_QUIET", arguments.quiet ? "1" : ""},
    {"TAKT_OBSERVE", arguments.mode == Mode::observe ? "1" : ""},
    {"TAKT_GUARD", arguments.guard},
    {"TAKT_GUARD_DIR", guard_folder},
    {"TAKT_GUARD_JUDGED", arguments.guard_ignore.empty() ? "" : "1"},
    {"TAKT_AUDIT_DIR", arguments.audit ? fs::absolute(folder, error).string() : ""},
    {"TAKT_REPORT_DIR", fs::absolute(folder, error).string()}};
}

// Warns of callbacks that wait for others, according to the model that the schedule was made for.
void warn_of_waits(const std::string & file, const takt_schedule::Schedule & schedule)
{
  const auto name = takt_schedule::named_system(file, {});
  const auto system = name.ok() ? takt_schedule::load_system(*name)
                                : takt_rt::Result<takt_schedule::System>(name.faults());
  if (!system.ok()) {
    return;  // the run does not need the model
  }
  for (const auto & warning : takt_schedule::wait_warnings(*system, schedule)) {
    fmt::print(stderr, "takt exec: warning: {}\n", takt_rt::to_string(warning));
  }
}

int check_schedule(Arguments & arguments)
{
  if (arguments.schedule.empty()) {
    const char * const needs = !arguments.executor.empty() ? "--executor"
                               : arguments.check           ? "--check"
                                                           : nullptr;
    return needs == nullptr ? 0 : refuse(std::string(needs) + " needs --schedule");
  }
  takt_schedule::Machine machine;
  machine.executor = arguments.executor;
  const auto schedule = takt_schedule::load_schedule(arguments.schedule, machine);
  if (!schedule.ok()) {
    return refuse_faults(schedule.faults());
  }
  if (const takt_rt::Faults refused = takt_schedule::refuse_shared_memory(*schedule);
      !refused.empty()) {
    return refuse_faults(refused);
  }
  arguments.strict_schedule = schedule->strict;
  if (!arguments.executor.empty() && schedule->find(arguments.executor) == nullptr) {
    std::string names;
    for (const auto & executor : schedule->executors) {
      names += (names.empty() ? "" : ", ") + executor.name;
    }
    return refuse(fmt::format(
      "{} has no executor '{}'; its executors are: {}", arguments.schedule, arguments.executor,
      names));
  }
  for (const auto & chain : schedule->chains) {
    if (chain.options.deadline != takt_rt::kForever) {
      arguments.deadlines.push_back({chain.options.name, chain.options.path});
    }
  }
  warn_of_waits(arguments.schedule, *schedule);
  return 0;
}

int write_model(
  const Arguments & arguments, const nlohmann::ordered_json & report,
  const takt_trace::ModelOptions & options, int status, const std::string & known)
{
  if (const std::string reason = takt_exec::no_executor(report, status, known); !reason.empty()) {
    return refuse("no model is written: " + reason, arguments.strict ? kBadInput : kNoModel);
  }
  const auto observed = takt_trace::observed_system(report, options);
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

// Says which deadlines were missed. `unheld`: why takt ran nothing under the schedule; may be
// empty.
int judge_deadlines(
  const nlohmann::ordered_json & report,
  const std::vector<takt_exec::ChainWithDeadline> & deadlines, const std::string & unheld)
{
  if (!unheld.empty()) {
    return refuse("--check judged no deadline: " + unheld, kLate);
  }
  if (const std::string unknown = takt_exec::unmeasured_deadlines(report); !unknown.empty()) {
    refuse("--check does not judge chains that begin in another executor or process: " + unknown);
  }
  const std::string missed = takt_exec::missed_deadlines(report);
  if (!missed.empty()) {
    refuse("deadlines were missed by " + missed);
  }
  const std::string open = takt_exec::never_ended(report, deadlines);
  if (!open.empty()) {
    refuse("chains began and never ended: " + open);
  }
  return missed.empty() && open.empty() ? 0 : kLate;
}

// Of the ignore list, as a line of the report; empty: each line left out an event.
std::string unused_text(const Arguments & arguments, const nlohmann::ordered_json & report)
{
  const auto unused = report.value("guard_ignore_unused", std::vector<std::string>());
  return unused.empty() ? ""
                        : fmt::format(
                            "{}: no event is in the functions of {}\n", arguments.guard_ignore,
                            "line " + fmt::format("{}", fmt::join(unused, "; line ")));
}

// Prints the report. With --strict it is an error if no executor ran. `status` and `known`: see
// `no_executor`.
int tell(
  const Arguments & arguments, const nlohmann::ordered_json & report,
  const takt_trace::ModelOptions & options, int status = 0, const std::string & known = "")
{
  if (!arguments.observe.empty()) {
    return write_model(arguments, report, options, status, known);
  }
  if (!arguments.report.empty()) {
    std::ofstream file(arguments.report);
    file << report.dump(1, ' ', false, kReplace) << '\n';
    file.close();
    if (!file) {
      return refuse(fmt::format("cannot write {}: {}", arguments.report, std::strerror(errno)));
    }
  }
  const std::string reason = takt_exec::no_executor(report, status, known);
  if (arguments.strict && !reason.empty()) {
    return refuse(reason + "; --strict makes that an error");
  }
  if (arguments.report.empty() && !arguments.quiet) {
    // A program of takt_rcl has callbacks, and no executor of rclcpp.
    const auto none = nlohmann::ordered_json::array();
    const bool of_takt_rcl =
      !(report.value("guard", none).empty() && report.value("audit", none).empty()) &&
      report.at("executors").empty() && report.at("stock").empty();
    fmt::print(
      stderr, "{}{}{}{}", of_takt_rcl ? "" : takt_exec::to_text(report, status, known),
      report.contains("guard") ? takt_exec::guard_text(report.at("guard")) : "",
      unused_text(arguments, report),
      report.contains("audit") ? takt_exec::audit_text(report.at("audit")) : "");
  }
  if (!arguments.schedule.empty() && (arguments.strict || arguments.strict_schedule)) {
    if (const std::string missed = takt_exec::without_schedule(report); !missed.empty()) {
      return refuse(
        missed + (arguments.strict ? "; --strict makes that an error"
                                   : "; `strict: true` in the schedule makes that an error"));
    }
  }
  if (!arguments.check) {
    return 0;
  }
  return judge_deadlines(
    report, arguments.deadlines, reason.empty() ? takt_exec::without_schedule(report) : reason);
}

// Refuses to replace a file that the user may want to keep.
int refuse_replacing(const std::string & path, bool force)
{
  std::error_code error;
  if (path.empty() || force || !fs::is_regular_file(path, error)) {
    return 0;
  }
  return refuse(path + " exists; name another file, or replace it with --force");
}

int check_guard(Arguments & arguments)
{
  if (!arguments.guard_ignore.empty() && arguments.guard.empty()) {
    return refuse("--guard-ignore needs --guard");
  }
  if (!arguments.guard.empty() && arguments.guard != "rt" && arguments.guard != "all") {
    return refuse(
      "--guard=" + arguments.guard +
      ": write --guard for callbacks on real-time threads, or --guard=all for those on all "
      "threads");
  }
  if (!arguments.guard_ignore.empty()) {
    auto ignored = takt_exec::IgnoreList::read(arguments.guard_ignore);
    if (!ignored.ok()) {
      return refuse_faults(ignored.faults());
    }
    arguments.ignored = std::move(ignored.value());
  }
  return 0;
}

// Sets `preload` to the library, or prints which part of takt is missing.
int check_libraries(fs::path & preload)
{
  preload = find_library("libtakt_preload.so");
  if (preload.empty()) {
    return refuse("libtakt_preload.so is not where takt was installed; install takt_rclcpp again");
  }
  if (find_library("libtakt_rclcpp.so").empty()) {
    return refuse(
      "this takt was built without rclcpp, so it cannot run rclcpp programs. "
      "Source ROS 2 " TAKT_DISTRIBUTIONS
      " (other distributions are not supported) and run `make build` again; with ROS 2 from "
      "Python wheels, name a folder that has rclcpp: `make build OVERLAY=DIR`");
  }
  return 0;
}

// Finds the libraries and sets their words in `preloaded`, or prints which part of takt is missing.
// `folder`: for a link to takt's libraries.
int find_libraries(const Arguments & arguments, const fs::path & folder, Preloaded & preloaded)
{
  const bool guarded = !arguments.guard.empty();
  fs::path preload;
  fs::path guard;
  // Without rclcpp the guard and the audit watch programs of takt_rcl, and the guard those of
  // takt_rt.
  if (!(guarded || arguments.audit) || !find_library("libtakt_rclcpp.so").empty()) {
    if (const int code = check_libraries(preload); code != 0) {
      return code;
    }
  }
  if (guarded && (guard = find_guard()).empty()) {
    return refuse("libtakt_guard.so is not where takt was installed; install takt_rt again");
  }
  for (const auto & [library, to] :
       {std::pair(preload, &preloaded.takt), std::pair(guard, &preloaded.guard)}) {
    if (library.empty()) {
      continue;
    }
    const auto word = takt_exec::preload_word(library, folder);
    if (!word.ok()) {
      return refuse(takt_rt::to_string(word.faults().front()));
    }
    *to = *word;
  }
  return 0;
}

// Of a launcher's programs: in the folder of its reports, which the launcher removes.
fs::path guard_folder_of(const Arguments & arguments)
{
  std::error_code error;
  return fs::absolute(arguments.folder, error) / "guard";
}

int print_environment(Arguments & arguments)
{
  if (const int code = check_schedule(arguments); code != 0) {
    return code;
  }
  if (const int code = check_guard(arguments); code != 0) {
    return code;
  }
  Preloaded preloaded;
  if (const int code = find_libraries(arguments, arguments.folder, preloaded); code != 0) {
    return code;
  }
  std::string guard_folder;
  if (!arguments.guard.empty()) {
    guard_folder = guard_folder_of(arguments).string();
    std::error_code error;
    if (fs::create_directory(guard_folder, error); error) {
      return refuse(fmt::format("cannot make the folder {}: {}", guard_folder, error.message()));
    }
  }
  nlohmann::ordered_json json;
  const char * const inherited = std::getenv("LD_PRELOAD");
  for (const auto & [name, value] : variables(
         arguments, preloaded, arguments.folder,
         inherited == nullptr ? std::nullopt : std::optional<std::string>(inherited), "",
         guard_folder)) {
    json[name] = value.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
  }
  fmt::print("{}\n", json.dump(-1, ' ', false, kReplace));
  return 0;
}

// The sanitizer's runtime that the program needs, by the name under which the program's loader
// finds it.
std::string sanitizer_of(const std::string & program)
{
  for (const std::string & library : takt_exec::needed_libraries(program)) {
    if (is_sanitizer(library)) {
      return library;
    }
  }
  return {};
}

int read_options(const Arguments & arguments, takt_trace::ModelOptions & options)
{
  if (!arguments.chains.empty()) {
    const auto earlier = takt_schedule::load_system(arguments.chains);
    if (!earlier.ok()) {
      return refuse_faults(earlier.faults());
    }
    options.chains = earlier->chains;
  }
  if (!arguments.costs.empty()) {
    const auto costs = takt_schedule::load_costs(arguments.costs);
    if (!costs.ok()) {
      return refuse_faults(costs.faults());
    }
    options.costs = *costs;
  }
  options.percentile = arguments.percentile;
  return 0;
}

void add_guard(
  const Arguments & arguments, const fs::path & folder, nlohmann::ordered_json & report)
{
  std::vector<std::string> unused;
  report["guard"] =
    takt_exec::guard_processes(folder, arguments.ignored, arguments.guard == "all", unused);
  if (!arguments.guard_ignore.empty()) {
    report["guard_ignore_unused"] = unused;
  }
}

int run(Arguments & arguments)
{
  if (const int code = check_schedule(arguments); code != 0) {
    return code;
  }
  for (const std::string & path : {arguments.observe, arguments.report}) {
    if (const int code = refuse_replacing(path, arguments.force); code != 0) {
      return code;
    }
  }
  takt_trace::ModelOptions options;
  if (const int code = read_options(arguments, options); code != 0) {
    return code;
  }
  if (const int code = check_guard(arguments); code != 0) {
    return code;
  }
  auto environment = takt_exec::Environment::of_the_user();
  const auto program = takt_exec::find_program(arguments.command.front(), environment.get("PATH"));
  const std::string & word = arguments.command.front();
  if (program.path.empty() && arguments.guard == "rt" && (word == "all" || word == "rt")) {
    return refuse(fmt::format(
      "there is no program '{}'; for the guard write {} without a space", word,
      word == "all" ? "--guard=all" : "--guard"));
  }
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
  const auto folder = takt_exec::ReportFolder::make();
  if (!folder.ok()) {
    return refuse(takt_rt::to_string(folder.faults().front()));
  }
  const bool guarded = !arguments.guard.empty();
  const auto guard_folder = takt_exec::ReportFolder::make_in_memory();
  if (!guard_folder.ok()) {
    return refuse(takt_rt::to_string(guard_folder.faults().front()));
  }
  Preloaded preloaded;
  if (const int code = find_libraries(arguments, folder->path(), preloaded); code != 0) {
    return code;
  }
  const bool sanitized =
    arguments.audit && takt_exec::may_have_thread_sanitizer(program.path, environment);
  for (const auto & [name, value] : variables(
         arguments, preloaded, folder->path(), environment.get("LD_PRELOAD"),
         sanitizer_of(program.path), guarded ? guard_folder->path().string() : "")) {
    environment.set(name, value);
  }
  if (sanitized) {
    // ThreadSanitizer of GCC 12 cannot start under some kernels' address randomisation. A container
    // may refuse this.
    static_cast<void>(::personality(ADDR_NO_RANDOMIZE));
  }
  if (arguments.audit) {
    environment.set(
      "TSAN_OPTIONS",
      takt_exec::race_options(environment.get("TSAN_OPTIONS").value_or(""), folder->path()));
  }
  if (arguments.mode == Mode::observe && !arguments.quiet) {
    fmt::print(
      stderr, "observing {}{}; Ctrl-C ends it and writes the model\n",
      fmt::join(arguments.command, " "),
      arguments.lasts.count() > 0 ? " for " + arguments.duration : "");
  }
  std::optional<takt_exec::Judging> judging;
  if (!arguments.guard_ignore.empty()) {
    judging.emplace(guard_folder->path(), arguments.ignored);
  }
  const auto end = takt_exec::run(program.path, arguments.command, environment, arguments.lasts);
  if (end.status == -1) {
    return refuse(program.path + ": " + std::strerror(end.error), end.error == ENOENT ? 127 : 126);
  }
  if (const std::string slow = takt_exec::slow_end(program.path, end); !slow.empty()) {
    refuse(slow);
  }
  judging.reset();
  auto report = takt_exec::join_reports(folder->path());
  if (guarded) {
    add_guard(arguments, guard_folder->path(), report);
  }
  if (arguments.audit) {
    report["audit"] = takt_exec::audit_processes(folder->path());
  }
  const bool none = report["executors"].empty();
  const std::string known =
    none ? takt_exec::why_no_report(program.path, environment, folder->path(), end) : "";
  const int told = tell(arguments, report, options, end.status, known);
  return arguments.strict && none ? told : takt_exec::exit_code(end, told);
}

// Judges the accounts of a launcher's programs until standard input ends.
int judge(Arguments & arguments)
{
  if (const int code = check_guard(arguments); code != 0) {
    return code;
  }
  const takt_exec::Judging judging(guard_folder_of(arguments), arguments.ignored);
  char byte = 0;
  for (ssize_t n = 0; (n = ::read(STDIN_FILENO, &byte, 1)) > 0 || (n < 0 && errno == EINTR);) {
  }
  return 0;
}

// The report of a launcher's programs, which have ended.
int tell_all(Arguments & arguments)
{
  if (const int code = check_guard(arguments); code != 0) {
    return code;
  }
  auto report = takt_exec::join_reports(arguments.folder);
  if (!arguments.guard.empty()) {
    add_guard(arguments, guard_folder_of(arguments), report);
  }
  return tell(arguments, report, {});
}

int run_mode(Arguments & arguments)
{
  switch (arguments.mode) {
    case Mode::environment:
      return print_environment(arguments);
    case Mode::judge:
      return judge(arguments);
    case Mode::join:
      return tell_all(arguments);
    case Mode::run:
    case Mode::observe:
      break;
  }
  return run(arguments);
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
    "the schedule's executor for this program; default: the one whose rules name the most of the "
    "program's callbacks");
  if (arguments.mode == Mode::observe) {
    arguments.observe = "system.yaml";
    app.add_option(
      "-o,--output", arguments.observe,
      "write the system model to this file; default: system.yaml");
    app.add_option(
      "--chains", arguments.chains, "keep the chains of this earlier model; default: all paths");
    app.add_option(
      "--costs", arguments.costs,
      "give the model the overheads and the jitter that `takt calibrate -o` wrote to this file; "
      "default: the model has none");
    app
      .add_option(
        "--percentile", arguments.percentile,
        "the worst time of a callback in the model: this percentile of its runs' CPU times, if at "
        "least ten runs lie beyond it; default: the longest")
      ->check(CLI::Range(1.0, takt_trace::kLongestTime));
  } else {
    app.add_option("--report", arguments.report, "write the report to this file, as JSON");
    app.add_flag(
      "--check", arguments.check,
      "end with exit code 1 if a chain of the schedule missed a deadline");
    app.add_flag(
      "--guard{rt}", arguments.guard,
      "note what callbacks on real-time threads (--guard=all: on all threads) do that real-time "
      "code should not do: allocations, locks that wait, output, page faults, and so on");
    app.add_option(
      "--guard-ignore", arguments.guard_ignore,
      "omit events of the functions whose patterns this file lists");
    app.add_flag(
      "--audit", arguments.audit,
      "note the objects and the code of callbacks, for takt audit, and list the races that "
      "ThreadSanitizer finds in a program that is built with it");
  }
  app.add_option(
    "--duration", arguments.duration,
    "end the program, and all that it starts, after this time (as by Ctrl-C); default: takt waits "
    "until the program ends");
  app.add_flag(
    "--strict", arguments.strict,
    "end with exit code 2 where rclcpp's own loop would have to run instead of takt's");
  app.add_flag(
    "--children", arguments.children,
    "also run under takt the programs that a program under takt starts; takt always reaches "
    "programs that ros2 run, ros2 launch and shells start");
  app.add_flag("--quiet", arguments.quiet, "print errors only, and no report");
  app.add_flag("--force", arguments.force, "replace the file that is there");
  if (
    arguments.mode == Mode::environment || arguments.mode == Mode::judge ||
    arguments.mode == Mode::join) {
    app.add_option("folder", arguments.folder, "the folder of the reports")->required();
  } else {
    app.add_option("program", arguments.command, "the program and its arguments, after --")
      ->required();
  }
  app.positionals_at_end();
  app.footer(
    arguments.mode == Mode::observe
      ? "takt model -o car.yaml --duration 60s -- ros2 run my_robot bringup"
      : "takt exec --schedule schedule.yaml -- ros2 run my_robot bringup");
}

}  // namespace

int main(int argc, char ** argv)
{
  Arguments arguments;
  // The command `takt model` and launchers put these words first.
  constexpr std::array<std::tuple<const char *, Mode, const char *>, 4> kModes{
    {{"--observing", Mode::observe, "takt model"},
     {"--environment", Mode::environment, "takt"},
     {"--judge", Mode::judge, "takt"},
     {"--join", Mode::join, "takt"}}};
  for (const auto & [word, mode, command] : kModes) {
    if (argc > 1 && std::strcmp(argv[1], word) == 0) {
      arguments.mode = mode;
      g_command = command;
      std::rotate(argv + 1, argv + 2, argv + argc);
      --argc;
      break;
    }
  }
  CLI::App app{arguments.mode == Mode::observe ? kObserve : kExec, g_command};
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
    const auto duration = takt_schedule::parse_duration(arguments.duration, "s");
    if (!duration.ok()) {
      return refuse("--duration: " + takt_rt::to_string(duration.faults().front()));
    }
    arguments.lasts = *duration;
    if (arguments.lasts.count() <= 0) {
      return refuse("--duration must be above zero");
    }
  }
  try {
    return run_mode(arguments);
  } catch (const std::bad_alloc &) {
    return refuse("there is not enough memory");
  } catch (const std::exception & error) {
    return refuse(error.what());
  }
}
