// This process and its executors as the control socket tells of them.
#ifndef TAKT_CONTROL__SRC__STATUS_JSON_HPP_
#define TAKT_CONTROL__SRC__STATUS_JSON_HPP_

#include <sys/types.h>

#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "takt_control/control_server.hpp"

namespace takt_control
{

/// May block: reads /proc and takes the set-up locks of the executors.
/// `threads`: of the process, but no executor's, of which it is known what they asked for.
nlohmann::json status_json(
  const std::vector<ExposedExecutor> & executors,
  const std::map<pid_t, takt_core::AttributeReport> & threads);

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__STATUS_JSON_HPP_
