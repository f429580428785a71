// An alarm as the control socket sends it.
#ifndef TAKT_WATCH__SRC__ALARM_JSON_HPP_
#define TAKT_WATCH__SRC__ALARM_JSON_HPP_

#include <cstdint>
#include <string>

#include "alarms/alarm.hpp"

namespace takt_watch
{

struct ProcessFacts
{
  std::int64_t pid = 0;
  std::string program{};
  std::string host{};
  std::int64_t to_realtime = 0;  ///< what to add to CLOCK_MONOTONIC for CLOCK_REALTIME, in ns
};

/// One JSON object. docs/monitor.md lists its fields.
std::string alarm_json(const Alarm & alarm, std::uint64_t sequence, const ProcessFacts & process);

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__ALARM_JSON_HPP_
