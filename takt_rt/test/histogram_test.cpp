#include "takt_rt/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "takt_rt/percentile.hpp"

namespace takt_rt
{
namespace
{

constexpr std::int64_t kSecond = 1'000'000'000;

/// Nearest rank: the smallest value that at least `percent` of all do not exceed.
std::int64_t exact_quantile(const std::vector<std::int64_t> & sorted, std::uint64_t per_mille)
{
  const std::uint64_t rank = (sorted.size() * per_mille + 999) / 1000;
  return sorted[rank == 0 ? 0 : rank - 1];
}

TEST(LogHistogram, IsZeroWhenEmpty)
{
  const LogHistogram histogram;
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.min(), 0);
  EXPECT_EQ(histogram.max(), 0);
  EXPECT_EQ(histogram.quantile(0.5), 0);
}

TEST(LogHistogram, IsExactForSmallValues)
{
  LogHistogram histogram;
  for (std::int64_t ns = 1; ns <= 200; ++ns) {
    histogram.record(ns);
  }
  EXPECT_EQ(histogram.count(), 200U);
  EXPECT_EQ(histogram.quantile(0.5), 100);
  EXPECT_EQ(histogram.quantile(0.99), 198);
  EXPECT_EQ(histogram.quantile(0.07), 14);
  EXPECT_EQ(histogram.quantile(0.0), 1);
  EXPECT_EQ(histogram.quantile(1.0), 200);
}

TEST(LogHistogram, TakesQuantilesOutsideTheirRangeAsTheExtremes)
{
  LogHistogram histogram;
  histogram.record(3);
  histogram.record(9);
  EXPECT_EQ(histogram.quantile(-1.0), 3);
  EXPECT_EQ(histogram.quantile(2.0), 9);
  EXPECT_EQ(histogram.quantile(std::nan("")), 3);
}

TEST(LogHistogram, KeepsNegativeValuesAndZeroApart)
{
  LogHistogram histogram;
  for (const std::int64_t ns : {-5, -70000, 0, 0, 1000}) {
    histogram.record(ns);
  }
  EXPECT_EQ(histogram.min(), -70000);
  EXPECT_EQ(histogram.quantile(0.4), -70000);
  EXPECT_EQ(histogram.quantile(0.6), 0);
  EXPECT_EQ(histogram.quantile(0.8), 0);
  EXPECT_EQ(histogram.quantile(1.0), 1000);
}

TEST(LogHistogram, CountsWhatIsAboveItsRange)
{
  LogHistogram histogram;
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  histogram.record(1);
  histogram.record(std::int64_t{1} << 38);
  histogram.record(huge);
  EXPECT_EQ(histogram.count(), 3U);
  EXPECT_EQ(histogram.max(), huge);
  EXPECT_EQ(histogram.quantile(0.5), huge);
}

TEST(LogHistogram, HasBucketsWithoutGapsOrOverlaps)
{
  LogHistogram histogram;
  for (int bits = 0; bits < 40; ++bits) {
    for (const std::int64_t off : {-1, 0, 1}) {
      const std::int64_t ns = (std::int64_t{1} << bits) + off;
      LogHistogram one;
      one.record(ns);
      one.for_each_bucket([&](std::int64_t lower, std::int64_t upper, std::uint64_t n) {
        EXPECT_LE(lower, ns);
        EXPECT_GE(upper, ns);
        EXPECT_EQ(n, 1U);
        if (ns > 0 && ns < 100 * kSecond) {
          EXPECT_LE(static_cast<double>(upper - lower), 0.01 * static_cast<double>(lower));
        }
      });
      histogram.merge(one);
    }
  }
  std::int64_t last_upper = std::numeric_limits<std::int64_t>::min();
  std::uint64_t total = 0;
  histogram.for_each_bucket([&](std::int64_t lower, std::int64_t upper, std::uint64_t n) {
    EXPECT_GE(lower, last_upper);
    EXPECT_LE(lower, upper);
    last_upper = upper;
    total += n;
  });
  EXPECT_EQ(total, histogram.count());
}

// Uniform, exponential, log-uniform over the whole range, constant, and two far peaks.
std::vector<std::vector<std::int64_t>> random_samples(std::uint64_t seed)
{
  std::mt19937_64 random(seed);
  const auto draw = [&](std::size_t n, auto && one) {
    std::vector<std::int64_t> values(n);
    std::generate(values.begin(), values.end(), [&] { return static_cast<std::int64_t>(one()); });
    return values;
  };
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::exponential_distribution<double> exponential(1e-5);
  const std::size_t n = 1 + random() % 20000;
  return {
    draw(n, [&] { return 1.0 + unit(random) * 1e6; }),
    draw(n, [&] { return 1.0 + exponential(random); }),
    draw(n, [&] { return std::exp(unit(random) * std::log(100.0 * kSecond)); }),
    draw(n, [&] { return 123456789.0; }),
    draw(n, [&] { return unit(random) < 0.99 ? 20e3 + unit(random) : 3e9 + unit(random) * 1e6; }),
  };
}

TEST(LogHistogram, StaysWithinOnePercentAboveTheExactQuantiles)
{
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (std::vector<std::int64_t> & values : random_samples(seed)) {
      LogHistogram histogram;
      for (const std::int64_t ns : values) {
        histogram.record(ns);
      }
      std::sort(values.begin(), values.end());
      EXPECT_EQ(histogram.min(), values.front());
      EXPECT_EQ(histogram.max(), values.back());
      for (const std::uint64_t per_mille : {0, 1, 10, 250, 500, 900, 990, 999, 1000}) {
        const std::int64_t exact = exact_quantile(values, per_mille);
        const std::int64_t found = histogram.quantile(static_cast<double>(per_mille) / 1000.0);
        EXPECT_GE(found, exact) << "seed " << seed << " per mille " << per_mille;
        EXPECT_LE(static_cast<double>(found), 1.01 * static_cast<double>(exact))
          << "seed " << seed << " per mille " << per_mille;
      }
    }
  }
}

TEST(LogHistogram, MergedIsAsIfRecordedTogether)
{
  LogHistogram together;
  LogHistogram left;
  LogHistogram right;
  std::mt19937_64 random(7);
  for (int i = 0; i < 5000; ++i) {
    const auto ns = static_cast<std::int64_t>(random() >> (random() % 60 + 1)) - 100;
    together.record(ns);
    (i % 3 == 0 ? left : right).record(ns);
  }
  left.merge(right);
  left.merge(LogHistogram{});
  EXPECT_EQ(left.count(), together.count());
  EXPECT_EQ(left.min(), together.min());
  EXPECT_EQ(left.max(), together.max());
  for (double q = 0.0; q <= 1.0; q += 0.01) {
    EXPECT_EQ(left.quantile(q), together.quantile(q)) << q;
  }
}

TEST(LogHistogram, ForgetsOnClear)
{
  LogHistogram histogram;
  histogram.record(5);
  histogram.clear();
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.quantile(1.0), 0);
  histogram.record(Duration{9});
  EXPECT_EQ(histogram.min(), 9);
  EXPECT_EQ(histogram.max(), 9);
}

TEST(LogHistogram, CanBeReadWhileItIsWritten)
{
  constexpr std::uint64_t kRecords = 300000;
  LogHistogram histogram;
  std::atomic<std::uint64_t> recorded{0};
  std::thread writer([&] {
    for (std::uint64_t i = 1; i <= kRecords; ++i) {
      histogram.record(static_cast<std::int64_t>(1000 + i % 1000));
      recorded.store(i, std::memory_order_release);
    }
  });
  std::uint64_t last = 0;
  while (last < kRecords) {
    const std::uint64_t at_least = recorded.load(std::memory_order_acquire);
    const std::uint64_t count = histogram.count();
    ASSERT_GE(count, std::max(last, at_least));
    if (count > 0) {
      for (const double q : {0.0, 0.5, 1.0}) {
        const std::int64_t value = histogram.quantile(q);
        ASSERT_GE(value, 1000);
        ASSERT_LE(value, 1999);
      }
    }
    last = count;
  }
  writer.join();
}

TEST(Percentile, TakesTenValuesBeyondIt)
{
  LogHistogram times;
  std::uint64_t count = 0;
  for (const auto & [q, least] : std::vector<std::pair<double, std::uint64_t>>{
         {0.5, 20}, {0.9, 100}, {0.99, 1000}, {0.999, 10000}}) {
    for (; count < least - 1; ++count) {
      times.record(1);
    }
    EXPECT_FALSE(is_supported(count, q)) << q;
    EXPECT_EQ(supported_rank(count, q), std::nullopt) << q;
    EXPECT_EQ(supported_quantile(times, q), std::nullopt) << q;
    EXPECT_EQ(supported_rank(least, q), least - 10) << q;
    times.record(1);
    ++count;
    EXPECT_EQ(supported_quantile(times, q), 1) << q;
  }
}

TEST(Percentile, HasTenValuesBeyondItsRankWhereverItIsSupported)
{
  for (std::uint64_t count = 0; count < 20000; ++count) {
    for (const double q : {0.5, 0.75, 0.9, 0.95, 0.99, 0.999}) {
      const auto rank = supported_rank(count, q);
      ASSERT_EQ(rank.has_value(), is_supported(count, q));
      ASSERT_TRUE(!rank || (*rank >= 1 && *rank + 10 <= count)) << count << ' ' << q;
    }
  }
}

}  // namespace
}  // namespace takt_rt
