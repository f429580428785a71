// The JSON of an alarm on the control socket.
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
  std::int64_t to_realtime = 0;  ///< CLOCK_REALTIME minus CLOCK_MONOTONIC, in ns
};

/// The alarm as one JSON object. docs/monitor.md lists its fields.
std::string alarm_json(const Alarm & alarm, std::uint64_t sequence, const ProcessFacts & process);

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__ALARM_JSON_HPP_
