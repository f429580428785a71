// The common options of the programs' command lines.
#ifndef COMMAND_LINE_HPP_
#define COMMAND_LINE_HPP_

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "takt_rt/time.hpp"

namespace takt_workload
{

/// An option that is a duration with a unit.
CLI::Option * add_duration(
  CLI::App & app, const std::string & name, takt_rt::Duration & value, const std::string & help);

/// "0,2-3". Throws CLI::ValidationError for other text, and for cores that this process may not
/// use.
std::vector<int> usable_cores_option(const std::string & option, const std::string & text);

/// An option that takes a whole number from `least` to `most`.
CLI::Option * add_whole(
  CLI::App & app, const std::string & name, const std::function<void(int)> & set, int least,
  int most, const std::string & help);

/// An option that takes a factor from 0 to `most`.
CLI::Option * add_factor(
  CLI::App & app, const std::string & name, double & value, double most, const std::string & help);

}  // namespace takt_workload

#endif  // COMMAND_LINE_HPP_
