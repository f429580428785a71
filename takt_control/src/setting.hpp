// What a `set` request changes in one executor, and how the change is taken back.
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
  /// Nothing, if the executor has nothing of that name. Faults: the thing cannot have such a value.
  static takt_rt::Result<std::optional<Setting>> plan(
    const SetRequest & request, const ExposedExecutor & exposed);

  takt_core::Executor & executor() const noexcept { return *executor_; }

  /// What the executor would refuse. Notes what the kernel would refuse under `missing_rights: report`.
  takt_rt::Faults check();
  /// All of it, or faults and nothing.
  takt_rt::Faults carry_out();
  void take_back() const;

  /// One object for each thing: `executor`, `what`, `before`, `now`, `faults`.
  nlohmann::json document() const;

private:
  struct Entry
  {
    std::string what;
    nlohmann::json before;
    nlohmann::json now;
    takt_rt::Faults faults{};  // of the kernel
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
  takt_core::Reconfiguration change_;  // its chains are all of them, for the check
  takt_core::Reconfiguration before_;
  std::optional<takt_core::ChainOptions> chain_;
  std::optional<takt_core::ChainOptions> chain_before_;
  std::vector<Entry> entries_;  // of threads in the order of change_.threads
};

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__SETTING_HPP_
