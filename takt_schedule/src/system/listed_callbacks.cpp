#include "takt_schedule/listed_callbacks.hpp"

#include <set>
#include <string>
#include <utility>

#include "takt_core/group.hpp"

namespace takt_schedule
{

std::vector<ListedCallback> listed_callbacks(const System & system)
{
  std::set<std::string> reentrant;
  for (const GroupModel & group : system.groups) {
    if (group.kind == takt_core::GroupKind::reentrant) {
      reentrant.insert(group.id);
    }
  }
  std::vector<ListedCallback> result;
  for (const CallbackModel & callback : system.callbacks) {
    for (const std::string & id : callback.all_ids()) {
      ListedCallback one;
      one.id = id;
      one.kind = callback.kind();
      one.group = callback.group;
      one.executor = callback.executor;
      one.reentrant = reentrant.contains(callback.group);
      result.push_back(std::move(one));
    }
  }
  return result;
}

}  // namespace takt_schedule
