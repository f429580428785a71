// The steps of reading a configurator policy. Set-up only.
#ifndef TAKT_SCHEDULE__SRC__READ_RULE_HPP_
#define TAKT_SCHEDULE__SRC__READ_RULE_HPP_

#include <optional>

#include "takt_schedule/configurator_policy.hpp"
#include "takt_schedule/reader/findings.hpp"
#include "takt_schedule/reader/map_reader.hpp"

namespace takt_schedule::detail
{

/// One entry of `rules:`.
ConfiguratorRule read_rule(const YamlNode & node, Findings & findings, const NameLookup & names);

/// `deadline_bandwidth:` of a rule or of the whole file; empty if it is absent or faulty.
std::optional<double> read_bandwidth(MapReader & map, Findings & findings);

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__READ_RULE_HPP_
