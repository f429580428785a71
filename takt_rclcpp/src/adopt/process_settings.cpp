#include "adopt/process_settings.hpp"

#include <unistd.h>

#include <cstdlib>

#include "takt_schedule/parse.hpp"

namespace takt_rclcpp
{
namespace
{

std::string variable(const char * name)
{
  const char * const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

ProcessSettings read()
{
  ProcessSettings settings;
  settings.executor = variable("TAKT_EXECUTOR");
  settings.report_directory = variable("TAKT_REPORT_DIR");
  settings.strict = variable("TAKT_STRICT") == "1";
  settings.quiet = variable("TAKT_QUIET") == "1";
  settings.observe = variable("TAKT_OBSERVE") == "1";
  if (const std::string path = variable("TAKT_SCHEDULE"); !path.empty()) {
    takt_schedule::Machine machine;
    machine.executor = settings.executor;
    auto schedule = takt_schedule::load_schedule(path, machine);
    if (schedule.ok()) {
      settings.schedule = std::move(schedule.value());
    } else {
      settings.faults = schedule.faults();
    }
  }
  return settings;
}

}  // namespace

const ProcessSettings & process_settings()
{
  static const ProcessSettings settings = read();
  return settings;
}

std::string sentences(const std::string & before, const takt_core::Faults & faults)
{
  std::string words = before;
  for (const auto & fault : faults) {
    words += "\n  " + takt_core::to_string(fault);
  }
  return words;
}

void say(const std::string & line, bool always)
{
  if (!always && process_settings().quiet) {
    return;
  }
  const std::string text = "[takt] " + line + "\n";
  // One write, so that lines of several threads and processes do not mix.
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) {
    // Nobody reads standard error.
  }
}

}  // namespace takt_rclcpp
