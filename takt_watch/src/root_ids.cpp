#include "root_ids.hpp"

#include <algorithm>

#include "takt_core/scheduler.hpp"

namespace takt_watch
{
namespace
{

// The timer's period. The scheduler only returns the number of periods until a time, so divide that
// time by it. Exact to the microsecond for periods of up to 1000 s.
takt_rt::Duration period_of(
  const takt_core::Scheduler & scheduler, const takt_core::Callback & timer, takt_rt::Time next)
{
  constexpr takt_rt::Duration kFar(std::int64_t{1} << 61);
  const std::uint64_t until_then = scheduler.unstarted_periods(timer, next + kFar);
  return until_then < 2 ? takt_rt::Duration() : kFar / static_cast<std::int64_t>(until_then - 1);
}

}  // namespace

bool RootIds::spins(const Root & root, bool (*spins)(const takt_core::Executor &)) const
{
  const std::lock_guard lock(mutex_);
  const auto there = callbacks_.find(root.id());
  return there != callbacks_.end() &&
         std::any_of(there->second.begin(), there->second.end(), [&](const auto & known) {
           return spins(*known.second.executor);
         });
}

std::optional<UnstartedTimer> RootIds::unstarted(
  const Root & root, bool (*spins)(const takt_core::Executor &)) const
{
  const std::lock_guard lock(mutex_);
  const auto there = callbacks_.find(root.id());
  if (there == callbacks_.end()) {
    return std::nullopt;
  }
  for (const auto & [number, known] : there->second) {
    const takt_core::Callback & timer = *known.callback;
    const takt_core::Scheduler * const scheduler = takt_core::Scheduler::of(timer);
    if (timer.kind() != takt_core::Kind::timer || scheduler == nullptr || !spins(*known.executor)) {
      continue;
    }
    const takt_rt::Time next = scheduler->next_release(timer);
    if (next == takt_rt::kNever) {
      return std::nullopt;
    }
    const takt_rt::Duration period = period_of(*scheduler, timer, next);
    return period > takt_rt::Duration::zero() ? std::optional(UnstartedTimer{next, period})
                                              : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace takt_watch
