// The analysis' time: whole nanoseconds in 64 bits, with a value for "without bound".
//
// Sums and products stay at `kUnbounded` and do not overflow. So a result that depends on an
// unbounded value is unbounded. For values of at least zero. Pure functions; they do not allocate
// or block.
#ifndef TAKT_PLAN__NANOSECONDS_HPP_
#define TAKT_PLAN__NANOSECONDS_HPP_

#include <cstdint>
#include <limits>

namespace takt_plan
{

using Ns = std::int64_t;

inline constexpr Ns kUnbounded = std::numeric_limits<Ns>::max();

/// The sum. Values may be negative; an unbounded value gives an unbounded sum.
constexpr Ns add(Ns a, Ns b) noexcept
{
  if (a == kUnbounded || b == kUnbounded) {
    return kUnbounded;
  }
  return b > 0 && a > kUnbounded - b ? kUnbounded : a + b;
}

/// The product. Zero times any value is zero: work without cost causes no delay, however often it
/// comes.
constexpr Ns multiply(Ns a, Ns b) noexcept
{
  if (a == 0 || b == 0) {
    return 0;
  }
  return a > kUnbounded / b ? kUnbounded : a * b;
}

/// The largest number of releases in an interval of `length` without its end, for one release in
/// each `period`, each up to `jitter` late. The interval has at least its beginning; `period` > 0.
constexpr Ns arrivals(Ns length, Ns period, Ns jitter) noexcept
{
  const Ns span = add(length > 0 ? length : 1, jitter);
  return span == kUnbounded ? kUnbounded : (span - 1) / period + 1;
}

}  // namespace takt_plan

#endif  // TAKT_PLAN__NANOSECONDS_HPP_
