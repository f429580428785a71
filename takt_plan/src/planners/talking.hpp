// The OS priorities that a plan leaves to the threads of the middleware.
//
// Threads of the middleware carry messages between processes, so a schedule raises them above the
// plan's threads that send or take messages. A thread of an executor that does not talk, such as a
// control loop without ROS, needs no message. If it is the most urgent one of its core, the plan
// puts it above the threads of the middleware, which otherwise could run before it on its core.
//
// One core of each host has no such thread. Threads of the middleware may run on all cores, and the
// kernel moves them to one that runs something less urgent, so they wait for no thread of the plan.
// On a host with one core, or where a `taskset` keeps them on one core, they could wait for it, and
// `communication` of the model does not contain that.
//
// No priority of a schedule is above the `priorities` of its host, so the plan's threads leave one
// free for the middleware.
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

/// The OS priorities of a plan's threads on one host.
struct Band
{
  int least = 1;
  int most = 90;  ///< of threads that are less urgent than those of the middleware
  /// The number of priorities above those of the middleware's threads; the highest one is `top`.
  int above = 0;
  int top = 90;
};

/// The priorities of the plan's threads on the host. All are the plan's if no executor on the host
/// talks, or if the host has only one priority. `quiet_threads`: the most threads that the plan can
/// give to executors on this host that do not talk; at most half of the priorities are above the
/// middleware.
Band band_of(
  const takt_schedule::System & system, const takt_schedule::HostModel & host,
  const std::set<std::string> & talkers, int quiet_threads);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PLANNERS__TALKING_HPP_
