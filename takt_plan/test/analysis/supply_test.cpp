// Supplies: the supply in the worst case, and the agreement of both directions of the function.
#include "takt_plan/supply.hpp"

#include <gtest/gtest.h>

namespace takt_plan
{
namespace
{

TEST(Supply, ADedicatedCoreGivesEverything)
{
  EXPECT_EQ(Supply::dedicated().in(7), 7);
  EXPECT_EQ(Supply::dedicated().time_for(7), 7);
  EXPECT_EQ(Supply::dedicated().time_for(0), 0);
}

TEST(Supply, AReservationMayFirstGiveNothing)
{
  const Supply supply = Supply::periodic(3, 5);
  const Ns expected[] = {0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 4, 5, 6, 6};
  for (Ns length = 0; length < static_cast<Ns>(std::size(expected)); ++length) {
    EXPECT_EQ(supply.in(length), expected[length]) << length;
  }
}

TEST(Supply, AReservationWithADeadlineComesSooner)
{
  const Supply supply = Supply::constrained(2, 3, 5);
  const Ns expected[] = {0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 3, 4, 4};
  for (Ns length = 0; length < static_cast<Ns>(std::size(expected)); ++length) {
    EXPECT_EQ(supply.in(length), expected[length]) << length;
  }
}

TEST(Supply, StepsHoldFromTheirIntervalOn)
{
  const Supply supply = Supply::steps({{4, 1}, {10, 6}});
  EXPECT_EQ(supply.in(3), 0);
  EXPECT_EQ(supply.in(4), 1);
  EXPECT_EQ(supply.in(9), 1);
  EXPECT_EQ(supply.in(1000), 6);
  EXPECT_EQ(supply.time_for(2), 10);
  EXPECT_EQ(supply.time_for(7), kUnbounded) << "nothing is known of later";
}

TEST(Supply, TheTimeForAnAmountIsTheLeastThatSuffices)
{
  for (const Supply & supply :
       {Supply::dedicated(), Supply::periodic(3, 5), Supply::periodic(7, 7), Supply::periodic(1, 9),
        Supply::constrained(2, 3, 5), Supply::constrained(3, 3, 7),
        Supply::steps({{4, 1}, {10, 60}})}) {
    for (Ns amount = 1; amount <= 60; ++amount) {
      const Ns time = supply.time_for(amount);
      EXPECT_GE(supply.in(time), amount);
      EXPECT_LT(supply.in(time - 1), amount);
    }
  }
}

}  // namespace
}  // namespace takt_plan
