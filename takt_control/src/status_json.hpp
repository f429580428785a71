// The description of this process and its executors that the control socket gives.
#ifndef TAKT_CONTROL__SRC__STATUS_JSON_HPP_
#define TAKT_CONTROL__SRC__STATUS_JSON_HPP_

#include <nlohmann/json.hpp>
#include <vector>

#include "registered_threads.hpp"
#include "set_values.hpp"
#include "takt_control/control_server.hpp"

namespace takt_control
{

/// May block: reads /proc and takes the set-up locks of the executors.
nlohmann::json status_json(
  const std::vector<ExposedExecutor> & executors, const RegisteredThreads & threads,
  const SetValues & set_values);

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__STATUS_JSON_HPP_
