#include "set_values.hpp"

namespace takt_control
{

using nlohmann::json;

void SetValues::note(const takt_core::Executor & executor, const json & changed)
{
  auto & values = values_[&executor];
  for (const json & entry : changed) {
    for (const auto & [value, now] : entry["now"].items()) {
      const Name name{entry["what"].get<std::string>(), value};
      Change & change = values.try_emplace(name, Change{entry["before"][value], {}}).first->second;
      change.now = now;
      if (change.now == change.before) {
        values.erase(name);
      }
    }
  }
}

SetValues::Changes SetValues::take(const takt_core::Executor & executor)
{
  auto found = values_.extract(&executor);
  return found ? std::move(found.mapped()) : Changes();
}

json SetValues::of(const takt_core::Executor & executor) const
{
  json all = json::array();
  if (const auto found = values_.find(&executor); found != values_.end()) {
    for (const auto & [name, change] : found->second) {
      all.push_back(
        {{"what", name.first},
         {"value", name.second},
         {"before", change.before},
         {"now", change.now}});
    }
  }
  return all;
}

}  // namespace takt_control
