// takt_isolation: runs a system model under a schedule, without ROS, and counts the kernel's work
// for its threads. `takt experiment isolation` runs it for many arrangements of threads.
//
// Exit codes: 0 measured; 1 the output could not be written, or a process of the measurement died;
// 2 the command line, the model or the schedule is faulty.
#include <signal.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "isolation/cell.hpp"
#include "isolation/spin.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_schedule/parse_system.hpp"
#include "takt_schedule/program.hpp"
#include "write_result.hpp"

namespace
{

using takt_bench::isolation::Setting;
using takt_rt::Duration;

constexpr const char * kName = "takt_isolation: ";
constexpr Duration kShortest = std::chrono::milliseconds(10);
constexpr Duration kLongest = std::chrono::hours(24);

void add_duration(CLI::App & app, const std::string & name, Duration & target, const char * help)
{
  app
    .add_option_function<std::string>(
      name,
      [name, &target](const std::string & text) {
        target = takt_schedule::duration_option(name, text);
        if (target < kShortest || target > kLongest) {
          throw CLI::ValidationError(name, "'" + text + "' is outside 10ms to 1 day");
        }
      },
      help)
    ->type_name("DURATION");
}

}  // namespace

int main(int argc, char ** argv)
{
  CLI::App app{
    "Runs a system model under a schedule and counts switches, memory and responses; prints JSON.",
    "takt_isolation"};
  Setting setting;
  std::string system;
  std::string schedule;
  std::string output;
  app.add_option("system", system, "the system model file")->required();
  app.add_option("--schedule", schedule, "the schedule file")->required();
  add_duration(app, "--duration", setting.duration, "of the measurement; default: 2s");
  add_duration(app, "--warmup", setting.warmup, "before it; default: 500ms");
  app.add_option_function<std::string>(
    "--speed",
    [&](const std::string & text) {
      setting.iterations_per_us = takt_schedule::number_option<double>("--speed", text, 0.001, 1e6);
    },
    "iterations of the work in a microsecond; default: measured");
  app.add_option("--output", output, "file instead of standard output");
  return takt_schedule::run_program(app, argc, argv, [&]() -> int {
    ::signal(SIGPIPE, SIG_IGN);
    auto read = takt_schedule::load_system(system);
    if (!read) {
      return takt_schedule::refuse(read.faults());
    }
    setting.system = std::move(*read);
    auto loaded = takt_schedule::load_schedule(schedule);
    if (!loaded) {
      return takt_schedule::refuse(loaded.faults());
    }
    setting.schedule = std::move(*loaded);
    if (setting.iterations_per_us == 0.0) {
      setting.iterations_per_us = takt_bench::isolation::calibrate_spin();
    }
    const auto found = takt_bench::isolation::measure(setting);
    if (!found) {
      takt_schedule::tell(found.faults(), kName);
      return takt_schedule::kBadInput;
    }
    return takt_bench::write_result(found.value().dump(1) + "\n", output, "takt_isolation");
  });
}
