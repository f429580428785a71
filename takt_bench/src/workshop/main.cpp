// takt_workshop: runs one variant of an exercise of the ROSCon 2023 workshop on real-time
// programming. `takt experiment workshop` runs all variants, and judges them. Built as
// takt_workshop_rclcpp it has one variant more: `--exercise 3-1 --variant rclcpp`, without a
// schedule, runs nodes and executors of rclcpp.
//
// Exit codes: 0 measured, also with fewer rights than requested; 1 not measured, or the output
// could not be written; 2 the command line is faulty.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>

#include "takt_rt/thread_attributes.hpp"
#include "takt_schedule/program.hpp"
#include "takt_trace/recording.hpp"
#include "workshop/camera.hpp"
#ifdef TAKT_WITH_RCLCPP
#include "workshop/camera_rclcpp.hpp"
#endif
#include "workshop/cyclic.hpp"
#include "workshop/report.hpp"
#include "workshop/sharing.hpp"
#include "write_result.hpp"

namespace
{

using namespace takt_bench::workshop;  // NOLINT: a program

constexpr int kNotMeasured = 1;
constexpr takt_rt::Duration kLongest = std::chrono::seconds(600);
constexpr takt_rt::Duration kShortest = std::chrono::milliseconds(100);

std::string listed(const std::vector<std::string_view> & words)
{
  std::string all;
  for (const std::string_view word : words) {
    all += (all.empty() ? "" : ", ") + std::string(word);
  }
  return all;
}

const Exercise & exercise_of(const Setting & setting)
{
  std::vector<std::string_view> names;
  for (const Exercise & each : exercises()) {
    if (each.name == setting.exercise) {
      return each;
    }
    names.push_back(each.name);
  }
  throw CLI::ValidationError(
    "--exercise", takt_schedule::quoted(setting.exercise) + " is not one of " + listed(names));
}

/// Whether nodes and executors of rclcpp run, and no schedule.
bool of_rclcpp(const Setting & setting)
{
#ifdef TAKT_WITH_RCLCPP
  return setting.exercise == "3-1" && setting.variant == "rclcpp" && setting.schedule.empty();
#else
  static_cast<void>(setting);
  return false;
#endif
}

void check(const Setting & setting)
{
  if (of_rclcpp(setting)) {
    return;
  }
  const Exercise & exercise = exercise_of(setting);
  const auto & variants = exercise.variants;
  if (variants.empty() == setting.schedule.empty()) {
    throw CLI::ValidationError(
      "--schedule", variants.empty() ? "exercise " + setting.exercise + " needs one"
                                     : "exercise " + setting.exercise + " takes none");
  }
  if (
    !variants.empty() &&
    std::find(variants.begin(), variants.end(), setting.variant) == variants.end()) {
    throw CLI::ValidationError(
      "--variant", takt_schedule::quoted(setting.variant) + " is not one of " + listed(variants));
  }
}

takt_rt::Result<std::unique_ptr<Found>> run(const Setting & setting)
{
#ifdef TAKT_WITH_RCLCPP
  if (of_rclcpp(setting)) {
    return run_camera_rclcpp(setting);
  }
#endif
  if (!setting.schedule.empty()) {
    return run_camera(setting);
  }
  return setting.exercise == "1" ? run_cyclic(setting) : run_sharing(setting);
}

}  // namespace

int main(int argc, char ** argv)
{
  CLI::App app{
    "Runs one variant of an exercise of the workshop on real-time programming; prints JSON.",
    "takt_workshop"};
  Setting setting;
  std::string output, trace_folder;
  app.add_option("--exercise", setting.exercise, "1, 2-1, 2-2, 2-3, 3-1, 3-2, 4-1 or 4-2")
    ->required();
  app
    .add_option(
      "--variant", setting.variant, "of the exercise; a name for the schedule in 3-1 to 4-2")
    ->required();
  app.add_option("--schedule", setting.schedule, "file; for 3-1 to 4-2");
  app.add_option_function<std::string>(
    "--duration",
    [&](const std::string & text) {
      setting.duration = takt_schedule::duration_option("--duration", text);
      if (setting.duration < kShortest || setting.duration > kLongest) {
        throw CLI::ValidationError(
          "--duration", takt_schedule::quoted(text) + " is not between 100ms and 10 min");
      }
      setting.warm_up = std::min(setting.warm_up, setting.duration / 2);  // a short run is a look
    },
    "of the measurement; default: 10s");
  app.add_option_function<std::string>(
    "--cores",
    [&](const std::string & text) { setting.cores = takt_schedule::cores_option("--cores", text); },
    "as in 0,2-3; default: all that are usable");
  app.add_flag("!--no-stress", setting.stress, "without a busy thread on each core");
  app.add_option("--trace-folder", trace_folder, "records a trace into a file in this folder");
  app.add_option("--output", output, "file instead of standard output");
  return takt_schedule::run_program(app, argc, argv, [&]() -> int {
    check(setting);
    if (setting.cores.empty()) {
      setting.cores = takt_rt::usable_cores();
    }
    if (!trace_folder.empty()) {
      takt_trace::RecordingOptions options;
      options.folder = trace_folder;
      if (const auto begun = takt_trace::start_recording(options); !begun) {
        takt_schedule::tell(begun.faults(), "takt_workshop: ");
        return kNotMeasured;
      }
    }
    const auto found = run(setting);
    std::string trace;
    if (!trace_folder.empty()) {
      if (const auto written = takt_trace::stop_recording(); written) {
        trace = written->path;
      } else {
        takt_schedule::tell(written.faults(), "takt_workshop: ");
        return kNotMeasured;
      }
    }
    if (!found) {
      takt_schedule::tell(found.faults(), "takt_workshop: ");
      return kNotMeasured;
    }
    return takt_bench::write_result(
      report(setting, *found.value(), trace).dump() + "\n", output, "takt_workshop");
  });
}
