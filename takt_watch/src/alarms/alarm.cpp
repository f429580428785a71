#include "alarms/alarm.hpp"

namespace takt_watch
{

std::string_view to_string(AlarmKind kind) noexcept
{
  switch (kind) {
    case AlarmKind::backlog:
      return "backlog";
    case AlarmKind::age:
      return "age";
    case AlarmKind::rate:
      return "rate";
    case AlarmKind::lost:
      return "lost";
    case AlarmKind::deadline:
      return "deadline";
    case AlarmKind::overrun:
      return "overrun";
    case AlarmKind::stall:
      return "stall";
    case AlarmKind::skipped:
      return "skipped";
    case AlarmKind::guard:
      return "guard";
  }
  return "unknown";
}

}  // namespace takt_watch
