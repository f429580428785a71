// Response-time bounds for chains on a pool of threads, as published: for comparison, not for
// proof.
//
// Two analyses of linear chains on one executor with M threads, each thread with a core to itself,
// tasks not preempted, times in whole ticks of any length, in the form that their authors' programs
// compute:
//
// - Sobhani, Choi and Kim, "Timing Analysis and Priority-driven Enhancements of ROS 2
//   Multi-threaded Executors" (RTAS 2023): least l with
//
//       M (E_k - C_last + 1) + interference(l) + blocking(l) + groups(l) < M l,  R = l + C_last - 1
//
//   default scheme: every other chain interferes; priority scheme: those with a task that is not
//   below chain k, and the M longest lower tasks of different chains block once. A chain does
//   W(l) = floor((l + D - E) / T) E + min(E, (l + D - E) mod T) in any interval, if it meets its
//   deadline. Arbitrary deadlines: chain k itself interferes too, less E_k.
// - Jiang, Ji, Guan et al., "Real-Time Scheduling and Analysis of Processing Chains on
//   Multi-threaded Executor in ROS 2" (RTSS 2022), Theorem 1: default scheme, reentrant groups,
//   constrained deadlines.
//
// Neither may be used as a proof here: both hold only if every chain meets its deadline, and the
// priority scheme's blocking is counted once for a chain, although other threads may begin new
// lower tasks during each of its tasks (pool_published_test.cpp has a schedule that exceeds it).
// They are here so that results of the literature can be reproduced and set beside ours.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_BENCH__SRC__PUBLISHED__POOL_PUBLISHED_HPP_
#define TAKT_BENCH__SRC__PUBLISHED__POOL_PUBLISHED_HPP_

#include <cstdint>
#include <optional>
#include <vector>

#include "takt_rt/result.hpp"

namespace takt_bench
{

using Ticks = std::int64_t;

struct PoolTask
{
  Ticks time = 0;
  int priority = 0;          ///< larger first
  std::optional<int> group;  ///< of an exclusive group; absent: no group, or a reentrant one
};

struct PoolChain
{
  Ticks period = 0;
  Ticks deadline = 0;
  std::vector<PoolTask> tasks;
};

struct Pool
{
  int threads = 1;
  std::vector<PoolChain> chains;
};

enum class PoolScheme
{
  standard,  ///< rclcpp's: any ready chain may go first
  priority   ///< the ready task of the highest priority goes first
};

struct PoolBounds
{
  /// kUnbounded (nanoseconds.hpp) for bounds above a hundred deadlines, and after a million steps.
  std::vector<Ticks> chains;
  bool assumption_holds = false;  ///< these bounds keep every deadline
};

/// RTAS 2023. `arbitrary_deadlines`: a chain may be released again before it ends. Faults: no
/// thread or chain, times that are not positive or so long that a thousand of them overflow,
/// deadlines below a chain's own work, and, unless they are arbitrary, deadlines beyond the period.
takt_rt::Result<PoolBounds> pool_rtas23(
  const Pool & pool, PoolScheme scheme, bool arbitrary_deadlines = false);

/// RTSS 2022, Theorem 1, rounded up to whole ticks. Faults: as above, and exclusive groups.
takt_rt::Result<PoolBounds> pool_rtss22(const Pool & pool);

}  // namespace takt_bench

#endif  // TAKT_BENCH__SRC__PUBLISHED__POOL_PUBLISHED_HPP_
