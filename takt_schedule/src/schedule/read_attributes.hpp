// Reads and checks the attributes of a thread: the keys that `threads` and `process_threads` share.
#ifndef TAKT_SCHEDULE__SRC__READ_ATTRIBUTES_HPP_
#define TAKT_SCHEDULE__SRC__READ_ATTRIBUTES_HPP_

#include <string>
#include <vector>

#include "takt_rt/thread_attributes.hpp"
#include "takt_schedule/reader/map_reader.hpp"

namespace takt_schedule::detail
{

/// policy, priority, nice, runtime, deadline, period, cores.
std::vector<std::string> attribute_keys();

/// `cores`: the cores that may be named; nullptr: any.
takt_rt::ThreadAttributes read_attributes(
  MapReader & map, Findings & findings, const std::vector<int> * cores);

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__READ_ATTRIBUTES_HPP_
