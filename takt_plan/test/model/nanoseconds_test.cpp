// Saturating time, and the number of releases in an interval.
#include "takt_plan/nanoseconds.hpp"

#include <gtest/gtest.h>

namespace takt_plan
{
namespace
{

TEST(Nanoseconds, SumsAndProductsStayUnboundedInsteadOfOverflowing)
{
  EXPECT_EQ(add(2, 3), 5);
  EXPECT_EQ(add(kUnbounded, 1), kUnbounded);
  EXPECT_EQ(add(kUnbounded - 1, 1), kUnbounded);
  EXPECT_EQ(add(kUnbounded - 1, 2), kUnbounded);
  EXPECT_EQ(add(kUnbounded, -1), kUnbounded);
  EXPECT_EQ(add(-3, kUnbounded), kUnbounded);
  EXPECT_EQ(add(2, -3), -1);
  EXPECT_EQ(multiply(3, 4), 12);
  EXPECT_EQ(multiply(kUnbounded / 2, 3), kUnbounded);
  EXPECT_EQ(multiply(kUnbounded, 1), kUnbounded);
  EXPECT_EQ(multiply(0, kUnbounded), 0);
  EXPECT_EQ(multiply(kUnbounded, 0), 0);
}

TEST(Nanoseconds, AnIntervalThatEndsAtAReleaseDoesNotHoldIt)
{
  EXPECT_EQ(arrivals(10, 10, 0), 1);
  EXPECT_EQ(arrivals(11, 10, 0), 2);
  EXPECT_EQ(arrivals(20, 10, 0), 2);
}

TEST(Nanoseconds, AnEmptyIntervalHoldsTheReleaseAtItsBeginning)
{
  EXPECT_EQ(arrivals(0, 10, 0), 1);
  EXPECT_EQ(arrivals(0, 10, 10), 2);
}

TEST(Nanoseconds, JitterBringsLaterReleasesIntoTheInterval)
{
  EXPECT_EQ(arrivals(10, 10, 1), 2);
  EXPECT_EQ(arrivals(5, 10, 25), 3);
  EXPECT_EQ(arrivals(5, 10, kUnbounded), kUnbounded);
}

}  // namespace
}  // namespace takt_plan
