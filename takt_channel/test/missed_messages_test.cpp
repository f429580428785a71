#include "missed_messages.hpp"

#include <gtest/gtest.h>

namespace takt_channel
{
namespace
{

TEST(MissedMessages, AreTheGapsOfEachPublisher)
{
  MissedMessages missed;
  EXPECT_EQ(missed.taken(7, 0), 0U);
  EXPECT_EQ(missed.taken(7, 3), 2U);
  EXPECT_EQ(missed.taken(8, 1), 1U);
  EXPECT_EQ(missed.taken(7, 4), 0U);
  EXPECT_EQ(missed.all(), 3U);
}

TEST(MissedMessages, OfAnOlderPublisherCountFromTheSubscribersBeginning)
{
  MissedMessages missed;
  missed.expect(7, 100);
  EXPECT_EQ(missed.taken(7, 98), 0U);
  EXPECT_EQ(missed.taken(7, 99), 0U);
  EXPECT_EQ(missed.taken(7, 101), 1U);
  EXPECT_EQ(missed.all(), 1U);
}

TEST(MissedMessages, APublisherThatGoesOnIsNotForgotten)
{
  MissedMessages missed;
  for (std::uint64_t i = 0; i < 200; ++i) {
    EXPECT_EQ(missed.taken(1, i), 0U) << i;
    EXPECT_EQ(missed.taken(1000 + i, 0), 0U) << i;
  }
  EXPECT_EQ(missed.taken(1, 203), 3U);
  EXPECT_EQ(missed.all(), 3U);
}

TEST(MissedMessages, AForgottenPublisherBeginsWithItsNextMessage)
{
  MissedMessages missed;
  missed.taken(1, 0);
  for (std::uint64_t other = 2; other < 2 + 64; ++other) {
    missed.taken(other, 0);
  }
  EXPECT_EQ(missed.taken(1, 1000), 0U);
  EXPECT_EQ(missed.taken(1, 1002), 1U);
  EXPECT_EQ(missed.all(), 1U);
}

TEST(MissedMessages, OfANewPublisherAllCountAlsoAfterOthersWereForgotten)
{
  MissedMessages missed;
  for (std::uint64_t other = 1; other < 100; ++other) {
    missed.taken(other, 0);
  }
  EXPECT_EQ(missed.taken(500, 3), 3U);
}

}  // namespace
}  // namespace takt_channel
