// takt_control_loop: the plain C++ program of `takt experiment control-loop`, and the witness of
// host stalls beside it.
//
//     takt_control_loop loop --duration 10s       under the schedule of TAKT_SCHEDULE, if there is
//     one takt_control_loop witness --core 0          until SIGTERM
//
// Exit codes: 0 measured; 1 not measured, or the output could not be written; 2 the command line is
// faulty.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <string>

#include "control_loop/loop.hpp"
#include "control_loop/report.hpp"
#include "takt_schedule/program.hpp"
#include "takt_trace/stall_witness.hpp"
#include "write_result.hpp"

namespace
{

using namespace takt_bench::control_loop;  // NOLINT: a program

constexpr const char * kName = "takt_control_loop";
constexpr int kNotMeasured = 1;
constexpr takt_rt::Duration kShortest = std::chrono::milliseconds(100);
constexpr takt_rt::Duration kLongest = std::chrono::hours(24);

int loop(const LoopSetting & setting, const std::string & output)
{
  const auto found = run_loop(setting);
  if (!found.ok()) {
    takt_schedule::tell(found.faults(), "takt_control_loop: ");
    return kNotMeasured;
  }
  return takt_bench::write_result(loop_json(setting, **found).dump() + "\n", output, kName);
}

int witness(int core, takt_rt::Duration offset, const std::string & output)
{
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);  // also in the witness's threads
  // Half a period from the loop's releases. The witness does not delay a wake-up of the loop, and a
  // stall that makes the loop miss holds the core over this time: the loop's work is done soon
  // after its release.
  const takt_rt::Time first =
    takt_rt::Time(kPeriod * (takt_rt::now().time_since_epoch() / kPeriod + 2)) +
    (offset + kPeriod / 2) % kPeriod;
  takt_trace::StallWitness::Grid grid;
  grid.first = first;
  grid.period = kPeriod;
  takt_trace::StallWitness watch({core}, {}, grid);
  int ignored = 0;
  sigwait(&ends, &ignored);
  const auto stalls = watch.stop();
  return takt_bench::write_result(stalls_json(core, watch, stalls).dump() + "\n", output, kName);
}

}  // namespace

int main(int argc, char ** argv)
{
  CLI::App app{
    "Runs a control loop at 1 kHz and notes its misses, or watches for stalls of the host; prints "
    "JSON.",
    kName};
  app.require_subcommand(1);
  LoopSetting setting;
  std::string output;
  int core = 0;
  takt_rt::Duration offset{};
  CLI::App * const loops = app.add_subcommand("loop", "the control loop");
  loops->add_option_function<std::string>(
    "--duration",
    [&](const std::string & text) {
      setting.duration = takt_schedule::duration_option("--duration", text);
      if (setting.duration < kShortest || setting.duration > kLongest) {
        throw CLI::ValidationError(
          "--duration", takt_schedule::quoted(text) + " is not between 100ms and 24 h");
      }
    },
    "of the measurement; default: 10s");
  loops->add_option_function<std::string>(
    "--work",
    [&](const std::string & text) {
      setting.work = takt_schedule::duration_option("--work", text);
      if (setting.work < takt_rt::Duration::zero() || setting.work >= kPeriod) {
        throw CLI::ValidationError(
          "--work", takt_schedule::quoted(text) + " is not between 0 and the period, 1 ms");
      }
    },
    "CPU time of a cycle; default: 100us");
  loops->add_flag(
    "--stay", setting.stay, "goes on after the measurement, uncounted, until SIGINT or SIGTERM");
  loops->add_option("--output", output, "file instead of standard output");
  CLI::App * const witnesses = app.add_subcommand("witness", "the witness of host stalls");
  witnesses
    ->add_option_function<std::string>(
      "--core",
      [&](const std::string & text) {
        core = takt_schedule::number_option<int>("--core", text, 0, 4095);
      },
      "which it watches")
    ->required();
  witnesses->add_option_function<std::string>(
    "--offset",
    [&](const std::string & text) {
      offset = takt_schedule::duration_option("--offset", text);
      if (offset < takt_rt::Duration::zero()) {
        throw CLI::ValidationError("--offset", takt_schedule::quoted(text) + " is negative");
      }
    },
    "of the loop's releases from full milliseconds of the monotonic clock; default: 0");
  witnesses->add_option("--output", output, "file instead of standard output");
  return takt_schedule::run_program(app, argc, argv, [&]() -> int {
    return loops->parsed() ? loop(setting, output) : witness(core, offset, output);
  });
}
