#include "takt_core/detail/callback_entry.hpp"

namespace takt_core
{

CallbackEntry::CallbackEntry(
  Kind kind, std::uint32_t number, std::uint32_t depth, const std::optional<TimerOptions> & timer)
: number_(number),
  kind_(kind),
  arrivals_(depth),
  timed_(timer.has_value()),
  timer_(timer.value_or(TimerOptions{})),
  timer_active_(timer.has_value() && timer->autostart)
{
}

}  // namespace takt_core
