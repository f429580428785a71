// Writes the watch rules of a schedule as YAML.
#ifndef TAKT_SCHEDULE__SRC__WATCH_TO_YAML_HPP_
#define TAKT_SCHEDULE__SRC__WATCH_TO_YAML_HPP_

#include "takt_schedule/schedule.hpp"
#include "writer/yaml_writer.hpp"

namespace takt_schedule::detail
{

/// The keys that the rule has, in the order of the documentation.
Pairs pairs_of_watch(const CallbackRule & rule);
Pairs pairs_of(const ChainWatchRule & watch);
/// Without default values.
Pairs pairs_of(const WatchSettings & watch);

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__WATCH_TO_YAML_HPP_
