// takt_latency: measures how late cyclic threads wake up, one on each core. `takt latency` calls
// it.
//
// Exit codes: 0 measured, also with fewer rights than requested; 1 refused under --strict, or the
// output could not be written; 2 the command line is faulty. SIGINT and SIGTERM end the measurement
// early.
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <string>

#include "latency/measurement.hpp"
#include "latency/report.hpp"
#include "takt_core/names.hpp"
#include "takt_schedule/program.hpp"
#include "write_result.hpp"

namespace
{

using namespace takt_bench::latency;  // NOLINT: a program
using takt_rt::Policy;

constexpr int kRefused = 1;
constexpr std::array kPolicies{Policy::fifo, Policy::rr, Policy::other, Policy::deadline};
constexpr timespec kLook{0, 100'000'000};  // between two looks at the threads

Policy policy_option(const std::string & word)
{
  for (const Policy policy : kPolicies) {
    if (word == to_string(policy)) {
      return policy;
    }
  }
  throw CLI::ValidationError("--policy", "'" + word + "' is not one of fifo, rr, other, deadline");
}

template <typename Target>
void add_duration(CLI::App & app, const std::string & name, Target & target, const char * help)
{
  app
    .add_option_function<std::string>(
      name,
      [name, &target](const std::string & text) {
        target = takt_schedule::duration_option(name, text);
      },
      help)
    ->type_name("DURATION");
}

void add_options(CLI::App & app, Setting & setting)
{
  app.add_option_function<std::string>(
    "--policy", [&](const std::string & word) { setting.policy = policy_option(word); },
    "fifo, rr, other or deadline; default: fifo");
  app.add_option_function<std::string>(
    "--priority",
    [&](const std::string & text) {
      setting.priority = takt_schedule::number_option<int>("--priority", text, 1, 99);
    },
    "of fifo and rr, 1 to 99; default: 80");
  add_duration(app, "--runtime", setting.runtime, "of deadline; default: a tenth of its deadline");
  add_duration(app, "--deadline", setting.deadline, "of deadline; default: its period");
  add_duration(app, "--period", setting.period, "of deadline; default: the interval");
  add_duration(app, "--interval", setting.interval, "between releases; default: 1ms");
  add_duration(app, "--duration", setting.duration, "of the measurement; default: 10s");
  app.add_option_function<std::string>(
    "--cores",
    [&](const std::string & text) { setting.cores = takt_schedule::cores_option("--cores", text); },
    "one thread on each, as in 0,2-3; default: all that are usable");
  app.add_flag("--load", setting.load, "one busy thread of SCHED_OTHER on each core");
  app.add_flag("--strict", setting.strict, "measure nothing if the kernel refuses anything");
}

/// Sleeps for a moment. False after SIGINT or SIGTERM, which the caller blocks.
bool watch(const Progress & progress, const Setting & setting, bool & aloud)
{
  if (aloud) {
    const std::string line = progress_line(progress, setting);
    // If the reader has ended, the measurement goes on.
    aloud = ::write(STDERR_FILENO, line.data(), line.size()) >= 0;
  }
  sigset_t ends;
  ::sigemptyset(&ends);
  ::sigaddset(&ends, SIGINT);
  ::sigaddset(&ends, SIGTERM);
  return ::sigtimedwait(&ends, nullptr, &kLook) < 0;
}

void hold_signals()
{
  sigset_t held;
  ::sigemptyset(&held);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) {
    ::sigaddset(&held, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &held, nullptr);
}

}  // namespace

int main(int argc, char ** argv)
{
  CLI::App app{
    "Measures how late cyclic threads wake up, one on each core; prints JSON.", "takt_latency"};
  Setting setting;
  std::string output;
  bool aloud = false;
  add_options(app, setting);
  app.add_option("--output", output, "file instead of standard output");
  app.add_flag("--progress", aloud, "progress as lines of JSON on the error output");
  return takt_schedule::run_program(app, argc, argv, [&]() -> int {
    setting = completed(setting);
    if (const takt_rt::Faults faults = check(setting); !faults.empty()) {
      takt_schedule::tell(faults, "takt_latency: ");
      return takt_schedule::kBadInput;
    }
    hold_signals();
    const Measurement all =
      measure(setting, [&](const Progress & progress) { return watch(progress, setting, aloud); });
    if (!all.done) {
      takt_schedule::tell(refusals(all), "takt_latency: ");
      return kRefused;
    }
    return takt_bench::write_result(report(all).dump(1) + "\n", output, "takt_latency");
  });
}
