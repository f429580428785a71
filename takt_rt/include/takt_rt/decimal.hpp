// Exact decimal numbers with units, for durations and sizes in ids and files.
#ifndef TAKT_RT__DECIMAL_HPP_
#define TAKT_RT__DECIMAL_HPP_

#include <array>
#include <cstdint>
#include <string_view>

namespace takt_rt
{

/// A unit of a quantity, counted in whole smallest units.
struct DecimalUnit
{
  std::string_view name;
  std::int64_t factor;  ///< in the smallest unit
};

/// Units of durations, in nanoseconds.
inline constexpr std::array<DecimalUnit, 6> kDurationUnits{{
  {"ns", 1},
  {"us", 1'000},
  {"\xc2\xb5s", 1'000},
  {"ms", 1'000'000},
  {"s", 1'000'000'000},
  {"min", 60'000'000'000},
}};

/// The result of `scale_decimal`.
struct ScaledDecimal
{
  std::int64_t value = 0;  ///< in the smallest unit; valid if both flags are false
  bool too_large = false;  ///< for 64 bits
  bool too_fine = false;   ///< not a whole number of smallest units
};

/// Removes the leading digits from `text` and returns them; may be empty. Real-time safe.
std::string_view take_digits(std::string_view & text) noexcept;

/// `whole`.`fraction` times `factor`; both consist of digits, and `fraction` may be empty.
/// Real-time safe.
ScaledDecimal scale_decimal(
  std::string_view whole, std::string_view fraction, std::int64_t factor) noexcept;

}  // namespace takt_rt

#endif  // TAKT_RT__DECIMAL_HPP_
