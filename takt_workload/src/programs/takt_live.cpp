// takt_live: demos to look at, in real time. `takt demo pendulum` and `takt demo camera` start it,
// and show its lines on a page.
//
// Exit codes: 0 ended by its duration, a signal or the end of the commands; 1 the output could not
// be written; 2 it cannot run.
#include <CLI/CLI.hpp>
#include <string>

#include "live/live_stream.hpp"
#include "live/run_camera.hpp"
#include "live/run_pendulum.hpp"
#include "programs/command_line.hpp"
#include "run/held_signals.hpp"
#include "takt_rt/thread_attributes.hpp"
#include "takt_schedule/program.hpp"

namespace takt_workload
{

namespace
{

struct Common
{
  takt_rt::Duration duration{};
  std::vector<int> cores = takt_rt::usable_cores();
  bool load = true;
  bool commands = false;
};

void add_common(CLI::App & app, Common & common)
{
  add_duration(app, "--duration", common.duration, "default: until a signal comes");
  app.add_option_function<std::string>(
    "--cores",
    [&](const std::string & text) { common.cores = usable_cores_option("--cores", text); },
    "cores with busy threads, as in 0,2-3; default: all that are usable");
  app.add_flag("!--no-load", common.load, "begins without busy threads");
  app.add_flag(
    "--commands", common.commands,
    "reads commands from standard input, and ends with it: {\"set\": {\"load\": true}}");
}

int run(int argc, char ** argv)
{
  CLI::App app("Demos in real time; prints one JSON object a line.", "takt_live");
  app.require_subcommand(1);
  Common common;
  PendulumSetting pendulum;
  CLI::App & of_pendulum = *app.add_subcommand("pendulum", "an inverted pendulum under control");
  add_common(of_pendulum, common);
  of_pendulum.add_option_function<std::string>(
    "--variant",
    [&](const std::string & text) {
      const auto variant = variant_of(text);
      if (!variant) {
        throw CLI::ValidationError(
          "--variant", takt_schedule::quoted(text) + " is not executor, other or realtime");
      }
      pendulum.parameters.variant = *variant;
    },
    "where the control loop runs: executor, other or realtime (default)");
  CameraSetting camera;
  CLI::App & of_camera = *app.add_subcommand(
    "camera", "a camera's graph under stock order and under a planned schedule");
  add_common(of_camera, common);
  of_camera.add_option("--schedule", camera.schedule, "file; of the side planned")->required();
  return takt_schedule::run_program(app, argc, argv, [&]() -> int {
    hold_signals();
    if (of_camera.parsed()) {
      LiveStream stream("camera", common.commands);
      camera.duration = common.duration;
      camera.cores = common.cores;
      camera.load = common.load;
      run_camera(camera, stream);
      return 0;
    }
    LiveStream stream("pendulum", common.commands);
    pendulum.duration = common.duration;
    pendulum.cores = common.cores;
    pendulum.parameters.load = common.load;
    run_pendulum(pendulum, stream);
    return 0;
  });
}

}  // namespace

}  // namespace takt_workload

int main(int argc, char ** argv)
{
  return takt_workload::run(argc, argv);
}
