#include "model/percent.hpp"

#include <cmath>

namespace takt_plan
{

std::string percent(long double share, Rounding rounding)
{
  constexpr long double kMost = 10'000;
  if (share > kMost) {
    return "more than 1000000 %";
  }
  // A thousandth of a percent is a rounding error of the calculation.
  constexpr long double kNoise = 0.001L;
  if (rounding == Rounding::tenths) {
    const long long tenths = std::llround(share * 1000);
    const long long whole = tenths / 10;
    return (tenths < 0 && whole == 0 ? "-" : "") + std::to_string(whole) + "." +
           std::to_string(std::abs(tenths % 10)) + " %";
  }
  const long double whole =
    rounding == Rounding::down ? std::floor(share * 100 + kNoise) : std::ceil(share * 100 - kNoise);
  return std::to_string(static_cast<long long>(whole)) + " %";
}

}  // namespace takt_plan
