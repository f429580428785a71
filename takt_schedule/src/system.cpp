#include "takt_schedule/system.hpp"

#include "callback_id.hpp"

namespace takt_schedule
{

bool CallbackModel::is_timer() const
{
  return detail::kind_word(id) == "timer";
}

}  // namespace takt_schedule
