// Sorting of times with their costs.
#include "analysis/jobs/sort_by_time.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "takt_plan/draw.hpp"

namespace takt_plan
{
namespace
{

using detail::sort_by_time;
using detail::TimeAndCost;

TEST(SortByTime, GivesAnyNumberOfTimesInOrder)
{
  Draw draw(7);
  std::vector<TimeAndCost> scratch;
  for (const Ns most : {Ns{0}, Ns{1}, Ns{2'047}, Ns{2'048}, Ns{800'000'000}, kUnbounded}) {
    for (const std::size_t count : {0, 1, 255, 256, 5'000}) {
      std::vector<TimeAndCost> values;
      for (std::size_t i = 0; i < count; ++i) {
        values.emplace_back(draw.between(0, most), static_cast<Ns>(i));
      }
      std::vector<TimeAndCost> expected = values;
      std::sort(expected.begin(), expected.end());
      sort_by_time(values, scratch);
      EXPECT_TRUE(std::is_sorted(
        values.begin(), values.end(),
        [](const auto & a, const auto & b) { return a.first < b.first; }))
        << count << " up to " << most;
      std::sort(values.begin(), values.end());
      EXPECT_EQ(values, expected) << count << " up to " << most;
    }
  }
}

}  // namespace
}  // namespace takt_plan
