// What threads do without the rights for their policy: `fallback:` under `missing_rights: report`.
#ifndef TAKT_SCHEDULE__FALLBACK_HPP_
#define TAKT_SCHEDULE__FALLBACK_HPP_

#include <concepts>
#include <functional>
#include <string>
#include <vector>

#include "takt_schedule/schedule.hpp"

namespace takt_schedule
{

struct WithFallbacks
{
  ExecutorSchedule executor;
  takt_rt::Faults used;  ///< one warning, of kind `fallback`, for each that is asked for
};

/// Whether the kernel would grant policy and priority of `attributes`: tried on a short-lived
/// thread. Set-up only; may block.
bool may_use(const takt_rt::ThreadAttributes & attributes);

/// `executor` with the fallback of every entry that has one and for which `allowed` says no. The
/// same as before under `missing_rights: fail`. A following pool that falls back follows no more.
/// Set-up only; may block.
WithFallbacks with_fallbacks(
  const ExecutorSchedule & executor,
  const std::function<bool(const takt_rt::ThreadAttributes &)> & allowed = may_use);

/// The same with one answer for all. (Exactly bool: a function would turn into one.)
inline WithFallbacks with_fallbacks(
  const ExecutorSchedule & executor, std::same_as<bool> auto realtime_allowed)
{
  return with_fallbacks(
    executor, [=](const takt_rt::ThreadAttributes &) { return realtime_allowed; });
}

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__FALLBACK_HPP_
