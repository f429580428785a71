// Leaves room for delays that no model counts: the kernel or the host may delay a wake-up, and the
// middleware sometimes does work of its own.
//
// A plan by phases releases one callback when another one is about to end. Suppose that the earlier
// callback is delayed until after the release of the later one. Then the later callback runs first,
// and the earlier one waits until the later one has ended. So the planner looks for a plan that
// keeps all deadlines even if each timer is released late.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__PLANNERS__LATE_RELEASES_HPP_
#define TAKT_PLAN__SRC__PLANNERS__LATE_RELEASES_HPP_

#include "takt_plan/model.hpp"
#include "takt_schedule/system.hpp"

namespace takt_plan::detail
{

/// A timer may be late by its period divided by this number.
inline constexpr Ns kLateShare = 100;
/// The largest delay of a timer, in ns.
inline constexpr Ns kMostLate = 1'000'000;

/// Returns the system with larger jitters of timers: the jitter of each timer is at least the delay
/// by which that timer may be late.
takt_schedule::System with_late_releases(takt_schedule::System system);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PLANNERS__LATE_RELEASES_HPP_
