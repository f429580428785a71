// Time as analysis counts it: whole nanoseconds in 64 bits, with a value for "without bound".
//
// Sums and products stay at `kUnbounded` instead of overflowing, so that whatever depends on
// something without a bound has none either. For values of at least zero only. Pure functions; no
// allocation, no blocking.
#ifndef TAKT_PLAN__NANOSECONDS_HPP_
#define TAKT_PLAN__NANOSECONDS_HPP_

#include <cstdint>
#include <limits>

namespace takt_plan
{

using Ns = std::int64_t;

inline constexpr Ns kUnbounded = std::numeric_limits<Ns>::max();

/// Either may be negative; what is unbounded stays so.
constexpr Ns add(Ns a, Ns b) noexcept
{
  if (a == kUnbounded || b == kUnbounded) {
    return kUnbounded;
  }
  return b > 0 && a > kUnbounded - b ? kUnbounded : a + b;
}

/// Zero times anything is zero: what costs nothing delays nothing, however often it happens.
constexpr Ns multiply(Ns a, Ns b) noexcept
{
  if (a == 0 || b == 0) {
    return 0;
  }
  return a > kUnbounded / b ? kUnbounded : a * b;
}

/// The most releases that fall into an interval of `length`, its end not included: one each
/// `period`, each up to `jitter` late. The interval holds at least its beginning; `period` > 0.
constexpr Ns arrivals(Ns length, Ns period, Ns jitter) noexcept
{
  const Ns span = add(length > 0 ? length : 1, jitter);
  return span == kUnbounded ? kUnbounded : (span - 1) / period + 1;
}

}  // namespace takt_plan

#endif  // TAKT_PLAN__NANOSECONDS_HPP_
