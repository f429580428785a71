// Replaces the attributes of threads that lack the rights for their policy: `fallback:` under
// `missing_rights: report`.
#ifndef TAKT_SCHEDULE__FALLBACK_HPP_
#define TAKT_SCHEDULE__FALLBACK_HPP_

#include <concepts>
#include <functional>
#include <string>
#include <vector>

#include "takt_schedule/schedule.hpp"

namespace takt_schedule
{

/// The result of `with_fallbacks`.
struct WithFallbacks
{
  ExecutorSchedule executor;
  takt_rt::Faults used;  ///< one warning of kind `fallback` for each one requested
};

/// Whether the kernel would grant policy and priority of `attributes`: tried on a short-lived
/// thread. Set-up only; may block.
bool may_use(const takt_rt::ThreadAttributes & attributes);

/// `executor` with the fallback of every entry that has one and for which `allowed` returns false.
/// Unchanged under `missing_rights: fail`. A following pool with its fallback does not follow.
/// Set-up only; may block.
WithFallbacks with_fallbacks(
  const ExecutorSchedule & executor,
  const std::function<bool(const takt_rt::ThreadAttributes &)> & allowed = may_use);

/// As above, with one answer for all entries. (Exactly bool, because a function converts to bool.)
inline WithFallbacks with_fallbacks(
  const ExecutorSchedule & executor, std::same_as<bool> auto realtime_allowed)
{
  return with_fallbacks(
    executor, [=](const takt_rt::ThreadAttributes &) { return realtime_allowed; });
}

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__FALLBACK_HPP_
