#include "adopt/process_settings.hpp"

#include <unistd.h>

#include <functional>
#include <map>

#include "takt_control/threads_schedule.hpp"
#include "takt_rt/environment.hpp"
#include "takt_schedule/parse.hpp"

namespace takt_rclcpp
{
namespace
{

// Never destroyed: adopted executors may spin while the program's own objects are destroyed.
std::map<std::string, std::string, std::less<>> & told()
{
  static auto & g_told = *new std::map<std::string, std::string, std::less<>>;
  return g_told;
}

std::string variable(const char * name)
{
  const auto known = told().find(name);
  return known != told().end() ? known->second : takt_rt::variable(name);
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

void tell_variable(const std::string & line)
{
  const std::size_t end = line.find('=');
  const std::string name = line.substr(0, end);
  const std::string value = line.substr(end + 1);
  if (name == "TAKT_SCHEDULE") {
    takt_control::set_threads_schedule(value);
  }
  told().insert_or_assign(name, value);
}

const ProcessSettings & process_settings()
{
  // Never destroyed: adopted executors may spin while the program's own objects are destroyed.
  static const auto & g_settings = *new ProcessSettings(read());
  return g_settings;
}

std::string sentences(const std::string & before, const takt_rt::Faults & faults)
{
  std::string words = before;
  for (const auto & fault : faults) {
    words += "\n  " + takt_rt::to_string(fault);
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
    // Standard error is closed.
  }
}

}  // namespace takt_rclcpp
