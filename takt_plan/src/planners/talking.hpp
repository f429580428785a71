// The OS priorities that a plan leaves to the threads of the middleware.
//
// Threads of the middleware carry messages between processes, so a schedule raises them above the
// plan's threads. No priority of a schedule is above the `priorities` of its host, so the plan's
// own threads leave the highest one free.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__PLANNERS__TALKING_HPP_
#define TAKT_PLAN__SRC__PLANNERS__TALKING_HPP_

#include <set>
#include <string>

#include "takt_schedule/system.hpp"

namespace takt_plan::detail
{

/// The executors that talk: those with callbacks that publish messages, or take or read messages of
/// other callbacks.
std::set<std::string> talking(const takt_schedule::System & system);

/// The highest OS priority of the plan's threads on the host. It is the host's highest priority if
/// no executor on the host talks, or if the host has only one priority.
int most_of_plan(
  const takt_schedule::System & system, const takt_schedule::HostModel & host,
  const std::set<std::string> & talkers);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PLANNERS__TALKING_HPP_
