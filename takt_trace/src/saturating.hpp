// Sums and differences of times that do not overflow, whatever a file contains. Pure functions.
#ifndef TAKT_TRACE__SRC__SATURATING_HPP_
#define TAKT_TRACE__SRC__SATURATING_HPP_

#include <cstdint>
#include <limits>

namespace takt_trace::detail
{

/// The sum, or the nearest number that fits, so that a later time never becomes an earlier one.
inline std::int64_t saturating_add(std::int64_t a, std::int64_t b) noexcept
{
  using Limits = std::numeric_limits<std::int64_t>;
  std::int64_t sum = 0;
  return !__builtin_add_overflow(a, b, &sum) ? sum : (b > 0 ? Limits::max() : Limits::min());
}

/// The difference, limited in the same way.
inline std::int64_t saturating_subtract(std::int64_t a, std::int64_t b) noexcept
{
  using Limits = std::numeric_limits<std::int64_t>;
  std::int64_t difference = 0;
  return !__builtin_sub_overflow(a, b, &difference) ? difference
                                                    : (b < 0 ? Limits::max() : Limits::min());
}

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__SATURATING_HPP_
