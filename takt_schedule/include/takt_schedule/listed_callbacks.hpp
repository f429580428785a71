// The callbacks of a system model, as a list against which a schedule is checked.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_SCHEDULE__LISTED_CALLBACKS_HPP_
#define TAKT_SCHEDULE__LISTED_CALLBACKS_HPP_

#include <vector>

#include "takt_schedule/check.hpp"
#include "takt_schedule/system.hpp"

namespace takt_schedule
{

/// All ids of the model with their groups and executors. Groups that `groups:` does not list are
/// exclusive.
std::vector<ListedCallback> listed_callbacks(const System & system);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__LISTED_CALLBACKS_HPP_
