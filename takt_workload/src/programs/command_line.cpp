#include "programs/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "takt_rt/thread_attributes.hpp"
#include "takt_schedule/core_list.hpp"
#include "takt_schedule/duration.hpp"
#include "takt_schedule/program.hpp"

namespace takt_workload
{

CLI::Option * add_duration(
  CLI::App & app, const std::string & name, takt_rt::Duration & value, const std::string & help)
{
  return app
    .add_option_function<std::string>(
      name,
      [&value, name](const std::string & text) {
        value = takt_schedule::duration_option(name, text);
      },
      help)
    ->default_str(takt_schedule::print_duration(value))
    ->type_name("DURATION");
}

CLI::Option * add_whole(
  CLI::App & app, const std::string & name, const std::function<void(int)> & set, int least,
  int most, const std::string & help)
{
  return app
    .add_option_function<std::string>(
      name,
      [=](const std::string & text) { set(takt_schedule::number_option(name, text, least, most)); },
      help)
    ->type_name("N");
}

CLI::Option * add_factor(
  CLI::App & app, const std::string & name, double & value, double most, const std::string & help)
{
  return app
    .add_option_function<std::string>(
      name,
      [=, &value](const std::string & text) {
        value = takt_schedule::number_option(name, text, 0.0, most);
      },
      help)
    ->default_str(fmt::format("{}", value))
    ->type_name("F");
}

std::vector<int> usable_cores_option(const std::string & option, const std::string & text)
{
  const std::vector<int> usable = takt_rt::usable_cores();
  std::vector<int> cores = takt_schedule::cores_option(option, text);
  for (const int core : cores) {
    if (std::find(usable.begin(), usable.end(), core) == usable.end()) {
      throw CLI::ValidationError(
        option, fmt::format(
                  "core {} cannot be used here; usable cores are {}", core,
                  takt_schedule::print_cores(usable)));
    }
  }
  return cores;
}

}  // namespace takt_workload
