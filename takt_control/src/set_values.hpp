// The values that `takt set` or the monitor has changed since the latest schedule: each value
// before and now. One thread at a time.
#ifndef TAKT_CONTROL__SRC__SET_VALUES_HPP_
#define TAKT_CONTROL__SRC__SET_VALUES_HPP_

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "takt_core/executor.hpp"

namespace takt_control
{

class SetValues
{
public:
  using Name = std::pair<std::string, std::string>;  // "thread hot", "priority"
  struct Change
  {
    nlohmann::json before;
    nlohmann::json now;
  };
  using Changes = std::map<Name, Change>;

  /// Notes the changes in `changed`, a Setting::document. Forgets a value that is the schedule's
  /// again.
  void note(const takt_core::Executor & executor, const nlohmann::json & changed);
  void forget(const takt_core::Executor & executor) { values_.erase(&executor); }

  /// Removes and returns the changes of an executor; `give_back` restores them.
  Changes take(const takt_core::Executor & executor);
  void give_back(const takt_core::Executor & executor, Changes changes)
  {
    values_[&executor] = std::move(changes);
  }

  /// A list of {"what", "value", "before", "now"}.
  nlohmann::json of(const takt_core::Executor & executor) const;

private:
  std::map<const takt_core::Executor *, Changes> values_;
};

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__SET_VALUES_HPP_
