#include "takt_schedule/system.hpp"

#include <algorithm>

#include "callback_id.hpp"

namespace takt_schedule
{

bool CallbackModel::is_timer() const
{
  return detail::kind_word(id) == "timer";
}

const HostModel * System::find_host(std::string_view name) const
{
  const auto found = std::find_if(
    hosts.begin(), hosts.end(), [&](const HostModel & host) { return host.name == name; });
  return found == hosts.end() ? nullptr : &*found;
}

}  // namespace takt_schedule
