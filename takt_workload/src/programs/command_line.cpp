#include "programs/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <sstream>

#include "takt_core/thread_attributes.hpp"
#include "takt_schedule/duration.hpp"

namespace takt_workload
{

CLI::Option * add_duration(
  CLI::App & app, const std::string & name, takt_core::Duration & value, const std::string & help)
{
  return app
    .add_option_function<std::string>(
      name,
      [&value, name](const std::string & text) {
        auto parsed = takt_schedule::parse_duration(text);
        if (!parsed) {
          throw CLI::ValidationError(name, to_string(parsed.faults().front()));
        }
        value = *parsed;
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
      name, [=](const std::string & text) { set(parse_number(name, text, least, most)); }, help)
    ->type_name("N");
}

CLI::Option * add_factor(
  CLI::App & app, const std::string & name, double & value, double most, const std::string & help)
{
  return app
    .add_option_function<std::string>(
      name, [=, &value](const std::string & text) { value = parse_number(name, text, 0.0, most); },
      help)
    ->default_str(fmt::format("{}", value))
    ->type_name("F");
}

std::vector<int> parse_cores(const std::string & text)
{
  const std::vector<int> usable = takt_core::usable_cores();
  const auto number = [&](const std::string & word) {
    int value = -1;
    const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
    if (result.ec != std::errc{} || result.ptr != word.data() + word.size()) {
      throw CLI::ValidationError("--cores", "'" + text + "' is no list of cores like 0,2-3");
    }
    return value;
  };
  std::vector<int> cores;
  std::istringstream words(text);
  std::string word;
  while (std::getline(words, word, ',')) {
    const auto dash = word.find('-');
    const int first = number(word.substr(0, dash));
    const int last = dash == std::string::npos ? first : number(word.substr(dash + 1));
    for (int core = first; core <= last; ++core) {
      if (std::find(usable.begin(), usable.end(), core) == usable.end()) {
        throw CLI::ValidationError("--cores", fmt::format("core {} is not usable here", core));
      }
      cores.push_back(core);
    }
  }
  if (cores.empty()) {
    throw CLI::ValidationError("--cores", "'" + text + "' names no core");
  }
  return cores;
}

std::optional<int> parse_or_explain(CLI::App & app, int argc, const char * const * argv)
{
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success & request) {
    return app.exit(request);
  } catch (const CLI::ParseError & error) {
    fmt::print(stderr, "{}: {}\n", app.get_name(), error.what());
    return kBadInput;
  }
  return std::nullopt;
}

}  // namespace takt_workload
