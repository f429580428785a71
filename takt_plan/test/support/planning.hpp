// Plans of systems given as text, and the properties of all plans.
#ifndef TAKT_PLAN__TEST__SUPPORT__PLANNING_HPP_
#define TAKT_PLAN__TEST__SUPPORT__PLANNING_HPP_

#include <cstdint>
#include <string>
#include <vector>

#include "takt_plan/planner.hpp"

namespace takt_plan::test
{

/// `text`: a system file without its version. A fault fails the test.
takt_schedule::System system_of(const std::string & text);

/// Chains a, b, c ... of one host, the most important first. Each has a timer /a1 and the callbacks
/// /a2, /a3 and so on that it starts, with loads in tenths of a core. `callbacks`: more lines of
/// the file's list.
takt_schedule::System chains_of(
  int cores, const std::vector<std::vector<int>> & tenths, const std::string & callbacks = {});

/// A random system of one host: chains of a timer and four subscriptions, /c0_0 to /c0_4 and so on.
/// Their total load is `load` of a core; none exceeds nine tenths. Deadlines equal periods, and
/// shorter ones are more important.
takt_schedule::System random_chains(int cores, int chains, double load, std::uint64_t seed);

/// A random system with all kinds of constraints: two processes, exclusive groups that may span
/// chains, pinned callbacks, another thread, callbacks without a chain, and two hosts if `seed` is
/// odd.
takt_schedule::System restrained_system(std::uint64_t seed);

/// A fault fails the test.
Planned plan_of(const takt_schedule::System & system, const PlanOptions & options = {});

PlanOptions by(Planner planner);

/// The bound of the chain; kUnbounded: none.
Ns bound_of(const Planned & planned, const std::string & chain);

/// The thread of the callback.
const AssignedThread & thread_of(const Planned & planned, const std::string & id);

/// "0/90: b a" for each thread: its core, its OS priority, and the nodes of its callbacks without
/// the slash, the most urgent first. Sorted by core, then by falling priority.
std::vector<std::string> threads_of(const Planned & planned);

/// Checks properties of all plans: each callback is in one thread of its process, on a core that it
/// may use; groups are not divided; the schedule file has the reported bounds, and so has the trade
/// of threads against slack.
void expect_sound(const takt_schedule::System & system, const Planned & planned);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__PLANNING_HPP_
