// A percentile may be shown only if at least ten values lie beyond it. With fewer, it says more
// about chance than about the system. The median takes 20 values, p99 takes 1,000.
//
// The command line applies the same rule to its own samples (takt_cli/results/samples.py); a test
// compares both.
#ifndef TAKT_RT__PERCENTILE_HPP_
#define TAKT_RT__PERCENTILE_HPP_

#include <cmath>
#include <cstdint>
#include <optional>

#include "takt_rt/histogram.hpp"

namespace takt_rt
{

/// Whether at least ten of `count` values lie beyond the quantile `q` (0 to 1). Real-time safe.
constexpr bool is_supported(std::uint64_t count, double q) noexcept
{
  // A tolerance for rounding: 100 * (1 - 0.9) is below 10.
  return static_cast<double>(count) * (1.0 - q) >= 10.0 - 1e-6;
}

/// The rank, from 1 on, of the smallest of `count` sorted values that at least a share `q` of all
/// do not exceed (nearest rank); empty if fewer than ten values lie beyond it. Real-time safe.
inline std::optional<std::uint64_t> supported_rank(std::uint64_t count, double q) noexcept
{
  if (!is_supported(count, q)) {
    return std::nullopt;
  }
  // A tolerance for rounding, so that 0.9 * 100 is the 90th and not the 91st.
  return static_cast<std::uint64_t>(
    std::fmax(1.0, std::ceil(static_cast<double>(count) * q - 1e-6)));
}

/// The quantile to within its bucket (1 %); empty if fewer than ten values lie beyond it. Real-time
/// safe, O(buckets).
inline std::optional<std::int64_t> supported_quantile(
  const LogHistogram & values, double q) noexcept
{
  return is_supported(values.count(), q) ? std::optional(values.quantile(q)) : std::nullopt;
}

}  // namespace takt_rt

#endif  // TAKT_RT__PERCENTILE_HPP_
