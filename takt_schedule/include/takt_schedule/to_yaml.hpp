// Writes schedule and system files, without default values and with comments.
//
// Stable: equal schedules and systems give equal text (except `Source::comment`), and parsing the
// text gives an equal one. Set-up only: allocates, does not block.
#ifndef TAKT_SCHEDULE__TO_YAML_HPP_
#define TAKT_SCHEDULE__TO_YAML_HPP_

#include <string>
#include <string_view>

#include "takt_schedule/schedule.hpp"
#include "takt_schedule/system.hpp"

namespace takt_schedule
{

/// Writes `header` on top as a comment, and the `Source::comment` of every entry above it.
std::string to_yaml(const Schedule & schedule, std::string_view header = {});
std::string to_yaml(const System & system, std::string_view header = {});

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__TO_YAML_HPP_
