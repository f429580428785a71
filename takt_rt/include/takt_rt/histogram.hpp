// A histogram of durations, to within 1 %, in constant memory.
//
// One thread records; others may read at the same time. Buckets: one for all negative values, one
// for zero, one for each value to 127, then 128 to each power of two up to 2^38 ns (275 s), and one
// for all above. A bucket is thus at most 1/128 (0.78 %) as wide as its lower edge. The constructor
// allocates and touches 33 kB; later calls allocate nothing.
//
// A concurrent reader sees at least every value whose record() had returned before its call; a
// value being recorded may be counted or not.
#ifndef TAKT_RT__HISTOGRAM_HPP_
#define TAKT_RT__HISTOGRAM_HPP_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "takt_rt/time.hpp"

namespace takt_rt
{

/// One thread records, and any thread reads meanwhile. Values and edges are in nanoseconds.
class LogHistogram
{
public:
  /// Set-up only: allocates.
  LogHistogram();

  // ---- the recording thread

  /// Real-time safe, O(1): three uncontended stores, no atomic read-modify-write.
  void record(std::int64_t ns) noexcept
  {
    if (ns < min_.load(std::memory_order_relaxed)) {
      min_.store(ns, std::memory_order_relaxed);
    }
    if (ns > max_.load(std::memory_order_relaxed)) {
      max_.store(ns, std::memory_order_relaxed);
    }
    add(counts_[index_of(ns)], 1);
    // Last, with release: a reader of this count finds its values in the buckets.
    count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  void record(Duration duration) noexcept { record(duration.count()); }

  /// Adds all values recorded by `other`. Real-time safe, O(buckets). `other` may be recording
  /// meanwhile; the call then sees it as a reader does.
  void merge(const LogHistogram & other) noexcept;

  /// Removes all values. Real-time safe, O(buckets). Not while another thread reads.
  void clear() noexcept;

  // ---- any thread; real-time safe

  /// The number of recorded values. O(1).
  std::uint64_t count() const noexcept { return count_.load(std::memory_order_acquire); }

  /// The exact extremes; 0 without values. O(1).
  std::int64_t min() const noexcept { return count() == 0 ? 0 : min_.load(kRelaxed); }
  std::int64_t max() const noexcept { return count() == 0 ? 0 : max_.load(kRelaxed); }

  /// The smallest value that at least a share `q` (0 to 1) of the values do not exceed (nearest
  /// rank), as the upper edge of its bucket: never below the exact quantile and at most 1 % above
  /// it. Exact for values below 256 and at the extremes. Returns min() for a quantile among the
  /// negative values, max() above 2^38 ns, 0 without values. O(buckets).
  std::int64_t quantile(double q) const noexcept;

  /// Calls `visit(lower, upper, count)` for each bucket that is not empty, ascending; both edges
  /// belong to the bucket.
  template <typename Visitor>
  void for_each_bucket(Visitor visit) const
  {
    for (std::size_t i = 0; i < kBuckets; ++i) {
      if (const std::uint64_t n = counts_[i].load(kRelaxed); n != 0) {
        visit(lower_edge(i), upper_edge(i), n);
      }
    }
  }

private:
  using Counter = std::atomic<std::uint64_t>;
  static constexpr auto kRelaxed = std::memory_order_relaxed;

  static constexpr int kPrecisionBits = 7;  ///< 2^7 buckets to each power of two
  static constexpr int kRangeBits = 38;     ///< values below 2^38 ns have buckets of their own
  static constexpr std::int64_t kExact = std::int64_t{1} << kPrecisionBits;
  static constexpr std::int64_t kRange = std::int64_t{1} << kRangeBits;
  static constexpr std::size_t kNegative = 0;
  /// Zero and the small values follow the negative bucket; above them each octave adds 128.
  static constexpr std::size_t kZero = 1;
  static constexpr std::size_t kOverflow = kZero + (kRangeBits - kPrecisionBits + 1) * kExact;
  static constexpr std::size_t kBuckets = kOverflow + 1;

  static std::size_t index_of(std::int64_t ns) noexcept
  {
    if (ns < kExact) {
      return ns < 0 ? kNegative : kZero + static_cast<std::size_t>(ns);
    }
    if (ns >= kRange) {
      return kOverflow;
    }
    const auto width = 64 - __builtin_clzll(static_cast<std::uint64_t>(ns));
    const int octave = width - 1 - kPrecisionBits;
    // The leading bit of (ns >> octave) is 2^7, which adds the step to the next octave's buckets.
    return kZero + (static_cast<std::size_t>(octave) << kPrecisionBits) +
           static_cast<std::size_t>(ns >> octave);
  }

  static std::int64_t lower_edge(std::size_t index) noexcept;
  static std::int64_t upper_edge(std::size_t index) noexcept;

  /// With one writer, a load and a store replace an atomic addition.
  static void add(Counter & counter, std::uint64_t n) noexcept
  {
    counter.store(counter.load(kRelaxed) + n, kRelaxed);
  }

  std::unique_ptr<Counter[]> counts_;
  Counter count_{0};
  std::atomic<std::int64_t> min_{std::numeric_limits<std::int64_t>::max()};
  std::atomic<std::int64_t> max_{std::numeric_limits<std::int64_t>::min()};
};

}  // namespace takt_rt

#endif  // TAKT_RT__HISTOGRAM_HPP_
