// Room for what no model counts: a wake-up that the kernel or the host delays, housekeeping of the middleware.
//
// A plan by phases puts one callback right behind another one. If the first one is late by a little more than what lies
// between the two, the second one goes first, and the first one waits for all of it. So the planner looks for a plan that
// keeps all deadlines although each timer is released late.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__PLANNERS__LATE_RELEASES_HPP_
#define TAKT_PLAN__SRC__PLANNERS__LATE_RELEASES_HPP_

#include "takt_plan/model.hpp"
#include "takt_schedule/system.hpp"

namespace takt_plan::detail
{

/// Timers may be late by this share of their period,
inline constexpr Ns kLateShare = 100;
/// but by no more than this, in ns.
inline constexpr Ns kMostLate = 1'000'000;

/// The system with the jitter of each timer raised to that.
takt_schedule::System with_late_releases(takt_schedule::System system);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PLANNERS__LATE_RELEASES_HPP_
