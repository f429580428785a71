#include "takt_rt/histogram.hpp"

#include <algorithm>
#include <cmath>

namespace takt_rt
{

LogHistogram::LogHistogram() : counts_(std::make_unique<Counter[]>(kBuckets))
{
}

void LogHistogram::merge(const LogHistogram & other) noexcept
{
  if (other.count() == 0) {
    return;
  }
  std::uint64_t added = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    const std::uint64_t n = other.counts_[i].load(kRelaxed);
    if (n != 0) {
      add(counts_[i], n);
      added += n;
    }
  }
  min_.store(std::min(min_.load(kRelaxed), other.min_.load(kRelaxed)), kRelaxed);
  max_.store(std::max(max_.load(kRelaxed), other.max_.load(kRelaxed)), kRelaxed);
  count_.store(count_.load(kRelaxed) + added, std::memory_order_release);
}

void LogHistogram::clear() noexcept
{
  for (std::size_t i = 0; i < kBuckets; ++i) {
    counts_[i].store(0, kRelaxed);
  }
  min_.store(std::numeric_limits<std::int64_t>::max(), kRelaxed);
  max_.store(std::numeric_limits<std::int64_t>::min(), kRelaxed);
  count_.store(0, std::memory_order_release);
}

std::int64_t LogHistogram::quantile(double q) const noexcept
{
  const std::uint64_t total = count();
  if (total == 0) {
    return 0;
  }
  if (!(q > 0.0)) {  // also NaN
    return min();
  }
  // Slightly less, so that a product like 0.07 * 100, which rounds to above 7, keeps rank 7.
  constexpr double kBelowOne = 1.0 - 0x1p-51;
  const double wanted = std::ceil(std::min(q, 1.0) * static_cast<double>(total) * kBelowOne);
  const auto rank = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1, total);
  // Counts only grow, so the sum of the buckets reaches at least `total`.
  std::uint64_t passed = 0;
  std::size_t index = 0;
  while (index < kOverflow && (passed += counts_[index].load(kRelaxed)) < rank) {
    ++index;
  }
  if (index == kNegative) {
    return min();
  }
  return std::min(upper_edge(index), max());
}

std::int64_t LogHistogram::lower_edge(std::size_t index) noexcept
{
  if (index == kNegative) {
    return std::numeric_limits<std::int64_t>::min();
  }
  const std::size_t position = index - kZero;
  const auto in_octave = static_cast<std::int64_t>(position & (kExact - 1));
  const auto octave = static_cast<int>(position >> kPrecisionBits);
  return octave == 0 ? in_octave : (kExact + in_octave) << (octave - 1);
}

std::int64_t LogHistogram::upper_edge(std::size_t index) noexcept
{
  return index == kOverflow ? std::numeric_limits<std::int64_t>::max() : lower_edge(index + 1) - 1;
}

}  // namespace takt_rt
