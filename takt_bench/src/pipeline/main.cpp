// takt_pipeline: runs the perception pipeline on one core in one way, and counts CPU time, context
// switches and latencies. `takt experiment pipeline` runs it in all ways.
//
// Exit codes: 0 measured; 1 not measured (nodes did not find each other, a process died), or the
// output could not be written; 2 the command line is faulty.
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "pipeline/layout.hpp"
#include "pipeline/run.hpp"
#include "takt_schedule/program.hpp"
#include "write_result.hpp"

namespace
{

using namespace takt_bench::pipeline;  // NOLINT: a program

constexpr int kNotMeasured = 1;
constexpr takt_rt::Duration kLongest = std::chrono::seconds(300);

}  // namespace

int main(int argc, char ** argv)
{
  CLI::App app{
    "Runs 50 nodes 30 times a second on one core and counts what that costs; prints JSON.",
    "takt_pipeline"};
  Setting setting;
  std::string output;
  app.add_option_function<std::string>(
    "--way",
    [&](const std::string & word) {
      for (const auto & [kind, name] : kKinds) {
        if (name == word) {
          setting.kind = kind;
          return;
        }
      }
      throw CLI::ValidationError(
        "--way", takt_schedule::quoted(word) +
                   " is not one of processes, pool, one_thread, storing, sequences");
    },
    "processes, pool, one_thread, storing, sequences; default: sequences");
  app.add_option_function<std::string>(
    "--duration",
    [&](const std::string & text) {
      setting.duration = takt_schedule::duration_option("--duration", text);
      if (setting.duration < kPeriod || setting.duration > kLongest) {
        throw CLI::ValidationError(
          "--duration", takt_schedule::quoted(text) + " is not between 34ms and 5 min");
      }
    },
    "of the measurement; default: 10s");
  app.add_option_function<std::string>(
    "--core",
    [&](const std::string & text) {
      setting.core = takt_schedule::number_option<int>("--core", text, 0, 4095);
    },
    "for everything; default: the first that is usable");
  app.add_option_function<std::string>(
    "--priority",
    [&](const std::string & text) {
      setting.priority = takt_schedule::number_option<int>("--priority", text, 0, 90);
    },
    "of executors under SCHED_FIFO, the middleware is one above it; 0: SCHED_OTHER; default: 50");
  app.add_option(
    "--trace", setting.trace,
    "write takt's own record of the measured time there; not with processes");
  app.add_option("--output", output, "file instead of standard output");
  return takt_schedule::run_program(app, argc, argv, [&]() -> int {
    if (setting.core < 0) {
      setting.core = takt_rt::usable_cores().front();
    }
    if (setting.kind == Kind::processes && !setting.trace.empty()) {
      throw CLI::ValidationError("--trace", "a trace is of one process; use another --way");
    }
    setting.prefix = "/takt_pipeline/p" + std::to_string(::getpid());
    const auto found = run(setting);
    if (!found) {
      takt_schedule::tell(found.faults(), "takt_pipeline: ");
      return kNotMeasured;
    }
    return takt_bench::write_result(found.value().dump() + "\n", output, "takt_pipeline");
  });
}
