// Decimal numbers with units, computed exactly: what ids and files share when they read durations and sizes.
#ifndef TAKT_RT__DECIMAL_HPP_
#define TAKT_RT__DECIMAL_HPP_

#include <array>
#include <cstdint>
#include <string_view>

namespace takt_rt
{

/// A unit of a quantity that is counted in whole smallest units.
struct DecimalUnit
{
  std::string_view name;
  std::int64_t factor;  ///< in the smallest unit
};

/// Of durations, in nanoseconds.
inline constexpr std::array<DecimalUnit, 6> kDurationUnits{{
  {"ns", 1},
  {"us", 1'000},
  {"\xc2\xb5s", 1'000},
  {"ms", 1'000'000},
  {"s", 1'000'000'000},
  {"min", 60'000'000'000},
}};

struct ScaledDecimal
{
  std::int64_t value = 0;  ///< in the smallest unit; only if neither of the others is true
  bool too_large = false;  ///< for 64 bits
  bool too_fine = false;   ///< it is no whole number of smallest units
};

/// Digits at the front of `text`, which they are taken from; may be none. Real-time safe.
std::string_view take_digits(std::string_view & text) noexcept;

/// `whole`.`fraction` times `factor`; both consist of digits, and `fraction` may be empty. Real-time safe.
ScaledDecimal scale_decimal(
  std::string_view whole, std::string_view fraction, std::int64_t factor) noexcept;

}  // namespace takt_rt

#endif  // TAKT_RT__DECIMAL_HPP_
