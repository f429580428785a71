// The change that a `set` request makes in one executor, and how to take it back.
//
// One thread at a time; may block as set-up of an executor does; allocates.
#ifndef TAKT_CONTROL__SRC__SETTING_HPP_
#define TAKT_CONTROL__SRC__SETTING_HPP_

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "set_request.hpp"
#include "takt_control/control_server.hpp"
#include "takt_core/executor.hpp"
#include "takt_rt/result.hpp"

namespace takt_control
{

class Setting
{
public:
  /// Nothing if the executor has no object of that name. Faults: the object cannot have such a
  /// value.
  static takt_rt::Result<std::optional<Setting>> plan(
    const SetRequest & request, const ExposedExecutor & exposed);

  takt_core::Executor & executor() const noexcept { return *executor_; }

  /// Returns the refusals of the executor, and changes nothing. Under `missing_rights: report` the
  /// entries note the kernel's refusals.
  takt_rt::Faults check();
  /// Makes all changes, or returns faults and changes nothing.
  /// Takes back the changes of `carry_out`.
  takt_rt::Faults carry_out();
  void take_back() const;

  /// One object for each changed thing: `executor`, `what`, `before`, `now`, `faults`.
  nlohmann::json document() const;

private:
  struct Entry
  {
    std::string what;
    nlohmann::json before;
    nlohmann::json now;
    takt_rt::Faults faults{};  // the kernel's refusals
  };

  explicit Setting(const ExposedExecutor & exposed)
  : executor_(exposed.executor),
    name_(exposed.name),
    goes_with_group_(exposed.goes_with_group)
  {
  }
  void plan_chain(const SetRequest & request);
  takt_rt::Faults plan_callback(const SetRequest & request);
  void take_along(
    const takt_core::Callback & callback, const takt_core::Binding & wanted, bool threads);
  takt_rt::Faults plan_threads(const SetRequest & request);

  takt_core::Executor * executor_;
  std::string name_;
  std::function<bool(const takt_core::Callback &)> goes_with_group_;
  takt_core::Reconfiguration change_;  // has all chains, for the check
  takt_core::Reconfiguration before_;
  std::optional<takt_core::ChainOptions> chain_;
  std::optional<takt_core::ChainOptions> chain_before_;
  std::vector<Entry> entries_;  // those of threads in the order of change_.threads
};

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__SETTING_HPP_
