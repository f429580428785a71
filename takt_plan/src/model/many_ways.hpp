// Callbacks that are started in more ways than an analysis tells apart, said once.
//
// A way leads from a timer, or from messages from outside, through topics to the callback. Set-up only:
// allocates, does not block.
#ifndef TAKT_PLAN__SRC__MANY_WAYS_HPP_
#define TAKT_PLAN__SRC__MANY_WAYS_HPP_

#include <optional>
#include <string>

#include "takt_plan/model.hpp"
#include "takt_schedule/system.hpp"

namespace takt_plan
{

/// One message for all of them, with file, line and remedy; nothing where there are none. `model`: of the
/// system.
std::optional<std::string> many_ways(const takt_schedule::System & system, const Model & model);

}  // namespace takt_plan

#endif  // TAKT_PLAN__SRC__MANY_WAYS_HPP_
