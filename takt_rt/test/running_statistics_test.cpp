#include "takt_rt/running_statistics.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace takt_rt
{
namespace
{

TEST(RunningStatistics, AreZeroWhenEmpty)
{
  const RunningStatistics statistics;
  EXPECT_EQ(statistics.count(), 0U);
  EXPECT_EQ(statistics.mean(), 0.0);
  EXPECT_EQ(statistics.min(), 0.0);
  EXPECT_EQ(statistics.max(), 0.0);
  EXPECT_EQ(statistics.standard_deviation(), 0.0);
}

TEST(RunningStatistics, MatchTheTextbook)
{
  RunningStatistics statistics;
  for (const double value : {2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0}) {
    statistics.record(value);
  }
  EXPECT_EQ(statistics.count(), 8U);
  EXPECT_DOUBLE_EQ(statistics.mean(), 5.0);
  EXPECT_DOUBLE_EQ(statistics.standard_deviation(), std::sqrt(32.0 / 7.0));
  EXPECT_EQ(statistics.min(), 2.0);
  EXPECT_EQ(statistics.max(), 9.0);
}

TEST(RunningStatistics, HaveNoDeviationForOneValue)
{
  RunningStatistics statistics;
  statistics.record(-3.0);
  EXPECT_EQ(statistics.standard_deviation(), 0.0);
  EXPECT_EQ(statistics.min(), -3.0);
  EXPECT_EQ(statistics.max(), -3.0);
}

TEST(RunningStatistics, KeepTheDeviationOfLargeCloseNumbers)
{
  RunningStatistics statistics;
  for (const double offset : {4.0, 7.0, 13.0, 16.0}) {
    statistics.record(1e15 + offset);  // a sum of squares would have lost all of it
  }
  EXPECT_NEAR(statistics.standard_deviation(), std::sqrt(30.0), 1e-6);
}

TEST(RunningStatistics, MergedAreAsIfRecordedTogether)
{
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(100.0, 15.0);
  RunningStatistics together;
  std::vector<RunningStatistics> parts(4);
  for (int i = 0; i < 10000; ++i) {
    const double value = normal(random);
    together.record(value);
    parts[random() % 3].record(value);  // the last part stays empty
  }
  RunningStatistics merged;
  for (const RunningStatistics & part : parts) {
    merged.merge(part);
  }
  EXPECT_EQ(merged.count(), together.count());
  EXPECT_NEAR(merged.mean(), together.mean(), 1e-9);
  EXPECT_NEAR(merged.standard_deviation(), together.standard_deviation(), 1e-9);
  EXPECT_EQ(merged.min(), together.min());
  EXPECT_EQ(merged.max(), together.max());
}

}  // namespace
}  // namespace takt_rt
