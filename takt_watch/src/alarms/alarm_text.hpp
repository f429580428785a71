// Writes alarms as sentences for users.
#ifndef TAKT_WATCH__SRC__ALARM_TEXT_HPP_
#define TAKT_WATCH__SRC__ALARM_TEXT_HPP_

#include <string>

#include "alarms/alarm.hpp"

namespace takt_watch
{

/// The text of a raised alarm: the value, the limit that it crossed, and the cause.
std::string alarm_text(const Alarm & alarm);
/// The text of an alarm that is cleared because the value is below its limit again.
std::string cleared_text(const Alarm & alarm);
/// The text of an alarm that is cleared because its rule changed or is gone.
std::string unwatched_text(const Alarm & alarm);
/// The text of an alarm that is cleared because its callback, chain or thread is gone.
std::string vanished_text(const Alarm & alarm);

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__ALARM_TEXT_HPP_
