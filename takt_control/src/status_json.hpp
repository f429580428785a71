// This process and its executors as the control socket tells of them.
#ifndef TAKT_CONTROL__SRC__STATUS_JSON_HPP_
#define TAKT_CONTROL__SRC__STATUS_JSON_HPP_

#include <nlohmann/json.hpp>
#include <vector>

#include "takt_control/control_server.hpp"

namespace takt_control
{

/// May block: reads /proc and takes the set-up locks of the executors.
nlohmann::json status_json(const std::vector<ExposedExecutor> & executors);

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__STATUS_JSON_HPP_
