// Reports callbacks that are started in more ways than an analysis can distinguish.
//
// A way leads from a timer, or from messages from outside, through topics to the callback. Set-up
// only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__MANY_WAYS_HPP_
#define TAKT_PLAN__SRC__MANY_WAYS_HPP_

#include <optional>
#include <string>

#include "takt_plan/model.hpp"
#include "takt_schedule/system.hpp"

namespace takt_plan
{

/// One message for all these callbacks, with file, line and remedy; empty: there are none. `model`:
/// of the system.
std::optional<std::string> many_ways(const takt_schedule::System & system, const Model & model);

}  // namespace takt_plan

#endif  // TAKT_PLAN__SRC__MANY_WAYS_HPP_
