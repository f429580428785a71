#include "takt_schedule/system.hpp"

#include "ids/callback_id.hpp"
#include "takt_core/names.hpp"

namespace takt_schedule
{

takt_core::Kind CallbackModel::kind() const
{
  return takt_core::from_string<takt_core::Kind>(detail::kind_word(id))
    .value_or(takt_core::Kind::subscription);
}

}  // namespace takt_schedule
