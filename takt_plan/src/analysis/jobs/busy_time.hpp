// The longest time in which several cores or threads can be busy at once. The spans of the
// arguments need live for the call only.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__ANALYSIS__JOBS__BUSY_TIME_HPP_
#define TAKT_PLAN__SRC__ANALYSIS__JOBS__BUSY_TIME_HPP_

#include <cstdint>
#include <span>

#include "takt_plan/model.hpp"

namespace takt_plan::detail
{

/// Work of entities, in ns. No entity is on two cores at once.
struct SharedWork
{
  std::span<const Ns> of;
  /// Per entity: its pool, a position in `pools`; kNone: none. Entities behind the end have none.
  std::span<const Index> pool_of;
  /// Per pool: the number of its entities that can be on cores at once.
  std::span<const Index> pools;
};

struct BusyTime
{
  Ns time = 0;
  std::int64_t looks = 0;  ///< number of examined works
};

/// The longest time x in which `rate` cores can be busy at once:
///
///     rate x <= sum over entities without a pool of min(W, x)
///             + sum over pools of min(sum over their entities of min(W, x), threads x)
///
/// The right side is concave, so each tangent lies above it. The search begins where all work is
/// done, and goes from each tangent's end to the next tangent: one pass over the works for each, as
/// many as the right side has slopes on the way, at most.
BusyTime longest_busy(const SharedWork & work, Index rate);

/// The part of a time in which a pool's entities are on cores, if that is limited by the pool's
/// number of threads; kUnbounded: it is not.
Ns limit_of_pool(const SharedWork & work, Index pool, Ns time);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ANALYSIS__JOBS__BUSY_TIME_HPP_
