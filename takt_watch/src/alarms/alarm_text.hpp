// Alarms as sentences for people.
#ifndef TAKT_WATCH__SRC__ALARM_TEXT_HPP_
#define TAKT_WATCH__SRC__ALARM_TEXT_HPP_

#include <string>

#include "alarms/alarm.hpp"

namespace takt_watch
{

/// Of one that is raised: what crossed which limit, and why.
std::string alarm_text(const Alarm & alarm);
/// Of one that is cleared, because all is well again.
std::string cleared_text(const Alarm & alarm);
/// Of one that is cleared, because its limit is another one by now, or there is none.
std::string unwatched_text(const Alarm & alarm);
/// Of one that is cleared, because its callback, chain or thread is there no longer.
std::string vanished_text(const Alarm & alarm);

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__ALARM_TEXT_HPP_
