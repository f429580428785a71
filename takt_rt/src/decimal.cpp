#include "takt_rt/decimal.hpp"

#include <algorithm>
#include <cstddef>

namespace takt_rt
{
namespace
{

// Wide enough for 18 digits times the largest unit.
__extension__ using Wide = __int128;
constexpr std::size_t kMostFractionDigits = 18;

bool is_digit(char c) noexcept
{
  return c >= '0' && c <= '9';
}

bool multiply_add(std::int64_t & value, std::int64_t factor, std::int64_t add) noexcept
{
  return !__builtin_mul_overflow(value, factor, &value) &&
         !__builtin_add_overflow(value, add, &value);
}

}  // namespace

std::string_view take_digits(std::string_view & text) noexcept
{
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

ScaledDecimal scale_decimal(
  std::string_view whole, std::string_view fraction, std::int64_t factor) noexcept
{
  ScaledDecimal scaled;
  for (const char digit : whole) {
    if (!multiply_add(scaled.value, 10, digit - '0')) {
      scaled.too_large = true;
      return scaled;
    }
  }
  if (!multiply_add(scaled.value, factor, 0)) {
    scaled.too_large = true;
    return scaled;
  }
  // Digits below the smallest unit cannot be kept.
  fraction.remove_suffix(fraction.size() - (fraction.find_last_not_of('0') + 1));
  if (fraction.size() > kMostFractionDigits) {
    scaled.too_fine = true;
    return scaled;
  }
  Wide numerator = 0;
  Wide denominator = 1;
  for (const char digit : fraction) {
    numerator = numerator * 10 + (digit - '0');
    denominator *= 10;
  }
  numerator *= factor;
  if (numerator % denominator != 0) {
    scaled.too_fine = true;
  } else if (!multiply_add(scaled.value, 1, static_cast<std::int64_t>(numerator / denominator))) {
    scaled.too_large = true;
  }
  return scaled;
}

}  // namespace takt_rt
