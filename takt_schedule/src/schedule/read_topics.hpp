// Reads `topics:`.
#ifndef TAKT_SCHEDULE__SRC__READ_TOPICS_HPP_
#define TAKT_SCHEDULE__SRC__READ_TOPICS_HPP_

#include <vector>

#include "takt_schedule/reader/findings.hpp"
#include "takt_schedule/reader/map_reader.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule::detail
{

void read_topics(MapReader & map, Findings & findings, std::vector<TopicRule> & topics);

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__READ_TOPICS_HPP_
