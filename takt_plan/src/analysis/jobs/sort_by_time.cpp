#include "analysis/jobs/sort_by_time.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace takt_plan::detail
{
namespace
{

// Fewer are sorted by comparison.
constexpr std::size_t kFew = 256;
constexpr unsigned kDigitBits = 11;
constexpr std::uint64_t kDigits = std::uint64_t{1} << kDigitBits;

}  // namespace

// By digits, the least significant first.
void sort_by_time(std::vector<TimeAndCost> & values, std::vector<TimeAndCost> & scratch)
{
  if (values.size() < kFew) {
    std::sort(values.begin(), values.end());
    return;
  }
  Ns most = 0;
  for (const auto & [time, cost] : values) {
    most = std::max(most, time);
  }
  scratch.resize(values.size());
  for (unsigned shift = 0; shift < 63 && (most >> shift) > 0; shift += kDigitBits) {
    const auto digit = [shift](const TimeAndCost & value) {
      return (static_cast<std::uint64_t>(value.first) >> shift) & (kDigits - 1);
    };
    std::array<std::size_t, kDigits> place{};
    for (const TimeAndCost & value : values) {
      ++place[digit(value)];
    }
    std::size_t before = 0;
    for (std::size_t & one : place) {
      before += std::exchange(one, before);
    }
    for (const TimeAndCost & value : values) {
      scratch[place[digit(value)]++] = value;
    }
    values.swap(scratch);
  }
}

}  // namespace takt_plan::detail
